"""Whole weeks and months in place of days: totals and averages, and what is left out."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tables.answers import Fill, PeriodAggregation
from app.tables.errors import WrongAnswerError
from app.tables.reading import Reading
from tests.tables.tables import notes_of, read_text, requirements

WEDNESDAY = dt.date(2024, 1, 3)


def days(count: int, name: str = "sales", first: dt.date = WEDNESDAY, *gone: int) -> list[str]:
    """Return a table whose n-th day has the value n."""
    there = [number for number in range(count) if number not in gone]
    return [f"day,{name}", *(f"{first + dt.timedelta(number)},{number}" for number in there)]


def offered_periods(reading: Reading) -> list[str]:
    return [
        choice.value
        for question in reading.questions
        if question.parameter == "per"
        for choice in question.choices
    ]


def test_weeks_are_totals_from_monday_on_and_say_what_was_left_out() -> None:
    reading = read_text(days(5 + 7 * 3 + 2), per=PeriodAggregation.WEEK_TOTAL)
    (series,) = reading.series
    assert series.timestamps == [f"2024-01-{day:02}T00:00:00" for day in (8, 15, 22)]
    assert series.values == [sum(range(first, first + 7)) for first in (5, 12, 19)]
    assert (series.data_frequency, series.step, series.missing) == ("Weekly", 1, [])
    assert "Each value is the total of a week, which begins on Monday." in notes_of(reading)
    assert "Left out: 7 points of incomplete weeks (2024-01-01, 2024-01-29)." in notes_of(reading)


@pytest.mark.parametrize(("last", "count"), [(dt.date(2024, 3, 2), 8), (dt.date(2024, 3, 1), 7)])
def test_a_week_that_lacks_only_a_day_that_is_always_closed_is_whole(
    last: dt.date, count: int
) -> None:
    span = [dt.date(2024, 1, 8) + dt.timedelta(n) for n in range((last - WEDNESDAY).days)]
    rows = [f"{day},{day.day + 3}" for day in span if day <= last and day.weekday() < 6]
    reading = read_text(["day,sales", *rows], per=PeriodAggregation.WEEK_TOTAL, fill=Fill.ZERO)
    [series] = reading.series
    assert len(series.values) == count
    assert ("Left out" in notes_of(reading)) is (count == 7)


def test_months_of_a_level_are_averages() -> None:
    reading = read_text(days(100, "price"), per=PeriodAggregation.MONTH_AVERAGE)
    (series,) = reading.series
    assert (series.timestamps, series.data_frequency) == (
        ["2024-02-01T00:00:00", "2024-03-01T00:00:00"],
        "Monthly",
    )
    assert series.values == [np.mean(range(29, 58)), np.mean(range(58, 89))]


@given(st.integers(70, 400), st.dates(dt.date(2019, 1, 1), dt.date(2025, 1, 1)))
def test_totals_of_weeks_lose_nothing_but_the_ends(count: int, first: dt.date) -> None:
    (series,) = read_text(days(count, "sales", first), per=PeriodAggregation.WEEK_TOTAL).series
    skipped = -first.weekday() % 7
    whole = (count - skipped) // 7 * 7
    assert sum(series.values) == sum(range(skipped, skipped + whole))
    assert {dt.datetime.fromisoformat(timestamp).weekday() for timestamp in series.timestamps} == {
        0
    }


def test_hours_make_weeks_too() -> None:
    first = dt.datetime(2024, 1, 1)
    lines = [f"{first + dt.timedelta(hours=number)},1" for number in range(24 * 15)]
    (series,) = read_text(["time,visits", *lines], per=PeriodAggregation.WEEK_TOTAL).series
    assert series.values == [168, 168]


def test_weeks_and_months_are_offered_where_they_are_enough_for_a_forecast() -> None:
    assert offered_periods(read_text(days(60))) == []
    assert offered_periods(read_text(days(85))) == ["week-total", "week-average"]
    assert offered_periods(read_text(days(400, "price"))) == [
        *("week-average", "week-total", "month-average", "month-total")
    ]
    assert "per" not in requirements(read_text(days(400)))
    monthly = [f"{2000 + month // 12}-{month % 12 + 1:02},1" for month in range(200)]
    assert offered_periods(read_text(["month,sales", *monthly])) == []


def test_a_week_without_a_day_has_no_total_until_it_is_filled() -> None:
    lines = days(100, "sales", WEDNESDAY, 30)
    (series,) = read_text(lines, per=PeriodAggregation.WEEK_TOTAL).series
    assert series.data_frequency == "Daily"
    assert "A week needs every entry" in notes_of(
        read_text(lines, per=PeriodAggregation.WEEK_TOTAL)
    )
    (series,) = read_text(lines, per=PeriodAggregation.WEEK_TOTAL, fill=Fill.LINEAR).series
    assert series.data_frequency == "Weekly"


@pytest.mark.parametrize(
    ("lines", "issue"),
    [
        (days(17), "the table has 1 whole week; leave it out, or send more"),
        (
            ["year,sales", *(f"{year},1" for year in range(2000, 2020))],
            "no series has a step of a day or less",
        ),
    ],
)
def test_an_aggregation_without_whole_periods_is_rejected_with_the_reason(
    lines: list[str], issue: str
) -> None:
    with pytest.raises(WrongAnswerError, match=issue) as rejected:
        read_text(lines, per=PeriodAggregation.WEEK_TOTAL)
    assert rejected.value.parameter == "per"
