"""Evidence that something new begins, from the improbability of single points."""

import pytest

from app.anomalies.streaming.evidence import Evidence

USUAL = [0.8, 0.4, 0.1]


def settled(points: int = 500) -> Evidence:
    evidence = Evidence()
    for _ in range(points):
        evidence.add_point(USUAL)
    return evidence


def test_the_two_most_improbable_statistics_count() -> None:
    assert Evidence().add_point([6.0, 5.0, 0.0]) == Evidence().add_point([0.0, 5.0, 3.0, 6.0])
    assert (
        Evidence().add_point([6.0, 6.0])
        > Evidence().add_point([6.0, 5.0])
        > Evidence().add_point([6.0])
    )


def test_one_statistic_counts_half_and_none_nothing() -> None:
    assert Evidence().add_point([20.0]) == Evidence().add_point([10.0, 10.0])
    assert Evidence().add_point([]) == 0.0


def test_points_in_a_row_add_up_and_are_forgotten() -> None:
    evidence = Evidence()
    totals = []
    for _ in range(10):
        evidence.add_point([2.0, 2.0])
        totals.append(evidence.total)
    assert totals == sorted(totals)
    assert totals[-1] == pytest.approx(2.0 / (1.0 - Evidence.kept), rel=0.01)
    assert totals[-1] > 1.3 * totals[0]
    for _ in range(20):
        evidence.add_point([])
    assert evidence.total < 1e-4


def test_what_is_usual_is_little_evidence() -> None:
    evidence = settled()
    assert evidence.add_point(USUAL) < 1.0
    assert evidence.add_point([12.0, 10.0]) > 5.0


def test_evidence_that_stays_is_new_only_once() -> None:
    evidence = settled()
    seen = [evidence.add_point([12.0, 12.0]) for _ in range(90)]
    assert max(range(90), key=lambda at: seen[at]) < 5
    assert max(seen[10:]) < 0.2 * max(seen)


def test_what_is_much_higher_is_new_at_once_and_as_high_again_only_later() -> None:
    evidence = settled()
    first = evidence.add_point([6.0, 6.0])
    for _ in range(20):
        evidence.add_point(USUAL)
    assert evidence.add_point([6.0, 6.0]) < 0.2 * first
    assert evidence.add_point([20.0, 20.0]) > 2 * first
    for _ in range(101):
        evidence.add_point(USUAL)
    assert evidence.add_point([6.0, 6.0]) > 0.8 * first


def test_a_series_that_is_often_surprising_counts_less_each_time() -> None:
    evidence = settled()
    heights = []
    for _ in range(6):
        heights.append(evidence.add_point([9.0, 9.0]))
        for _ in range(150):
            evidence.add_point(USUAL)
    assert heights == sorted(heights, reverse=True)
    assert 0.6 < heights[-1] / heights[0] < 0.9


def test_old_surprises_are_forgotten() -> None:
    evidence = settled()
    for _ in range(10):
        evidence.add_point([9.0, 9.0])
        for _ in range(150):
            evidence.add_point(USUAL)
    worn = evidence.heights
    for _ in range(8000):
        evidence.add_point(USUAL)
    assert evidence.heights < 0.2 * worn
