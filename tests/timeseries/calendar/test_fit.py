"""The calendar of regular series: its step, its seasonal periods, its future."""

from datetime import timedelta

import numpy as np
import pytest

from app.timeseries.calendar.fit import BeyondCalendarError, Calendar, fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import format_timestamps
from tests.timeseries.calendar.calendars import business_days, month_ticks, ticks, times

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)
JANUARY = "2024-01-01"
SECONDS, MINUTES, HOURLY, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY = Frequency


def fit(texts: list[str], frequency: Frequency) -> Calendar:
    return fit_calendar(times(texts), frequency)


def next_times(texts: list[str], frequency: Frequency, horizon: int = 3) -> list[str]:
    return format_timestamps(fit(texts, frequency).future(horizon), "")


@pytest.mark.parametrize(
    ("texts", "frequency", "step", "periods"),
    [
        (ticks(SECOND, 30), SECONDS, 1, (60, 3_600)),
        (ticks(10 * SECOND, 30), SECONDS, 10, (6, 360)),
        (ticks(120 * SECOND, 30), SECONDS, 120, (720, 5_040)),
        (ticks(MINUTE, 30), MINUTES, 1, (1_440, 10_080)),
        (ticks(15 * MINUTE, 30), MINUTES, 15, (96, 672)),
        (ticks(90 * MINUTE, 30), MINUTES, 90, (16, 112)),
        (ticks(120 * MINUTE, 30), MINUTES, 120, (12, 84)),
        (ticks(HOUR, 30), HOURLY, 1, (24, 168)),
        (ticks(2 * HOUR, 30), HOURLY, 2, (12, 84)),
        (ticks(48 * HOUR, 30), HOURLY, 48, ()),
        (ticks(DAY, 30), DAILY, 1, (7, 365)),
        (ticks(2 * DAY, 30), DAILY, 2, ()),
        (ticks(14 * DAY, 30), DAILY, 14, (26,)),
        (business_days(30), DAILY, 1, (5, 260)),
        (business_days(30)[::2], DAILY, 2, (130,)),
        (ticks(WEEK, 30), WEEKLY, 1, (52,)),
        (ticks(2 * WEEK, 30), WEEKLY, 2, (26,)),
        (month_ticks(1, 30, JANUARY), MONTHLY, 1, (12,)),
        (month_ticks(2, 30, JANUARY), MONTHLY, 2, (6,)),
        (month_ticks(5, 30, JANUARY), MONTHLY, 5, ()),
        (month_ticks(3, 30, JANUARY), QUARTERLY, 1, (4,)),
        (month_ticks(6, 30, JANUARY), QUARTERLY, 2, (2,)),
        (month_ticks(12, 30, JANUARY), YEARLY, 1, ()),
        (month_ticks(60, 30, JANUARY), YEARLY, 5, ()),
    ],
)
def test_timestamps_have_this_step_and_these_seasonal_periods(
    texts: list[str], frequency: Frequency, step: int, periods: tuple[int, ...]
) -> None:
    calendar = fit(texts, frequency)
    assert (calendar.frequency, calendar.step, calendar.periods) == (frequency, step, periods)


@pytest.mark.parametrize(
    ("step", "count", "start", "frequency"),
    [
        (5 * MINUTE, 12, "2023-12-31T23:00", MINUTES),
        (HOUR, 23, "2024-02-28T00:30:15", HOURLY),
        (DAY, 12, "2024-02-16T06:00", DAILY),
        (DAY, 12, "2023-02-16T06:00", DAILY),
        (WEEK, 10, "2023-12-24", WEEKLY),
    ],
)
def test_units_of_constant_length_continue_through_months_years_and_29_february(
    step: timedelta, count: int, start: str, frequency: Frequency
) -> None:
    *history, first, second, third = ticks(step, count + 3, start)
    assert next_times(history, frequency) == [first, second, third]


@pytest.mark.parametrize(
    ("count", "start", "expected"),
    [
        (15, "2024-01-01T09:30:00", ["2024-01-22", "2024-01-23", "2024-01-24"]),
        (12, "2024-01-01T09:30:00", ["2024-01-17", "2024-01-18", "2024-01-19"]),
        (11, "2024-01-04T09:30:00", ["2024-01-19", "2024-01-22", "2024-01-23"]),
    ],
)
def test_daily_data_without_weekends_continues_from_monday_to_friday(
    count: int, start: str, expected: list[str]
) -> None:
    days = [f"{day}T09:30:00" for day in expected]
    assert next_times(business_days(count, start), DAILY) == days


def test_one_weekend_makes_daily_data_continue_through_weekends() -> None:
    assert next_times(ticks(DAY, 12), DAILY, 1) == ["2024-01-13T00:00:00"]


@pytest.mark.parametrize("step", [2 * WEEK, 4 * WEEK])
def test_steps_of_whole_weeks_on_weekdays_are_not_business_days(step: timedelta) -> None:
    texts = ticks(step, 12)
    assert next_times(texts, DAILY, 1) == ticks(step, 13)[-1:]
    assert fit(texts, DAILY).step == step.days


