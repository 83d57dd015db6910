"""Bounds that a history proves."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.model_ids import MODEL_IDS
from app.forecasting.upper_bound import find_upper_bound
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import FloatArray, History

RANDOM = np.random.default_rng(1)
SATURATED = np.minimum(100.0, RANDOM.normal(97, 3, 200))
UNBOUNDED: dict[str, FloatArray] = {
    "noise": RANDOM.normal(100, 5, 200),
    "small counts": RANDOM.poisson(2, 200).astype(float),
    "large counts": RANDOM.poisson(40, 200).astype(float),
    "rounded numbers": np.round(RANDOM.normal(20, 3, 200)),
    "rare sales": RANDOM.negative_binomial(1, 0.4, 200).astype(float),
    "rounded growth": np.round(np.arange(200) / 10 + RANDOM.normal(0, 0.3, 200)),
    "a new level reached thrice at the end": np.r_[RANDOM.normal(5, 1, 190), [9, 8] * 5],
    "the maximum reached twice": np.r_[9.0, RANDOM.normal(5, 1, 100), 9.0],
    "a constant": np.ones(50),
}


@pytest.mark.parametrize("kind", UNBOUNDED)
def test_a_series_that_has_no_bound_gets_none(kind: str) -> None:
    assert find_upper_bound(UNBOUNDED[kind]) is None


@pytest.mark.parametrize("model_id", MODEL_IDS)
def test_nothing_is_forecast_above_what_was_often_reached_and_never_passed(model_id: str) -> None:
    prediction = predict(History(SATURATED, (7, 365), Frequency.DAILY), 30, 0.95, model_id)
    assert prediction.upper.max() <= 100
    assert (prediction.lower <= prediction.median).all()
    assert (prediction.median <= prediction.upper).all()
    assert [notice for notice in prediction.notices if "above 100:" in notice]


def test_a_bound_that_the_forecast_does_not_come_near_is_not_reported() -> None:
    values = np.r_[SATURATED, RANDOM.normal(10, 0.5, 200)]
    prediction = predict(History(values, (), Frequency.DAILY), 3, 0.8, "forecast-model-2")
    assert find_upper_bound(values) == 100
    assert not any("above" in notice for notice in prediction.notices)


def test_a_typing_error_beyond_the_bound_does_not_hide_it() -> None:
    values = SATURATED.copy()
    values[50] = 1_000.0
    prediction = predict(History(values, (7,), Frequency.DAILY), 14, 0.95, "forecast-model-2")
    assert prediction.upper.max() <= 100


def test_the_same_bound_in_another_unit_is_found() -> None:
    assert find_upper_bound(SATURATED / 100) == 1.0
    assert find_upper_bound(SATURATED * 1e-9) == pytest.approx(1e-7)
