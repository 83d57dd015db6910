"""The days of holidays and those around them, named alike in every year."""

import datetime as dt

import numpy as np
import pytest
from dateutil.easter import easter

from app.forecasting.calendar_effects.events import (
    DayKind,
    core_holidays,
    easter_days,
    find_event_days,
)
from tests.forecasting.calendar_effects.shops import days_from

EASTERS = ["1961-04-02", "2000-04-23", "2008-03-23", "2024-03-31", "2038-04-25"]


@pytest.mark.parametrize("date", EASTERS)
def test_easter_matches_published_dates(date) -> None:
    days = easter_days(np.array([int(date[:4])]))
    assert str(days.astype("datetime64[D]")[0]) == date


def test_easter_is_that_of_another_library() -> None:
    years = np.arange(1583, 4000)
    known = [easter(year).toordinal() - dt.date(1970, 1, 1).toordinal() for year in years.tolist()]
    assert easter_days(years).tolist() == known


def events_by_date(days, holidays=None):
    """Return the events among days by date: kind and number of the name."""
    events = find_event_days(days, core_holidays(days) if holidays is None else holidays)
    dates = days[events.index].astype("datetime64[D]").astype(str).tolist()
    kinds = [DayKind(kind) for kind in events.kind.tolist()]
    return dict(zip(dates, zip(kinds, events.name_number.tolist(), strict=True), strict=True))


def test_christmas_has_its_days_around_it() -> None:
    kinds = {
        date: kind for date, (kind, _name) in events_by_date(days_from("2023-12-20", 16)).items()
    }
    assert kinds == {
        "2023-12-24": DayKind.SPECIAL,
        "2023-12-25": DayKind.HOLIDAY,
        "2023-12-26": DayKind.HOLIDAY,
        **{f"2023-12-{day}": DayKind.SPECIAL for day in range(27, 32)},
        "2024-01-01": DayKind.HOLIDAY,
        "2024-01-02": DayKind.AFTER,
    }


def test_the_day_between_two_holidays_comes_after_the_first() -> None:
    names = events_by_date(days_from("2024-03-25", 14))
    assert [kind for kind, _name in names.values()] == [
        DayKind.BEFORE,
        DayKind.HOLIDAY,
        DayKind.AFTER,
        DayKind.HOLIDAY,
        DayKind.HOLIDAY,
        DayKind.AFTER,
    ]


def test_an_event_has_one_name_in_every_year() -> None:
    names = events_by_date(days_from("2021-01-01", 1200))
    assert names["2021-12-25"] == names["2022-12-25"] == names["2023-12-25"]
    assert names["2021-04-04"] == names["2022-04-17"]
    assert names["2021-12-25"] != names["2021-12-26"]


@pytest.mark.parametrize("count", [1, 2, 30])
def test_an_event_does_not_depend_on_where_the_days_end(count) -> None:
    longer = events_by_date(days_from("2023-12-24", 60))
    shorter = events_by_date(days_from("2023-12-24", count))
    assert {date: kind for date, (kind, _name) in shorter.items()} == {
        date: kind for date, (kind, _name) in longer.items() if date in shorter
    }
    assert len(shorter) == min(count, 10)


@pytest.mark.parametrize("first", ["0001-01-01", "1969-12-30", "9999-12-01", "2024-02-20"])
def test_any_year_has_its_holidays(first) -> None:
    events = find_event_days(days_from(first, 400), core_holidays(days_from(first, 400)))
    assert len(events.index) > 10
    assert (np.diff(events.index) > 0).all()
