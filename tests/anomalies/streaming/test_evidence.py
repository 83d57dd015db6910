"""How evidence of several statistics and points adds up, on which sides, and how wide a band is."""

import math

import numpy as np
import pytest

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.bounds import NO_LOSS, Loss
from app.anomalies.streaming.evidence import (
    Evidence,
    Signal,
    Widening,
    band_limits,
    joint_event_kind,
    point_signals,
)
from app.anomalies.streaming.fit import StatisticTails, StreamFit
from app.anomalies.streaming.forecaster import ForecastStep
from app.anomalies.tail import Tail, Tails

CALM = [0.8, 0.4, 0.1]


def settled_evidence(points: int = 500) -> Evidence:
    evidence = Evidence()
    for _ in range(points):
        evidence.add_point(CALM)
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


def test_losses_in_a_row_are_less_probable_together_and_forgotten_without_one() -> None:
    evidence = Evidence()
    lost = Loss(5 * math.log(0.1), 18.0)
    first = evidence.add_loss(lost)
    second = evidence.add_loss(lost)
    assert first == pytest.approx(5.0)
    assert first < second < 10.0
    for _ in range(20):
        evidence.add_loss(NO_LOSS)
    assert evidence.add_loss(lost) == pytest.approx(first, abs=0.01)


def test_points_in_a_row_add_up_and_are_forgotten() -> None:
    evidence = Evidence()
    totals = []
    for _ in range(10):
        evidence.add_point([2.0, 2.0])
        totals.append(evidence.total)
    assert totals == sorted(totals)
    assert totals[-1] == pytest.approx(2.0 / (1.0 - 0.4), rel=0.01)
    assert totals[-1] > 1.3 * totals[0]
    for _ in range(20):
        evidence.add_point([])
    assert evidence.total < 1e-4


def test_usual_residuals_are_little_evidence() -> None:
    evidence = settled_evidence()
    assert evidence.add_point(CALM) < 1.0
    assert evidence.add_point([12.0, 10.0]) > 5.0


def test_evidence_that_stays_is_new_only_once() -> None:
    evidence = settled_evidence()
    seen = [evidence.add_point([12.0, 12.0]) for _ in range(90)]
    assert max(range(90), key=lambda at: seen[at]) < 5
    assert max(seen[10:]) < 0.2 * max(seen)


def test_a_much_higher_peak_is_new_evidence_and_an_equal_one_only_later() -> None:
    evidence = settled_evidence()
    first = evidence.add_point([6.0, 6.0])
    for _ in range(20):
        evidence.add_point(CALM)
    assert evidence.add_point([6.0, 6.0]) < 0.2 * first
    assert evidence.add_point([20.0, 20.0]) > 2 * first
    for _ in range(101):
        evidence.add_point(CALM)
    assert evidence.add_point([6.0, 6.0]) > 0.8 * first


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_a_second_peak_is_new_once_the_event_of_the_first_has_ended(share: float) -> None:
    evidence = settled_evidence()
    first = evidence.add_point([23.0, 23.0])
    for _ in range(5):
        evidence.add_point(CALM)
    evidence.end_event(5)
    assert evidence.add_point([share * 23.0, share * 23.0]) > 0.9 * share * first


def test_a_small_peak_soon_after_an_event_is_not_new() -> None:
    evidence = settled_evidence()
    evidence.add_point([23.0, 23.0])
    evidence.end_event(1)
    assert evidence.add_point([6.5, 6.5]) < 1.0


def test_the_end_of_a_later_event_says_nothing_of_the_peak_before_it() -> None:
    evidence = settled_evidence()
    evidence.add_point([23.0, 23.0])
    for _ in range(20):
        evidence.add_point(CALM)
    evidence.end_event(5)
    assert evidence.add_point([23.0, 23.0]) < 3.0


def test_a_series_that_is_often_surprising_counts_less_each_time() -> None:
    evidence = settled_evidence()
    heights = []
    for _ in range(6):
        heights.append(evidence.add_point([9.0, 9.0]))
        for _ in range(150):
            evidence.add_point(CALM)
    assert heights == sorted(heights, reverse=True)
    assert 0.6 < heights[-1] / heights[0] < 0.9


def test_the_habituation_to_peaks_decays() -> None:
    evidence = settled_evidence()
    for _ in range(10):
        evidence.add_point([9.0, 9.0])
        for _ in range(150):
            evidence.add_point(CALM)
    before = evidence.recent_peaks
    for _ in range(8000):
        evidence.add_point(CALM)
    assert evidence.recent_peaks < 0.2 * before


def normal_log_p(surprise: float) -> float:
    return math.log(math.erfc(abs(surprise) / math.sqrt(2)) + 1e-300)


def learned_widening(size: float, points: int = 4000) -> Widening:
    """Return it after errors of ``size`` times what the p-values promise."""
    widening = Widening()
    for error in size * np.random.default_rng(1).standard_normal(points):
        widening.adapt(error, widening.log_p(error, normal_log_p), normal_log_p)
    return widening


def test_a_band_that_is_right_stays_as_it_is() -> None:
    assert abs(learned_widening(1.0).log_factor_at(math.log(0.05))) < 0.2


