"""Sections of one file with the same header and the same dates are series, named by their lines."""

import calendar
import time

import pandas as pd
import pytest

from app.tables.answers import Answers
from app.tables.reading import Reading
from app.tables.rows.sections import join_sections
from app.tables.table import Table
from tests.tables.kinds.case import days, to_text
from tests.tables.tables import BOUNDS, notes_of, read_text

DAYS = days("2024-01-01", 30)
MONTHS = calendar.month_abbr[1:]


def calls(base: int) -> list[str]:
    return [f"{day},{base + i % 7}" for i, day in enumerate(DAYS)]


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ("Queue: Sales", "Queue: Support", "Queue"),
        ("Queue,Sales", "Queue,Support", "Queue"),
        ("Queue:,Sales", "Queue:,Support", "Queue"),
        ("Sales", "Support", None),
    ],
)
@pytest.mark.parametrize("heading", [[], ["Report of January"]])
def test_sections_below_their_names_are_a_series_each(
    first: str, second: str, title: str | None, heading: list[str]
) -> None:
    header = "Date,Calls"
    text = to_text(*heading, first, header, calls(100), "", second, header, calls(50))
    reading = read_text(text)
    assert {series.name: series.values[0] for series in reading.series} == {
        "Sales": 100,
        "Support": 50,
    }
    assert [len(series.values) for series in reading.series] == [30, 30]
    assert reading.notation.names == title
    assert "Sections with the same columns are series: “Sales”, “Support”." in notes_of(reading)


def test_the_remark_names_a_few_of_many_sections() -> None:
    parts = [part for i in range(1, 8) for part in (f"Queue: Team {i}", "Date,Calls", calls(i))]
    reading = read_text(to_text(*parts))
    assert len(reading.series) == 7
    assert "series: “Team 1”, “Team 2”, “Team 3”, “Team 4” and 3 more." in notes_of(reading)


def test_totals_of_sections_are_left_out() -> None:
    parts = [
        part
        for name, base in (("North", 100), ("South", 50))
        for part in (
            name,
            "Date,Calls",
            calls(base),
            f"Total,{sum(base + i % 7 for i in range(30))}",
        )
    ]
    assert [len(series.values) for series in read_text(to_text(*parts)).series] == [30, 30]


@pytest.mark.parametrize("header", ["Month,2021,2022,2023", ",2021,2022,2023"])
def test_blocks_of_months_by_years_are_a_series_for_each_building(header: str) -> None:
    parts = [
        part
        for name, base in (("Building A", 100), ("Building B", 200), ("Building C", 300))
        for part in (
            name,
            header,
            [
                f"{month},{base + i},{base + 20 + i},{base + 40 + i}"
                for i, month in enumerate(MONTHS)
            ],
        )
    ]
    reading = read_text(to_text(*parts))
    assert [series.name for series in reading.series] == ["Building A", "Building B", "Building C"]
    assert reading.series[1].values == [200 + 20 * year + i for year in range(3) for i in range(12)]
    assert reading.series[1].timestamps[0] == "2021-01-01T00:00:00"


def test_pages_with_titles_of_one_table_are_one_series() -> None:
    header, rows = "Date,Calls", calls(100)
    reading = read_text(to_text("Page 1", header, rows[:15], "Page 2", header, rows[15:]))
    [series] = reading.series
    assert len(series.values) == 30
    assert "Sections" not in notes_of(reading)


def test_the_second_section_is_read_if_its_header_is_answered() -> None:
    text = to_text("Sales", "Date,Calls", calls(100), "Support", "Date,Calls", calls(50))
    [series] = read_text(text, header=34).series
    assert series.values[0] == 50


def test_rows_of_words_below_a_header_are_read_quickly() -> None:
    rows = [
        ["x" if number % 2 else "", *["a" if number % 2 == 0 else ""] * 999]
        for number in range(3_000)
    ]
    table = Table(pd.DataFrame(rows, dtype=object, index=range(1, 3_001)))
    started = time.process_time()
    assert join_sections(table, Reading(Answers(), BOUNDS)) is table
    assert time.process_time() - started < 5
