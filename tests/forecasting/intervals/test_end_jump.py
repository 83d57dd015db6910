"""A jump at the end of a history: its interval contains the old and the new level."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.intervals.end_jump import find_end_jump, widen_to_both_levels
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def jump(values):
    return find_end_jump(np.array(values))


@pytest.fixture
def clipped_series():
    return list(np.random.default_rng(4).normal(10.0, 1.0, 60))


def test_a_jump_has_the_old_and_the_new_level() -> None:
    assert jump([0.0] * 20 + [100.0]) == (0.0, 100.0)
    assert jump([0.0] * 20 + [100.0] * 3) == (0.0, 100.0)
    assert jump([0.0] * 20 + [100.0] * 6) == (0.0, 100.0)


def test_the_first_change_of_a_short_history_is_a_jump(clipped_series) -> None:
    assert jump([5.0] * 9 + [6.0]) == (5.0, 6.0)
    assert jump([5.0] * 8 + [6.0] * 2) == (5.0, 6.0)
    assert jump(clipped_series[:10]) is None


def test_the_interval_holds_both_levels_the_less_the_lower_the_confidence() -> None:
    median = np.array([20.0, 140.0])
    bounds = (median - 3.0, median + 5.0)
    lower, upper = widen_to_both_levels(bounds, median, (0.0, 100.0), 0.95)
    assert (lower.tolist(), upper.tolist()) == ([-3.0, -3.0], [105.0, 145.0])
    narrower = widen_to_both_levels(bounds, median, (0.0, 100.0), 0.5)
    assert ((lower < narrower[0]) & (narrower[0] < median)).all()
    assert widen_to_both_levels(bounds, median, None, 0.95) == bounds


@pytest.mark.parametrize(
    "end",
    [
        pytest.param([], id="none"),
        pytest.param([100.0, 10.0, 10.0], id="a spike that has come back"),
        pytest.param([100.0] * 10, id="a level that has lasted"),
    ],
)
def test_a_jump_that_has_ended_or_is_usual_is_not_reported(clipped_series, end) -> None:
    assert jump(clipped_series + end) is None


def test_steady_growth_is_not_a_jump() -> None:
    assert jump(1.2 ** np.arange(30.0)) is None
    assert jump(np.arange(30.0)) is None


@pytest.mark.parametrize("model", ["1", "2", "3", "4"])
@pytest.mark.parametrize("frequency", [Frequency.DAILY, Frequency.HOURS])
def test_the_interval_after_a_first_event_contains_both_outcomes(model, frequency):
    history = History(np.array([0.0] * 39 + [100.0]), (7,), frequency)
    prediction = predict(history, 7, 0.95, f"forecast-model-{model}")
    assert (prediction.lower <= 1e-9).all()
    assert (prediction.upper >= 99.9).all()


@pytest.mark.parametrize("model", ["1", "2", "3", "4"])
@pytest.mark.parametrize("frequency", [Frequency.DAILY, Frequency.HOURS])
@pytest.mark.parametrize(("steps", "upper"), [(3, 100.0), (4, 80.0), (6, 60.0)])
def test_the_interval_after_a_new_level_contains_the_old_one(
    model, frequency, steps, upper
) -> None:
    values = np.random.default_rng(3).normal(100.0, 2.0, 200)
    values[-steps:] -= 80.0
    prediction = predict(History(values, (7,), frequency), 3, 0.95, f"forecast-model-{model}")
    assert (prediction.lower < 20.0).all()
    assert (prediction.upper > upper).all()


@pytest.mark.parametrize("model", ["1", "2", "3", "4"])
@pytest.mark.parametrize("frequency", [Frequency.DAILY, Frequency.HOURS, Frequency.WEEKLY])
def test_the_first_change_after_nine_equal_points_is_within_the_interval(model, frequency) -> None:
    values = np.array([5.0] * 9 + [6.0])
    prediction = predict(History(values, (7,), frequency), 4, 0.95, f"forecast-model-{model}")
    assert (prediction.lower <= 5.01).all()
    assert (prediction.upper >= 5.99).all()