@pytest.mark.parametrize(
    ("months", "start", "day", "frequency", "expected"),
    [
        (1, "2023-01-01", 1, MONTHLY, ["2023-11-01", "2023-12-01", "2024-01-01"]),
        (1, "2023-04-30", 31, MONTHLY, ["2024-02-29", "2024-03-31", "2024-04-30"]),
        (1, "2022-04-30", 31, MONTHLY, ["2023-02-28", "2023-03-31", "2023-04-30"]),
        (1, "2023-04-30", 30, MONTHLY, ["2024-02-29", "2024-03-30", "2024-04-30"]),
        (1, "2023-04-29", 29, MONTHLY, ["2024-02-29", "2024-03-29", "2024-04-29"]),
        (1, "2022-04-29", 29, MONTHLY, ["2023-02-28", "2023-03-29", "2023-04-29"]),
        (1, "2023-04-28", 28, MONTHLY, ["2024-02-28", "2024-03-28", "2024-04-28"]),
        (2, "2023-02-28", 31, MONTHLY, ["2024-10-31", "2024-12-31", "2025-02-28"]),
        (3, "2021-03-31", 31, QUARTERLY, ["2023-09-30", "2023-12-31", "2024-03-31"]),
        (3, "2021-02-15", 15, QUARTERLY, ["2023-08-15", "2023-11-15", "2024-02-15"]),
        (3, "2021-11-30", 30, QUARTERLY, ["2024-05-30", "2024-08-30", "2024-11-30"]),
        (6, "1897-08-30", 30, QUARTERLY, ["1902-08-30", "1903-02-28", "1903-08-30"]),
        (12, "2014-12-31", 31, YEARLY, ["2024-12-31", "2025-12-31", "2026-12-31"]),
        (12, "2012-02-29", 29, YEARLY, ["2022-02-28", "2023-02-28", "2024-02-29"]),
        (12, "2013-02-28", 29, YEARLY, ["2023-02-28", "2024-02-29", "2025-02-28"]),
        (12, "2013-02-28", 28, YEARLY, ["2023-02-28", "2024-02-28", "2025-02-28"]),
        (48, "1984-02-29", 29, YEARLY, ["2024-02-29", "2028-02-29", "2032-02-29"]),
        (12, "1892-02-29", 29, YEARLY, ["1902-02-28", "1903-02-28", "1904-02-29"]),
    ],
)
def test_calendar_units_keep_their_day_of_the_month_and_time_of_day(
    months: int, start: str, day: int, frequency: Frequency, expected: list[str]
) -> None:
    texts = month_ticks(months, 10, f"{start}T18:15:00", day)
    assert next_times(texts, frequency) == [f"{date}T18:15:00" for date in expected]


@pytest.mark.parametrize(
    ("texts", "frequency", "possible"),
    [
        (ticks(HOUR, 10, "9999-12-31T00:00:00"), HOURLY, 14),
        (ticks(DAY, 10, "9999-12-20T00:00:00"), DAILY, 2),
        (business_days(10, "9999-12-06T00:00:00"), DAILY, 10),
        (month_ticks(1, 10, "9999-01-31T00:00:00", 31), MONTHLY, 2),
        (month_ticks(12, 10, "9990-02-28T00:00:00", 29), YEARLY, 0),
        (month_ticks(12_000, 8, "0500-01-01T00:00:00"), YEARLY, 2),
    ],
)
def test_a_forecast_ends_with_the_year_9999(
    texts: list[str], frequency: Frequency, possible: int
) -> None:
    calendar = fit(texts, frequency)
    assert len(calendar.future(possible)) == possible
    with pytest.raises(BeyondCalendarError, match="pass the year 9999") as caught:
        calendar.future(possible + 1)
    assert caught.value.possible == possible
    remedy = f"send a steps of at most {possible}" if possible else "send earlier timestamps"
    assert caught.value.issue("steps").endswith(remedy)


def test_the_first_and_the_last_years_are_ordinary_years() -> None:
    assert next_times(month_ticks(12, 10, "0001-01-01T00:00:00"), YEARLY, 1) == [
        "0011-01-01T00:00:00"
    ]
    assert next_times(ticks(SECOND, 10, "9999-12-31T23:59:49"), SECONDS, 1) == [
        "9999-12-31T23:59:59"
    ]


def test_50_000_entries_are_as_regular_as_ten() -> None:
    history = np.datetime64("2024-01-01", "s") + 300 * np.arange(50_000)
    assert fit_calendar(history, MINUTES).future(1) == history[-1] + 300


@pytest.mark.parametrize("texts", [[], ["2024-01-01T00:00:00"]])
def test_fewer_than_two_timestamps_have_no_step(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="at least two"):
        fit(texts, DAILY)
