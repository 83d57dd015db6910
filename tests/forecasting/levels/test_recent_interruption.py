"""A few strange points near the end are set aside; what may be a new level is not."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from app.forecasting.forecast import fit, predict
from app.forecasting.levels.recent_interruption import Interruption, UnclearEnd, find_interruption
from app.forecasting.model_ids import LIGHT_MODEL
from app.forecasting.models.recipes import MODELS
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

POINTS, HORIZON = 200, 14
PERIODS = (7, 365)
LEVEL = 100 + 20 * np.sin(2 * np.pi * np.arange(POINTS + HORIZON) / 7)
FUTURE = LEVEL[POINTS:]


def history_ending_with(*last: float | None) -> History:
    """Return days of a week with 2 % of noise; None leaves a point as it is."""
    values = LEVEL[:POINTS] + 2 * np.random.default_rng(0).normal(size=POINTS)
    for index, value in enumerate(last, POINTS - len(last)):
        values[index] = values[index] if value is None else value
    return History(values, PERIODS, Frequency.DAILY)


def find(history: History) -> Interruption | None:
    return find_interruption(history, partial(fit, model_id=LIGHT_MODEL))


def is_like_the_level(median: FloatArray) -> bool:
    return bool(np.abs(median - FUTURE).max() < 12)


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize(
    "last",
    [
        (1_000, None),
        (1_000, None, None),
        (0, 0, None),
        (0, 0, 0, None, None, None),
        (300, *[None] * 9),
        (1_000,),
        (1_000, 1_100),
    ],
)
def test_an_error_or_a_short_outage_does_not_move_a_forecast(
    last: tuple[float | None, ...], model_id: str
) -> None:
    result = predict(history_ending_with(*last), HORIZON, 0.95, model_id)
    assert is_like_the_level(result.median)
    count = sum(value is not None for value in last)
    assert f"unusual values were set aside: {count}" in result.provenance.notices


def test_the_interval_reaches_to_a_wild_last_value_but_not_to_one_that_is_over() -> None:
    wild = predict(history_ending_with(1_000), HORIZON, 0.95, "forecast-model-1")
    assert wild.upper.max() >= 1_000  # on its day of the week
    assert wild.upper.min() >= 700
    assert (wild.lower > 50).all()
    over = predict(history_ending_with(1_000, None), HORIZON, 0.95, "forecast-model-1")
    assert (over.upper < 160).all()


@pytest.mark.parametrize(
    "last",
    [
        (0, 0, 0, None, None),
        (300, None, 300),
        (None,),
    ],
)
def test_what_may_be_a_new_level_is_not_set_aside(last: tuple[float | None, ...]) -> None:
    assert find(history_ending_with(*last)) is None


def judge_end(
    factor: float, points: int, model_id: str, frequency: Frequency = Frequency.DAILY
) -> tuple[ForecastDistribution, FloatArray]:
    """Return the fit of a history whose last points have a factor, and the future at that level."""
    history = history_ending_with(*[None] * points)
    values = history.values.copy()
    values[POINTS - points :] *= factor
    history = replace(history, values=values, frequency=frequency)
    return fit(history, HORIZON, model_id), factor * FUTURE


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize(("factor", "points"), [(0.0, 1), (0.0, 4), (0.0, 9), (0.5, 2), (1.8, 2)])
def test_an_interval_contains_the_usual_level_and_that_of_last_points(
    factor: float, points: int, model_id: str
) -> None:
    result, future = judge_end(factor, points, model_id)
    for confidence in (0.8, 0.95):
        lower, upper = result.interval(confidence)
        for level in (FUTURE, future):
            assert (lower <= level).all()
            assert (upper >= level).all()
    way_back = np.median((result.median - future) / (FUTURE - future))
    assert way_back == pytest.approx(1 / points, abs=0.05)
    words = "the last values are unlike any before" if points > 1 else "unusual values were set"
    assert result.provenance.notices[0].startswith(words)


def test_after_a_constant_an_interval_contains_the_days_of_a_new_level() -> None:
    days = history_ending_with(*[None] * 7).values
    history = History(np.append(np.full(POINTS, 0.001), days[-7:]), PERIODS, Frequency.DAILY)
    for confidence in (0.8, 0.95):
        lower, upper = fit(history, 7, "forecast-model-1").interval(confidence)
        assert (lower <= 0.001 + 1e-9).all()
        assert (upper >= days[-7:].max()).all()


def test_after_weeks_of_zeros_the_forecast_is_zero() -> None:
    result, _ = judge_end(0.0, 21, "forecast-model-1")
    assert (result.median == 0).all()
    lower, upper = result.interval(0.95)
    assert (lower == 0).all()
    assert (upper < FUTURE).all()  # they reach a part of the way back


def test_several_last_weeks_may_be_growth() -> None:
    history = history_ending_with(180, 180)
    assert isinstance(find(history), UnclearEnd)
    assert find(replace(history, frequency=Frequency.WEEKLY)) is None


def test_a_price_that_moves_in_steps_is_not_set_aside() -> None:
    values = np.array([5.0] * 60 + [6.0] * 60 + [7.5])
    assert find(History(values, PERIODS, Frequency.DAILY)) is None


def test_a_single_order_among_zeros_that_recur_is_not_set_aside() -> None:
    for orders in (np.tile([0.0] * 9 + [4.0], 12), np.zeros(120)):
        history = History(np.append(orders, [0, 0, 9, 0]), PERIODS, Frequency.DAILY)
        assert find(history) is None


def test_a_constant_with_one_error_stays_constant() -> None:
    result = predict(
        History(np.array([5.0] * 100 + [500, 5]), PERIODS, Frequency.DAILY), 3, 0.95, LIGHT_MODEL
    )
    assert result.median.tolist() == [5, 5, 5]


def test_a_lower_price_for_a_day_is_no_error() -> None:
    assert find(History(np.array([100.0] * 60 + [90, 100, 100]), PERIODS, Frequency.DAILY)) is None


def test_years_and_short_histories_are_left_as_they_are() -> None:
    values = history_ending_with(1_000, None).values
    assert find(History(values, (), Frequency.YEARLY)) is None
    assert find(History(values[-29:], PERIODS, Frequency.DAILY)) is None


def test_the_factor_of_an_almost_idle_step_does_not_set_the_bounds_of_the_others() -> None:
    end = UnclearEnd(100, np.array([0.01, 100, 100]), np.array([5.0, 150, 150]), weight=0.7)
    median = np.full(4, 100.0)
    usual = ForecastDistribution(median, lambda _confidence: (median - 10, median + 10))
    assert end.add_to(usual, 0.0).interval(0.95)[1].max() <= 200
