"""Evidence: what opens an event without a flagged point."""

import numpy as np
import pytest

from app.anomalies.streaming.evidence import Evidence

USUAL = [0.8, 0.4]


def settled(usual: list[float], points: int = 2000) -> Evidence:
    evidence = Evidence()
    for _ in range(points):
        evidence.weigh(usual)
        assert not evidence.is_enough
    return evidence


def opens(evidence: Evidence, improbabilities: list[float], points: int = 3) -> bool:
    for _ in range(points):
        evidence.weigh(improbabilities)
        if evidence.is_enough:
            return True
    return False


def test_two_improbable_statistics_open_an_event_and_one_does_not() -> None:
    assert opens(settled(USUAL), [6.0, 5.0])
    assert not opens(settled(USUAL), [5.0, 0.0])


def test_a_restless_series_needs_more_evidence() -> None:
    assert opens(settled(USUAL), [4.0, 3.5])
    assert not opens(settled([1.4, 1.2]), [4.0, 3.5])


def test_few_points_need_more_evidence() -> None:
    assert not opens(settled(USUAL, 100), [4.0, 3.5])


def test_evidence_that_stays_is_new_once_alone() -> None:
    evidence = settled(USUAL)
    seen = [evidence.weigh([6.0, 6.0]) for _ in range(60)]
    assert np.argmax(seen) < 10
    assert max(seen[20:]) < 0.2 * max(seen)


def test_it_is_loud_for_a_while_after_something_improbable() -> None:
    evidence = settled(USUAL)
    assert not evidence.is_loud
    evidence.weigh([9.0, 9.0])
    loud = [evidence.is_loud]
    for _ in range(20):
        evidence.weigh([0.0])
        loud.append(evidence.is_loud)
    assert 2 <= sum(loud) <= 5
    assert loud == sorted(loud, reverse=True)


def test_a_forgotten_height_is_over_and_what_is_usual_stays() -> None:
    evidence = settled([1.4, 1.2])
    evidence.weigh([9.0, 9.0])
    usual = evidence.usual
    evidence.forget_height()
    assert evidence.weigh([1.4, 1.2]) < 1
    assert not evidence.is_enough
    assert evidence.usual == pytest.approx(usual, rel=0.01)
