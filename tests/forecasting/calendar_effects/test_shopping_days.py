"""Black Friday and other days that shops know: forecast where two years prove an effect."""

import numpy as np
import pytest

from app.forecasting.backtest.backtest import backtest
from app.forecasting.calendar_effects.events import NO_HOLIDAYS
from app.forecasting.calendar_effects.holiday_effects import holidays_of
from app.forecasting.calendar_effects.shopping_days import (
    SHOPPING_DAYS,
    find_shopping_events,
    shopping_effects,
)
from app.forecasting.forecast import predict
from app.forecasting.model_ids import MODEL_IDS
from tests.forecasting.calendar_effects.shops import daily_history, days_from, week_of

FIRST = "2023-01-02"
DAYS = days_from(FIRST, 1413)  # up to 2026-11-14
THANKSGIVINGS = ("2023-11-23", "2024-11-28", "2025-11-27", "2026-11-26")
FACTORS = (1.3, 2.5, 1.8, 1.7, 2.0)  # from Thanksgiving to Cyber Monday
WEEK = slice(11, 16)  # these days of 2026 in a forecast
NOTICE = "adjusted for shopping days: Thanksgiving to Cyber Monday"


def shop_with(factors_by_day: dict[int, float], days=DAYS):
    """Return the days of a shop whose sales are these times the usual ones."""
    usual = week_of(days, 0.05)
    return daily_history(usual * [factors_by_day.get(day, 1.0) for day in days.tolist()], FIRST)


def black_fridays(count: int) -> dict[int, float]:
    """Return the factors of the last ``count`` Thanksgivings before 2026 and the days after."""
    return {
        int(days_from(thanksgiving, 1)[0]) + place: factor
        for thanksgiving in THANKSGIVINGS[3 - count : 3]
        for place, factor in enumerate(FACTORS)
    }


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("Thanksgiving to Cyber Monday", "2026-11-26", "2026-11-30"),
        ("Thanksgiving to Cyber Monday", "2024-11-28", "2024-12-02"),
        ("Singles' Day", "2025-11-10", "2025-11-11"),
        ("Halloween", "2025-10-29", "2025-10-31"),
        ("Valentine's Day", "2026-02-12", "2026-02-14"),
        ("Mother's Day", "2026-05-07", "2026-05-10"),
        ("Mother's Day", "2022-05-05", "2022-05-08"),
    ],
)
def test_shopping_days_are_on_their_dates(name: str, first: str, last: str) -> None:
    (number,) = (index for index, shopping in enumerate(SHOPPING_DAYS) if shopping.name == name)
    days = days_from(f"{first[:4]}-01-01", 365)
    events, numbers = find_shopping_events(days, SHOPPING_DAYS)
    dates = days[events.index[numbers == number]].astype("datetime64[D]").astype(str)
    assert (dates[0], dates[-1]) == (first, last)
    assert len(dates) == days_from(last, 1)[0] - days_from(first, 1)[0] + 1


@pytest.mark.parametrize("model_id", MODEL_IDS)
def test_the_next_black_friday_is_forecast_by_every_model_with_a_notice(model_id: str) -> None:
    prediction = predict(shop_with(black_fridays(3)), 28, 0.95, model_id)
    usual = np.array([100, 100, 60, 60, 100])
    expected = usual * FACTORS
    assert prediction.median[WEEK] == pytest.approx(expected, rel=0.2)
    assert np.all((prediction.lower[WEEK] < expected) & (expected < prediction.upper[WEEK]))
    assert prediction.median[WEEK.stop :].max() < 115
    assert prediction.provenance.holiday_notices == (NOTICE,)


@pytest.mark.parametrize("count", [1, 2])
def test_one_year_proves_nothing_and_two_do(count: int) -> None:
    effects = shopping_effects(shop_with(black_fridays(count)), 28, None)
    assert (effects is not None) == (count == 2)


def test_a_strange_week_in_one_of_two_years_is_no_effect() -> None:
    outage = dict.fromkeys(black_fridays(1), 0.1)
    assert shopping_effects(shop_with(outage), 28, None) is None


def test_only_the_days_with_an_effect_are_changed() -> None:
    flowers = {
        int(days_from(f"{year}-02-14", 1)[0]) - before: 3.0
        for year in range(2023, 2027)
        for before in range(3)
    }
    effects = shopping_effects(shop_with(flowers), 28, None)
    assert effects is not None
    assert effects.shopping_days == ("Valentine's Day",)
    touched = DAYS[np.flatnonzero(effects.past)]
    assert sorted(flowers) == touched.tolist()


def test_a_shop_that_is_closed_on_thanksgiving_is_forecast_as_closed() -> None:
    closed = {
        day: 0.0 if factor == FACTORS[0] else factor for day, factor in black_fridays(3).items()
    }
    prediction = predict(shop_with(closed), 28, 0.95, MODEL_IDS[1])
    assert prediction.median[WEEK][0] == prediction.upper[WEEK][0] == 0
    assert prediction.median[WEEK][1] > 200


def test_a_backtest_names_them() -> None:
    result = backtest(shop_with(black_fridays(3)), 28, 0.95, MODEL_IDS[1:2], 1)
    assert result.notices[-1] == NOTICE


def test_they_are_switched_off_with_holidays() -> None:
    history = shop_with(black_fridays(3))
    prediction = predict(history, 28, 0.95, MODEL_IDS[1], NO_HOLIDAYS)
    assert prediction.median[WEEK].max() < 150
    assert prediction.provenance.holiday_notices == ()


def test_they_are_used_beside_the_holidays_of_a_country_which_has_its_own_notice() -> None:
    history = shop_with(black_fridays(3))
    prediction = predict(history, 28, 0.95, MODEL_IDS[1], holidays_of("DE", history, 28))
    assert prediction.median[WEEK][1] == pytest.approx(250, rel=0.2)
    assert prediction.provenance.holiday_notices == (
        "holidays of DE do not show in this series",
        NOTICE,
    )
