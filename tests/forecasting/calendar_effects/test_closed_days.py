"""A shop that is closed on a holiday each time is forecast to be closed on the next."""

from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import pytest

from app.forecasting.calendar_effects.holiday_effects import holidays_of
from app.forecasting.forecast import predict
from app.forecasting.model_ids import DEFAULT_MODEL, MODEL_IDS
from app.forecasting.types import Prediction
from tests.forecasting.calendar_effects.shops import daily_history

FIRST = date(2021, 1, 4)
DAYS = [FIRST + timedelta(days=n) for n in range(1450)]  # up to 2024-12-23
CLOSED = {(1, 1), (1, 26), (4, 25), (12, 25), (12, 26)}
CHRISTMAS, BOXING_DAY, NEW_YEAR = 1, 2, 8


def forecast(is_closed: Callable[[date], bool], model_id: str = DEFAULT_MODEL) -> Prediction:
    noise = np.random.default_rng(1).normal(0, 5, len(DAYS))
    usual = [100 + 20 * day.weekday() + n // 50 for n, day in enumerate(DAYS)]
    closed = np.array([is_closed(day) for day in DAYS])
    history = daily_history(np.where(closed, 0.0, usual + noise), str(FIRST))
    return predict(history, 14, 0.95, model_id, holidays_of("AU-VIC", history, 14))


@pytest.mark.parametrize("model_id", MODEL_IDS)
def test_days_that_are_always_closed_are_forecast_as_0_whatever_their_weekday(
    model_id: str,
) -> None:
    prediction = forecast(lambda day: (day.month, day.day) in CLOSED, model_id)
    closed = [CHRISTMAS, BOXING_DAY, NEW_YEAR]
    for shown in (prediction.median, prediction.lower, prediction.upper):
        assert np.flatnonzero(shown == 0).tolist() == closed
    assert prediction.provenance.holiday_notices == (
        "holidays of AU-VIC: 3 ahead, learned from 55",
    )


def test_a_day_that_was_open_once_is_not_forecast_as_a_certain_0() -> None:
    prediction = forecast(lambda day: (day.month, day.day) == (12, 25) and day.year != 2022)
    assert prediction.upper[CHRISTMAS] > prediction.lower[CHRISTMAS]


def test_zeros_that_are_usual_prove_no_closed_day() -> None:
    rng = np.random.default_rng(2)
    prediction = forecast(lambda day: day.month == 12 or rng.random() < 0.3)
    assert prediction.upper[NEW_YEAR] > 0


def test_an_office_that_is_closed_at_weekends_is_closed_on_a_christmas_within_the_week() -> None:
    history = daily_history(np.full(len(DAYS), 100.0), str(FIRST))
    holidays, epoch = holidays_of("AU-VIC", history, 14).names_by_day, date(1970, 1, 1)
    prediction = forecast(lambda day: day.weekday() > 4 or (day - epoch).days in holidays)
    days = [CHRISTMAS, BOXING_DAY, NEW_YEAR]
    assert prediction.median[days].max() < 20
    assert prediction.lower[days].max() == 0
