"""The effects of holidays on daily series."""

import numpy as np
import pytest

from app.forecasting.calendar_effects.days import estimate_day_effects
from app.forecasting.calendar_effects.events import core_holidays, find_event_days
from app.timeseries.calendar.countries import public_holidays
from tests.forecasting.calendar_effects.shops import days_from, shop, week_of

START = "2021-02-01"


def fit_effects(values, first=START, horizon=28, holidays=None):
    days = days_from(first, len(values) + horizon)
    names = core_holidays(days) if holidays is None else holidays
    return estimate_day_effects(values, days, find_event_days(days, names))


def effect_on(effects, first, date):
    """Return the effect on a date of the past or to come."""
    index = days_from(date, 1)[0] - days_from(first, 1)[0]
    return np.concatenate([effects.past, effects.ahead])[index]


@pytest.mark.parametrize("years", [1, 3])
def test_a_shop_that_closes_on_holidays_shows_them(years) -> None:
    first = f"{2023 - years}-02-10"
    effects = fit_effects(shop(first, 365 * years + 300), first)
    assert effects.is_logarithmic
    assert effect_on(effects, first, "2023-12-25") == pytest.approx(np.log(0.3), abs=0.45)
    assert effects.upcoming_count == 3
    assert effects.learned_count == 6 * years + 3


def test_more_years_make_the_effects_surer() -> None:
    doubts = []
    for years in (1, 2, 5):
        first = f"{2022 - years}-02-10"
        doubts.append(fit_effects(shop(first, 365 * years + 300), first).deviation.max())
    assert doubts == sorted(doubts, reverse=True)


def test_a_series_that_was_zero_on_holidays_has_effects_in_its_unit() -> None:
    effects = fit_effects(shop("2021-02-10", 660, left=0.0), "2021-02-10")
    assert not effects.is_logarithmic
    assert -110 < effect_on(effects, "2021-02-10", "2022-12-26") < -60  # a Monday


def test_a_shop_without_noise_shows_its_holidays() -> None:
    values = shop("2020-02-10", 1040, left=0.0, noise=0.0)
    effects = fit_effects(values, "2020-02-10")
    assert effect_on(effects, "2020-02-10", "2022-12-26") == pytest.approx(-100, abs=20)


def test_the_first_christmas_counts_only_when_ordinary_days_followed() -> None:
    """What began at Christmas may as well be a slump that lasts."""
    values = shop("2021-10-01", 93, left=0.2)  # up to New Year's Day
    assert fit_effects(values, "2021-10-01") is None


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(1).normal(100, 10, 1500),
        np.random.default_rng(2).normal(0, 1, 1500).cumsum() + 500,
        np.random.default_rng(3).normal(0, 1, 1500).cumsum(),
        np.random.default_rng(4).poisson(0.2, 1500).astype(float),
        week_of(days_from(START, 1500), 0.05),
        np.arange(1500.0),
        3 * np.arange(730.0) - 1000,
        1.001 ** np.arange(1500),
        np.where(np.arange(1500) == 750, 5.0, 1.0),
        np.random.default_rng(5).normal(100, 10, 55),
    ],
    ids=[
        "noise",
        "walk",
        "negative",
        "counts",
        "week",
        "line",
        "falling",
        "growth",
        "spike",
        "short",
    ],
)
def test_a_series_without_holidays_shows_no_effect(values) -> None:
    assert fit_effects(values) is None


@pytest.mark.parametrize("country", ["DE-BY", None])
@pytest.mark.parametrize(
    ("values", "count"),
    [
        (lambda rng, count: (rng.random(count) < 0.2) * rng.exponential(10, count), 1500),
        (lambda rng, count: (rng.random(count) < 0.1) * (1 + rng.poisson(4, count)), 1200),
        (
            lambda rng, count: (
                100.0 + 80 * (np.arange(count) % 30 == 0) + 5 * rng.standard_normal(count)
            ),
            800,
        ),
        (lambda rng, count: 100 + 5 * rng.standard_t(2, count), 1500),
    ],
    ids=["sparse sales", "rarer sales", "a payday each 30 days", "heavy-tailed noise"],
)
def test_outliers_on_some_holidays_are_no_effect(values, count, country) -> None:
    first = str(np.datetime64("2024-12-20") - count)
    for seed in range(count, count + 56, 7):
        rng = np.random.default_rng(seed)
        series = np.maximum(values(rng, count), 0.0)
        names = country and public_holidays(country, 2020, 2025)
        assert fit_effects(series, first, holidays=names) is None


