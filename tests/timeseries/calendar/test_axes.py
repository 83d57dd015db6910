"""Time axes number the times that are on them, held to pandas and Python's own dates."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from dateutil.relativedelta import relativedelta
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.timeseries.calendar.axes import BusinessDayAxis, MonthAxis, SecondAxis, TimeAxis
from app.timeseries.calendar.timestamps import FIRST_TIME, LAST_TIME, TimeArray

NINE_THIRTY = 34_200


def times_of_pandas(offset: str) -> TimeArray:
    """Return every time of ``offset`` in the years 1 to 9999, at half past nine."""
    days = pd.date_range("0001-01-01", "9999-12-31", freq=offset, unit="s")
    return days.to_numpy() + np.timedelta64(NINE_THIRTY, "s")


@pytest.mark.parametrize(
    ("axis", "offset"),
    [
        (BusinessDayAxis(NINE_THIRTY), "B"),
        (MonthAxis(1, NINE_THIRTY), "MS"),
        (MonthAxis(31, NINE_THIRTY), "ME"),
    ],
)
def test_the_offsets_of_pandas_in_the_years_1_to_9999_have_positions_in_a_row(
    axis: TimeAxis, offset: str
) -> None:
    times = times_of_pandas(offset)
    positions = axis.positions(times)
    assert (np.diff(positions) == 1).all()
    assert (axis.times(positions) == times).all()


@settings(deadline=None)
@given(st.datetimes(), st.integers(1, 31), st.integers(-1_200, 1_200))
@example(datetime(2024, 2, 29), 29, 12)
@example(datetime(1900, 1, 31), 31, 1)
def test_months_continue_as_dateutil_adds_them(first: datetime, day: int, months: int) -> None:
    first = first.replace(microsecond=0) + relativedelta(day=day)
    try:
        expected = first + relativedelta(months=months, day=day)
    except ValueError:  # past the year 1 or 9999
        return
    time_of_day = first - first.replace(hour=0, minute=0, second=0)
    axis = MonthAxis(day, int(time_of_day.total_seconds()))
    position = axis.positions(np.array([first], "datetime64[s]"))
    assert axis.times(position + months).tolist() == [expected]


@settings(deadline=None)
@given(st.datetimes(), st.integers(1, 400))
def test_business_days_are_counted_as_python_knows_weekdays(first: datetime, days: int) -> None:
    first = min(first.replace(microsecond=0), datetime.max - timedelta(days=days))
    between = [first + timedelta(days=day) for day in range(days)]
    positions = BusinessDayAxis(0).positions(np.array([first, between[-1]], "datetime64[s]"))
    weekdays = sum(day.weekday() < 5 for day in between[:-1])
    assert positions[1] - positions[0] == weekdays


def test_seconds_are_counted_through_the_years_1_to_9999() -> None:
    times = np.array([FIRST_TIME, LAST_TIME])
    positions = SecondAxis().positions(times)
    assert positions.tolist() == [0, (datetime.max - datetime.min) // timedelta(seconds=1)]
    assert (SecondAxis().times(positions) == times).all()


@pytest.mark.parametrize(
    ("axis", "time", "on_axis"),
    [
        (BusinessDayAxis(NINE_THIRTY), "2024-01-05T09:30:00", True),
        (BusinessDayAxis(NINE_THIRTY), "2024-01-06T09:30:00", False),
        (BusinessDayAxis(NINE_THIRTY), "2024-01-07T09:30:00", False),
        (BusinessDayAxis(NINE_THIRTY), "2024-01-08T09:30:01", False),
        (MonthAxis(31, 0), "2023-02-28T00:00:00", True),
        (MonthAxis(31, 0), "2024-02-28T00:00:00", False),
        (MonthAxis(29, 0), "2024-02-29T00:00:00", True),
        (MonthAxis(28, 0), "2024-02-28T00:00:00", True),
        (MonthAxis(29, 0), "2024-03-28T00:00:00", False),
        (MonthAxis(31, 0), "2024-03-31T12:00:00", False),
    ],
)
def test_a_time_is_on_the_axis_where_its_position_leads_back_to_it(
    axis: TimeAxis, time: str, on_axis: bool
) -> None:
    times = np.array([time], "datetime64[s]")
    assert (axis.times(axis.positions(times)) == times).tolist() == [on_axis]
