"""Dates as numbers, held to Python's own calendar."""

import calendar
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.forecasting.calendar.civil import (
    LAST_SECOND,
    SECONDS_PER_DAY,
    civil_from_days,
    days_from_civil,
    days_in_month,
    is_leap,
)

ALL_DAYS = np.arange(date.max.toordinal(), dtype=np.int64)


def test_every_day_of_the_years_1_to_9999_survives_the_way_there_and_back() -> None:
    assert (days_from_civil(*civil_from_days(ALL_DAYS)) == ALL_DAYS).all()


def test_every_month_has_the_length_that_python_gives_it() -> None:
    years, months = (grid.ravel() for grid in np.meshgrid(np.arange(1, 10_000), np.arange(1, 13)))
    expected = [
        calendar.monthrange(year, month)[1]
        for year, month in zip(years.tolist(), months.tolist(), strict=True)
    ]
    assert days_in_month(years, months).tolist() == expected


@pytest.mark.parametrize(("year", "leap"), [(4, True), (1900, False), (2000, True), (2023, False)])
def test_centuries_are_leap_only_every_400_years(year: int, leap: bool) -> None:
    assert is_leap(np.array([year])).tolist() == [leap]


@settings(deadline=None)
@given(st.dates())
def test_a_day_number_counts_from_the_first_of_january_of_year_1(day: date) -> None:
    number = np.array([day.toordinal() - 1])
    assert days_from_civil(*(np.array([part]) for part in day.timetuple()[:3])) == number
    assert [part.item() for part in civil_from_days(number)] == [day.year, day.month, day.day]


def test_the_last_second_is_the_end_of_9999() -> None:
    assert date.max.toordinal() * SECONDS_PER_DAY == LAST_SECOND + 1
