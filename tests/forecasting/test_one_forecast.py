"""One forecast of a step for any horizon, and one interval of a fit for each confidence."""

from itertools import cycle

import numpy as np
import pytest

from app.forecasting.calendar_effects.holiday_effects import holidays_of
from app.forecasting.forecast import fit, predict
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.countries import public_holidays
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.history import History
from tests.forecasting.histories import histories

# One of them for each series, and 6 with every kernel in test_cpu_independence.py.
HORIZONS = (1, 28)
MAX_HORIZON = 100
CONFIDENCES = (0.1, 0.5, 0.77, 0.8, 0.9, 0.95, 0.99)
SINGLE_CONFIDENCES = (0.5, 0.77)  # one that was learned and one between two; one for each series
BOUNDS = ("lower", "median", "upper")
EVERY_MODEL = pytest.mark.parametrize("model_id", MODELS)
PARTS = pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.soak)])


def half_of_histories(frequency, model_id, part):
    """A series of each length, of other shapes for the model before it; the others by part 1."""
    return list(histories(frequency))[(part + list(MODELS).index(model_id)) % 2 :: 2]


@EVERY_MODEL
@pytest.mark.parametrize("frequency", Frequency)
@PARTS
def test_a_step_is_forecast_alike_by_every_horizon(model_id, frequency, part) -> None:
    for history, horizon in zip(half_of_histories(frequency, model_id, part), cycle(HORIZONS)):
        far = predict(history, MAX_HORIZON, 0.9, model_id)
        near = predict(history, horizon, 0.9, model_id)
        for name in BOUNDS:
            np.testing.assert_allclose(
                getattr(near, name), getattr(far, name)[:horizon], rtol=1e-9, atol=1e-300
            )


@EVERY_MODEL
@pytest.mark.parametrize("country", ["AU-VIC", None])
def test_a_holiday_is_forecast_alike_by_every_horizon(model_id, country) -> None:
    grid = Grid(np.datetime64("2022-12-01", "s"), UNITS[Frequency.DAILY].seconds)
    days = grid.times(700).astype("datetime64[D]").astype(int)
    closed = np.isin(days, list(public_holidays("AU-VIC", 2022, 2025)))
    noise = np.random.default_rng(39).normal(size=700)
    history = History(np.where(closed, 20.0, 100.0) + noise, (7, 365), Frequency.DAILY, grid)

    def forecast_days(horizon):
        holidays = holidays_of(country, history, horizon) if country else None
        return predict(history, horizon, 0.9, model_id, holidays)

    far = forecast_days(MAX_HORIZON)
    assert far.median.min() < 50
    for horizon in HORIZONS:
        near = forecast_days(horizon)
        for name in BOUNDS:
            np.testing.assert_allclose(getattr(near, name), getattr(far, name)[:horizon], rtol=1e-9)


@EVERY_MODEL
@pytest.mark.parametrize("frequency", Frequency)
@PARTS
def test_intervals_of_one_fit_are_nested_and_equal_those_of_separate_fits(
    model_id, frequency, part
) -> None:
    for history, checked in zip(
        half_of_histories(frequency, model_id, part), cycle(SINGLE_CONFIDENCES)
    ):
        fitted, narrower = fit(history, 12, model_id), None
        for confidence in CONFIDENCES:
            lower, upper = fitted.interval(confidence)
            if confidence == checked:
                single = predict(history, 12, confidence, model_id)
                np.testing.assert_array_equal(fitted.median, single.median)
                np.testing.assert_array_equal(lower, single.lower)
                np.testing.assert_array_equal(upper, single.upper)
            if narrower is not None:
                assert (lower <= narrower[0]).all()
                assert (upper >= narrower[1]).all()
            narrower = lower, upper
