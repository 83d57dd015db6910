"""The effects of holidays on hourly series, which become more like Sundays."""

import numpy as np
import pytest

from app.forecasting.calendar_effects.hours import estimate_hour_effects

FIRST = np.datetime64("2024-01-01T00:00:00")  # a Monday


def office_steps(weeks, holidays, share=0.8, hours=1, noise=1.0, first=FIRST):
    """Return steps of an office that works from Monday to Friday.

    On holidays it goes ``share`` of the way to its Sundays.
    """
    count = weeks * 168 // hours
    times = first + np.arange(count) * np.timedelta64(hours * 3600, "s")
    days = times.astype("datetime64[D]").astype(np.int64)
    hour = (times - times.astype("datetime64[D]")).astype(np.int64) / 3600
    work = 50 * np.sin(np.pi * np.clip((hour - 6) / 14, 0, 1))
    weekday = (days + 3) % 7 < 5
    at = np.where(np.isin(days, list(holidays)) & weekday, 1 - share, weekday.astype(float))
    return times, 20 + work * at + np.random.default_rng(0).normal(0, noise, count)


def day(date):
    return int(np.datetime64(date, "D").astype(np.int64))


PAST = {day("2024-01-24"): "a", day("2024-02-13"): "b", day("2024-03-01"): "c"}
NEXT = {day("2024-04-01"): "d"}  # a Monday, the first day after 13 weeks


@pytest.mark.parametrize("hours", [1, 2, 6])
def test_holidays_take_a_share_of_the_way_to_sunday(hours) -> None:
    times, values = office_steps(14, PAST | NEXT, hours=hours)
    points = 13 * 168 // hours
    effects = estimate_hour_effects(values[:points], times, 24 // hours, PAST | NEXT)
    assert (effects.learned_count, effects.upcoming_count) == (3, 1)
    noon = effects.ahead[12 // hours]
    assert noon == pytest.approx(-0.8 * 50 * np.sin(np.pi * 6 / 14), abs=4)
    assert np.all(effects.ahead[24 // hours :] == 0)
    assert np.all(effects.deviation[24 // hours :] == 0)
    assert effects.deviation[12 // hours] > 0


def test_nothing_is_done_outside_holidays() -> None:
    times, values = office_steps(14, PAST)
    effects = estimate_hour_effects(values[: 13 * 168], times, 24, PAST)
    days = times.astype("datetime64[D]").astype(np.int64)
    assert np.all(effects.past[~np.isin(days[: 13 * 168], list(PAST))] == 0)
    assert np.all(effects.ahead == 0)


def test_without_a_past_holiday_half_of_the_way_is_taken() -> None:
    times, values = office_steps(14, NEXT)
    effects = estimate_hour_effects(values[: 13 * 168], times, 24, NEXT)
    assert effects.learned_count == 0
    assert effects.ahead[12] == pytest.approx(-0.5 * 49, abs=2)
    assert effects.deviation[12] == pytest.approx(0.5 * 49, abs=2)


def test_effects_of_more_holidays_have_more_weight() -> None:
    times, values = office_steps(14, PAST | NEXT)
    few = estimate_hour_effects(values[: 13 * 168], times, 24, dict([*PAST.items()][:1]) | NEXT)
    many = estimate_hour_effects(values[: 13 * 168], times, 24, PAST | NEXT)
    assert many.deviation[12] < few.deviation[12]


def test_a_series_whose_sundays_are_as_other_days_has_next_to_no_effect() -> None:
    times, _values = office_steps(14, NEXT)
    values = np.random.default_rng(1).normal(20, 1, len(times))
    effects = estimate_hour_effects(values[: 13 * 168], times, 24, PAST | NEXT)
    assert np.abs(effects.ahead).max() < 1.5


@pytest.mark.parametrize(
    ("weeks", "holidays"), [(3, NEXT), (13, {}), (13, {day("2030-01-01"): ""})]
)
def test_short_histories_and_times_without_holidays_have_no_effects(weeks, holidays) -> None:
    times, values = office_steps(weeks + 1, NEXT)
    assert estimate_hour_effects(values[: weeks * 168], times, 24, holidays) is None


@pytest.mark.parametrize("unit", [2.0**-990, 2.0**300])
def test_effects_do_not_depend_on_the_unit(unit) -> None:
    times, values = office_steps(14, PAST | NEXT)
    plain = estimate_hour_effects(values[: 13 * 168], times, 24, PAST | NEXT)
    scaled = estimate_hour_effects(values[: 13 * 168] * unit, times, 24, PAST | NEXT)
    np.testing.assert_array_equal(plain.ahead * unit, scaled.ahead)


def test_a_series_without_noise_is_followed() -> None:
    times, values = office_steps(14, PAST | NEXT, noise=0.0)
    effects = estimate_hour_effects(values[: 13 * 168], times, 24, PAST | NEXT)
    assert effects.ahead[12] == pytest.approx(-0.8 * 50 * np.sin(np.pi * 6 / 14), rel=0.02)


def test_hours_may_begin_at_any_minute_of_any_day() -> None:
    first = np.datetime64("2024-01-03T17:30:00")
    times, values = office_steps(14, PAST | NEXT, first=first)
    points = int((np.datetime64("2024-03-31T17:30:00") - first) / np.timedelta64(3600, "s"))
    effects = estimate_hour_effects(values[:points], times[: points + 48], 24, PAST | NEXT)
    on_monday = times[points : points + 48].astype("datetime64[D]") == np.datetime64("2024-04-01")
    assert np.all((effects.ahead != 0) == on_monday)
