"""Weekdays and the days of clock changes are those of the calendar."""

import datetime as dt

import numpy as np
import pytest

from app.timeseries.calendar.weekdays import is_clock_change_day, weekday_numbers, weekdays_of


@pytest.mark.parametrize("date", ["1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"])
def test_a_weekday_is_that_of_the_standard_library(date: str) -> None:
    weekday = dt.date.fromisoformat(date).weekday()
    time = np.datetime64(f"{date}T23:59:59", "s")
    assert weekdays_of(time) == weekday
    assert weekday_numbers(int(time.astype("datetime64[D]").astype(int))) == weekday


def test_clocks_change_on_sundays_of_some_months() -> None:
    days = np.arange("2024-01-01", "2025-01-01", dtype="datetime64[D]")
    changes = days[is_clock_change_day(days)].astype(object)
    assert {day.weekday() for day in changes} == {6}
    assert {day.month for day in changes} == {3, 4, 9, 10, 11}
    assert {dt.date(2024, 3, 31), dt.date(2024, 10, 27), dt.date(2024, 11, 3)} <= {*changes}