@pytest.mark.parametrize(("size", "p"), [(1.5, 0.05), (0.8, 0.05), (1.5, 0.01)])
def test_the_width_follows_the_rate_seen(size: float, p: float) -> None:
    assert learned_widening(size).log_factor_at(math.log(p)) == pytest.approx(
        math.log(size), abs=0.25
    )


@pytest.mark.parametrize("size", [0.0, 1e-3, 1e3, 1e9])
def test_the_width_stays_within_limits_whatever_comes(size: float) -> None:
    widening = learned_widening(size)
    assert -0.5 <= widening.log_factor_at(math.log(1e-4)) <= 1.2
    assert -0.4 <= widening.log_factor <= 0.7


def test_the_tail_is_widened_further_than_the_middle() -> None:
    widening = Widening()
    widening.log_factor, widening.log_tail_factor = 0.1, 0.4
    assert widening.log_factor_at(0.0) == widening.log_factor_at(math.log(0.05)) == 0.1
    assert widening.log_factor_at(math.log(0.01)) == pytest.approx(0.5)
    assert widening.log_factor_at(math.log(1e-6)) == pytest.approx(0.5)
    assert 0.1 < widening.log_factor_at(math.log(0.02)) < 0.5


def test_the_p_value_found_has_the_width_of_its_own_probability() -> None:
    widening = Widening()
    widening.log_factor, widening.log_tail_factor = 0.1, 0.4
    result = widening.log_p(6.0, normal_log_p)
    assert result == pytest.approx(normal_log_p(6.0 / math.exp(0.5)))


def tail() -> Tail:
    return Tail([0.0, 3.0], [0.0, math.log(0.01)])


@pytest.fixture
def fit() -> StreamFit:
    """A fit whose tails all end where a hundredth of the values is above 3."""
    made = StreamFit()
    made.tails = StatisticTails(Tails(tail(), tail()), tail(), tail(), tail(), tail(), tail())
    return made


def test_a_point_is_judged_on_the_requested_sides_only(fit: StreamFit) -> None:
    step = ForecastStep(value=2.0, error=2.0, burst=4.0, drift=-1.0, persistence=1.0)
    on_both_sides = point_signals(fit, step, 0, -3.0, Direction.BOTH)
    *up, persisting = point_signals(fit, step, 0, -3.0, Direction.UP)
    down = point_signals(fit, step, 0, -3.0, Direction.DOWN)
    assert [signal.kind for signal in up] == [EventKind.SPIKE, EventKind.BURST, EventKind.SPIKE]
    assert [signal.kind for signal in down] == [EventKind.LEVEL_SHIFT, EventKind.DIP]
    assert sorted(on_both_sides) == sorted([*up, persisting, *down])
    assert up[0].evidence == pytest.approx(3.0 / math.log(10.0))


def test_a_band_of_two_sides_shares_the_rate_between_them(fit: StreamFit) -> None:
    unwidened = Widening()
    assert band_limits(fit, unwidened, 0.02, Direction.BOTH) == pytest.approx((3.0, 3.0))
    assert band_limits(fit, unwidened, 0.01, Direction.UP) == pytest.approx((3.0, 3.0))
    # Values have a lower bound: all of the rate is for the other side.
    fit.tails.errors.down.is_bare = True
    assert band_limits(fit, unwidened, 0.01, Direction.BOTH) == pytest.approx((3.0, 3.0))


def test_a_widened_band_is_wider_by_its_factor(fit: StreamFit) -> None:
    widening = Widening()
    widening.log_factor = math.log(2.0)
    assert band_limits(fit, widening, 0.02, Direction.BOTH) == pytest.approx((6.0, 6.0))


def test_the_p_value_of_an_error_at_the_limit_is_the_rate(fit: StreamFit) -> None:
    assert fit.tails.errors.log_p(3.0, Direction.UP) == pytest.approx(math.log(0.01))
    assert fit.tails.errors.log_p(-3.0, Direction.DOWN) == pytest.approx(math.log(0.01))
    assert fit.tails.errors.log_p(-3.0, Direction.BOTH) == pytest.approx(math.log(0.02))
    assert fit.tails.errors.log_p(-3.0, Direction.UP) == 0.0


def test_a_run_is_the_most_improbable_joint_statistic_and_a_burst_has_both_sides() -> None:
    signals = [
        Signal(9.0, EventKind.SPIKE),
        Signal(6.0, EventKind.BURST),
        Signal(5.0, EventKind.LEVEL_SHIFT),
    ]
    assert joint_event_kind(signals, Direction.BOTH) is EventKind.BURST
    assert joint_event_kind(signals, Direction.UP) is EventKind.LEVEL_SHIFT
    assert joint_event_kind(signals[:1], Direction.BOTH) is None
    assert joint_event_kind([Signal(4.4, EventKind.BURST)], Direction.BOTH) is None


def test_a_deviation_that_persists_counts_on_its_own_side(fit: StreamFit) -> None:
    step = ForecastStep(persistence=-3.0)
    for direction, shown in ((Direction.UP, []), (Direction.DOWN, [2.0]), (Direction.BOTH, [2.0])):
        signals = point_signals(fit, step, 0, 0.0, direction)
        persisting = [signal.evidence for signal in signals if signal.is_lasting]
        assert persisting == pytest.approx(shown)
