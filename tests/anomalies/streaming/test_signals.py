"""The bands and p-values of a stream: their sides, rates and joint statistics."""

import math

import pytest

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.evidence import (
    Signal,
    Widening,
    band_limits,
    joint_event_kind,
    point_signals,
)
from app.anomalies.streaming.fit import StatisticTails, StreamFit
from app.anomalies.streaming.forecaster import ForecastStep
from app.anomalies.tail import Tail, Tails


def tail():
    return Tail([0.0, 3.0], [0.0, math.log(0.01)])


@pytest.fixture
def fit():
    """A fit whose tails all end where a hundredth of the values is above 3."""
    made = StreamFit()
    made.tails = StatisticTails(Tails(tail(), tail()), tail(), tail(), tail(), tail(), tail())
    return made


def test_a_point_is_judged_on_the_requested_sides_only(fit) -> None:
    step = ForecastStep(value=2.0, error=2.0, burst=4.0, drift=-1.0, persistence=1.0)
    on_both_sides = point_signals(fit, step, 0, -3.0, Direction.BOTH)
    *up, persisting = point_signals(fit, step, 0, -3.0, Direction.UP)
    down = point_signals(fit, step, 0, -3.0, Direction.DOWN)
    assert [signal.kind for signal in up] == [EventKind.SPIKE, EventKind.BURST, EventKind.SPIKE]
    assert [signal.kind for signal in down] == [EventKind.LEVEL_SHIFT, EventKind.DIP]
    assert sorted(on_both_sides) == sorted([*up, persisting, *down])
    assert up[0].evidence == pytest.approx(3.0 / math.log(10.0))


def test_a_band_of_two_sides_shares_the_rate_between_them(fit) -> None:
    unwidened = Widening()
    assert band_limits(fit, unwidened, 0.02, Direction.BOTH) == pytest.approx((3.0, 3.0))
    assert band_limits(fit, unwidened, 0.01, Direction.UP) == pytest.approx((3.0, 3.0))
    fit.tails.errors.down.is_bare = (
        True  # values have a lower bound: all of the rate is for the other side
    )
    assert band_limits(fit, unwidened, 0.01, Direction.BOTH) == pytest.approx((3.0, 3.0))


def test_a_widened_band_is_wider_by_its_factor(fit) -> None:
    widening = Widening()
    widening.log_factor = math.log(2.0)
    assert band_limits(fit, widening, 0.02, Direction.BOTH) == pytest.approx((6.0, 6.0))


def test_the_p_value_of_an_error_at_the_limit_is_the_rate(fit) -> None:
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


def test_a_deviation_that_persists_counts_on_its_own_side(fit) -> None:
    step = ForecastStep(persistence=-3.0)
    for direction, shown in ((Direction.UP, []), (Direction.DOWN, [2.0]), (Direction.BOTH, [2.0])):
        signals = point_signals(fit, step, 0, 0.0, direction)
        persisting = [signal.evidence for signal in signals if signal.is_lasting]
        assert persisting == pytest.approx(shown)
