"""A period with its first and its last day, of which only the last has the year."""

import datetime as dt
from collections.abc import Callable

import pytest

from app.tables.dates.cells import date_reader, is_date
from tests.tables.kinds.case import days
from tests.tables.tables import read_text

DAYS = days("2023-12-20", 40)


@pytest.mark.parametrize(
    "write",
    [
        lambda first, last: f"{first:%d %b} - {last:%d %b %Y}",
        lambda first, last: f"{first:%d-%b} to {last:%d-%b-%Y}",
        lambda first, last: f"{first:%b %d} – {last:%b %d, %Y}",
        lambda first, last: f"{first:%d.%m.} - {last:%d.%m.%Y}",
    ],
)
def test_the_year_of_a_last_day_is_that_of_the_first_unless_the_year_changes(
    write: Callable[[dt.date, dt.date], str],
) -> None:
    mondays = [dt.date(2023, 11, 6) + dt.timedelta(weeks=week) for week in range(16)]
    weeks = [write(monday, monday + dt.timedelta(days=6)) for monday in mondays]
    [series] = read_text(["week;sales", *(f"{week};{n}" for n, week in enumerate(weeks))]).series
    assert series.timestamps == [f"{monday}T00:00:00" for monday in mondays]


def test_a_period_within_a_month_has_its_first_day() -> None:
    read = date_reader()
    for cell in ("12-18 Feb 2024", "Feb 12 - 18, 2024", "12. – 18. Februar 2024"):
        date = read(cell)
        assert date is not None, cell
        assert date.seconds == dt.datetime(2024, 2, 12, tzinfo=dt.UTC).timestamp()


def test_a_period_that_ends_before_it_begins_is_no_date() -> None:
    assert not is_date("9 Jan - 3 Jan 2024")
    assert is_date("3 Jan - 9 Jan 2024")


def test_the_short_dates_of_sas_have_a_year_of_two_digits() -> None:
    reading = read_text(["day,n", *(f"{day:%d%b%y},{day.day}".upper() for day in DAYS)])
    assert reading.series[0].timestamps[0] == f"{DAYS[0]}T00:00:00"
    assert len(reading.series[0].values) == len(DAYS)