def test_sparse_sales_with_more_sold_on_holidays_show_them() -> None:
    rng = np.random.default_rng(3)
    days = days_from(START, 1500)
    sold = (rng.random(1500) < 0.2) * rng.exponential(10, 1500)
    effects = fit_effects(np.where(np.isin(days, list(core_holidays(days))), 60.0, sold))
    assert effect_on(effects, START, "2024-12-25") == pytest.approx(60, abs=15)


@pytest.mark.parametrize("seed", range(3))
def test_a_shop_that_is_closed_on_most_days_shows_its_holidays(seed) -> None:
    weekdays = (days_from(START, 1040) + 3) % 7
    is_open = (weekdays >= 2) & (weekdays <= 4)  # Wednesday to Friday
    effects = fit_effects(np.where(is_open, shop(START, 1040, left=0.4, seed=seed), 0.0))
    assert effect_on(effects, START, "2023-04-07") == pytest.approx(-60, abs=10)  # Good Friday


@pytest.mark.parametrize("seed", range(3))
def test_a_shop_with_some_other_unusual_days_shows_its_holidays(seed) -> None:
    is_unusual = np.random.default_rng(seed).random(1400) < 0.04
    effects = fit_effects(shop(START, 1400, seed=seed) * np.where(is_unusual, 2.0, 1.0))
    assert effect_on(effects, START, "2024-12-25") == pytest.approx(np.log(0.3), abs=0.45)


def test_holidays_of_another_season_do_not_show() -> None:
    days = days_from(START, 1528)
    shifted = {day + 150: name for day, name in core_holidays(days).items()}
    assert fit_effects(shop(START, 1500), holidays=shifted) is None


@pytest.mark.parametrize("unit", [1e-300, 1e90])
def test_effects_do_not_depend_on_the_unit(unit) -> None:
    power = 2.0 ** round(np.log2(unit))
    for left in (0.3, 0.0):
        values = shop(START, 900, left=left)
        plain, scaled = fit_effects(values), fit_effects(values * power)
        size = 1.0 if plain.is_logarithmic else power
        np.testing.assert_array_equal(plain.past * size, scaled.past)
        np.testing.assert_array_equal(plain.ahead * size, scaled.ahead)


@pytest.mark.parametrize("points", [731, 732, 733, 738, 739])
def test_a_holiday_may_be_the_first_or_the_last_value(points) -> None:
    first = "2020-12-25"
    effects = fit_effects(shop(first, points), first)  # up to 2022-12-25 to 2023-01-02
    assert effect_on(effects, first, "2020-12-25") < -0.8
    assert effect_on(effects, first, "2022-12-25") < -0.8


@pytest.mark.parametrize("horizon", [1, 7, 99])
def test_the_effect_of_a_day_does_not_depend_on_the_horizon(horizon) -> None:
    values = shop(START, 1040)  # up to 2023-12-07
    far, near = fit_effects(values, horizon=100), fit_effects(values, horizon=horizon)
    np.testing.assert_allclose(near.past, far.past, rtol=0, atol=1e-12)
    np.testing.assert_allclose(near.ahead, far.ahead[:horizon], rtol=0, atol=1e-12)
    np.testing.assert_allclose(near.deviation, far.deviation[:horizon], rtol=0, atol=1e-12)


@pytest.mark.parametrize("first", ["0001-03-01", "1905-01-01", "9996-02-01"])
def test_any_year_can_be_explained(first) -> None:
    effects = fit_effects(shop(first, 1040), first)
    assert effects.learned_count > 10


def test_a_hundred_years_take_a_moment() -> None:
    effects = fit_effects(shop("1950-01-01", 36_500), "1950-01-01", horizon=100)
    assert effects.learned_count > 590
