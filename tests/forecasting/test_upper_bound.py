"""Forecasts of series with a bound that the history proves."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.model_ids import MODEL_IDS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

RANDOM = np.random.default_rng(1)
SATURATED = np.minimum(100.0, RANDOM.normal(97, 3, 200))


@pytest.mark.parametrize("model_id", MODEL_IDS)
def test_nothing_is_forecast_above_what_was_often_reached_and_never_passed(model_id: str) -> None:
    prediction = predict(History(SATURATED, (7, 365), Frequency.DAILY), 30, 0.95, model_id)
    assert prediction.upper.max() <= 100
    assert (prediction.lower <= prediction.median).all()
    assert (prediction.median <= prediction.upper).all()
    assert prediction.provenance.upper_bound == 100


def test_a_bound_that_the_forecast_does_not_come_near_is_not_reported() -> None:
    values = np.r_[SATURATED, RANDOM.normal(10, 0.5, 200)]
    prediction = predict(History(values, (), Frequency.DAILY), 3, 0.8, "forecast-model-2")
    assert prediction.provenance.upper_bound is None


def test_a_typing_error_beyond_the_bound_does_not_hide_it() -> None:
    values = SATURATED.copy()
    values[50] = 1_000.0
    prediction = predict(History(values, (7,), Frequency.DAILY), 14, 0.95, "forecast-model-2")
    assert prediction.upper.max() <= 100
