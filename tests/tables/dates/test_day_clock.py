"""Numbered hours of days on which clocks change are read by the clock."""

import datetime as dt

import pytest

from app.tables.answers import Duplicates
from tests.tables.kinds.case import days, to_text
from tests.tables.tables import notes_of, read_text, requirements

AUTUMN, SPRING = "2023-10-29", "2024-03-31"


def numbered_days(first: str, count: int, per_day: int = 24, changed: str = "", by: int = 0) -> str:
    """Return days of numbered parts; ``changed`` has ``by`` parts more."""
    rows = [
        f"{day},{part},{100 * (day.day % 10) + part}"
        for day in days(first, count)
        for part in range(1, per_day + 1 + (by if str(day) == changed else 0))
    ]
    return to_text("date,hour,price", rows)


def test_the_25th_hour_is_the_repeated_one() -> None:
    text = numbered_days("2023-10-27", 5, changed=AUTUMN, by=1)
    assert requirements(read_text(text)) == ["timezone"]
    assert "shows the hour from 2023-10-29 02:00 twice" in notes_of(read_text(text))
    [series] = read_text(text, timezone="Europe/Rome").series
    assert len(series.values) == 5 * 24 + 1
    assert series.missing == []
    [local] = read_text(text, duplicates=Duplicates.LAST).series
    at = dict(zip(local.timestamps, local.values, strict=True))
    assert at["2023-10-29T02:00:00"] == 904
    assert at["2023-10-29T23:00:00"] == 925
    assert at["2023-10-30T00:00:00"] == 1


@pytest.mark.parametrize(
    ("name", "form"), [("Time", "{}00"), ("UTC_TIME", "{:02}00"), ("HHMM", "{}30")]
)
def test_clocks_without_a_colon_are_times_of_the_days(name: str, form: str) -> None:
    hours = [(day, hour) for day in ("2024-01-01", "2024-01-02") for hour in range(24)]
    rows = [f"{day},{form.format(hour)},{n}" for n, (day, hour) in enumerate(hours)]
    [series] = read_text(to_text(f"Date,{name},load", rows)).series
    assert (series.data_frequency, len(series.values)) == ("Hours", 48)
    assert series.timestamps[25].startswith("2024-01-02T01:")


@pytest.mark.parametrize("name", ["HH", "OPR_HR"])
def test_hours_with_short_names_name_no_series(name: str) -> None:
    rows = [f"202401{n // 24 + 1:02},{n % 24 + 1},{n}" for n in range(24 * 10)]
    [series] = read_text(to_text(f"YYYYMMDD,{name},load", rows)).series
    assert (series.data_frequency, len(series.values)) == ("Hours", 240)


def test_times_beside_durations_are_times_of_the_days() -> None:
    starts = [("2024-01-01", "08:00:00"), ("2024-01-01", "14:57:00"), ("2024-01-02", "09:10:00")]
    rows = [f"{day},{time},00:5{n % 10}:00" for n, (day, time) in enumerate(starts)]
    reading = read_text(to_text("Start date,Start time,Duration", rows))
    assert reading.chosen.columns == ["Duration"]


@pytest.mark.parametrize(
    ("text", "timezone", "parts"),
    [
        (numbered_days("2023-10-28", 10, changed="2023-11-05", by=1), "America/New_York", 241),
        (numbered_days("2023-10-27", 5, per_day=48, changed=AUTUMN, by=2), "Europe/London", 242),
    ],
    ids=["an hour of America", "half-hours of Britain"],
)
def test_parts_of_a_day_are_repeated_from_one_o_clock(text: str, timezone: str, parts: int) -> None:
    [series] = read_text(text, timezone=timezone).series
    assert len(series.values) == parts
    assert series.missing == []


def test_a_25th_hour_across_is_the_repeated_one() -> None:
    hours = [f"H{hour}" for hour in range(1, 26)]
    rows = [
        f"{day},"
        + ",".join(str(hour if hour < 25 or str(day) == AUTUMN else "") for hour in range(1, 26))
        for day in days("2023-10-20", 15)
    ]
    [series] = read_text(to_text(f"date,{','.join(hours)}", rows), timezone="Europe/Rome").series
    assert len(series.values) == 15 * 24 + 1
    assert series.missing == []
    assert [*series.values[9 * 24 : 10 * 24 + 1]] == [*range(1, 26)]


def test_25_columns_with_a_value_each_day_are_not_hours() -> None:
    rows = [
        f"{day}," + ",".join(str((7 + day.day) * number % 90) for number in range(1, 26))
        for day in days("2023-10-20", 15)
    ]
    names = ",".join(f"Hour {number}" for number in range(1, 26))
    assert len(read_text(to_text(f"date,{names}", rows)).series) == 25


def test_a_day_of_23_hours_lacks_the_one_that_clocks_skip() -> None:
    text = numbered_days("2024-03-29", 5, changed=SPRING, by=-1)
    [series] = read_text(text, timezone="Europe/Rome").series
    assert len(series.values) == 5 * 24 - 1
    assert series.missing == []
    [local] = read_text(text).series
    at = dict(zip(local.timestamps, local.values, strict=True))
    assert at["2024-03-31T03:00:00"] == 103
    assert at["2024-03-31T23:00:00"] == 123


@pytest.mark.parametrize("changed", ["2024-03-30", "2024-04-02"])
def test_a_day_that_lacks_its_last_hour_is_not_moved(changed: str) -> None:
    first = dt.date.fromisoformat(changed) - dt.timedelta(2)
    [series] = read_text(numbered_days(str(first), 5, changed=changed, by=-1)).series
    at = dict(zip(series.timestamps, series.values, strict=True))
    day = dt.date.fromisoformat(changed).day % 10
    assert at[f"{changed}T02:00:00"] == 100 * day + 3


def test_a_file_that_ends_before_the_last_hour_of_a_sunday_is_not_moved() -> None:
    [series] = read_text(numbered_days("2024-03-28", 4, changed=SPRING, by=-1)).series
    assert series.timestamps[-1] == "2024-03-31T22:00:00"


@pytest.mark.parametrize(("changed", "by"), [("2024-04-07", 2), ("2024-09-29", -2)])
def test_trading_periods_of_new_zealand_change_at_two_o_clock(changed: str, by: int) -> None:
    first = dt.date.fromisoformat(changed) - dt.timedelta(2)
    text = numbered_days(str(first), 8, per_day=48, changed=changed, by=by)
    [series] = read_text(text, timezone="Pacific/Auckland").series
    assert len(series.values) == 8 * 48 + by
    assert series.missing == []
    if by < 0:
        assert f"{changed} 02:00, {changed} 02:30 does not exist" in notes_of(read_text(text))


@pytest.mark.parametrize("dash", ["-", "–", " - "])
def test_intervals_beside_a_date_begin_at_their_first_time(dash: str) -> None:
    rows = [
        f"{day},{hour:02}:00{dash}{hour:02}:30,{100 + hour}"
        for day in days("2025-08-18", 5)
        for hour in range(24)
    ]
    [series] = read_text(to_text("Date,Interval,Calls", rows)).series
    assert (series.timestamps[8], len(series.values)) == ("2025-08-18T08:00:00", 120)


def test_an_offset_behind_a_time_is_not_the_end_of_an_interval() -> None:
    rows = [
        f"{day},{hour:02}:00-05:00,{100 + hour}"
        for day in days("2025-08-18", 5)
        for hour in range(24)
    ]
    [series] = read_text(to_text("Date,Time,Calls", rows)).series
    assert (series.timestamps[0], len(series.values)) == ("2025-08-18T00:00:00-05:00", 120)
