"""In text of single spaces no name stands over a column that it does not belong to."""

import pytest

from app.tables.text.spaced_columns import _join_words_above
from tests.tables.kinds.case import days
from tests.tables.tables import read_text


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("Month Use kWh Mean kWh/day Days", ["Month", "Use kWh", "Mean kWh/day", "Days"]),
        ("Date Sales (EUR) Costs (EUR) Staff", ["Date", "Sales (EUR)", "Costs (EUR)", "Staff"]),
        ("Date Units Sold Net Revenue", ["Date Units Sold Net Revenue"]),
        ("Date North South West", ["Date", "North", "South", "West"]),
        ("Date North", ["Date", "North"]),
    ],
)
def test_units_belong_to_the_name_before_them(line: str, cells: list[str]) -> None:
    assert _join_words_above([line.split()], 4) == [cells]


def test_a_title_gives_no_column_its_words() -> None:
    rows = ["History of use", "Month Use kWh Days", *(f"2024-{m:02} 2{m} 30" for m in range(1, 13))]
    assert [series.name for series in read_text(rows).series] == ["Use kWh", "Days"]


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_of_rows_that_have_no_name_take_none_from_other_columns(first: int) -> None:
    dates = days("2024-01-01", 20)
    rows = [f"{first + n:<2} {day} {100 + n:>5} {n:>4}" for n, day in enumerate(dates)]
    reading = read_text(["         date sales cost", *rows])
    assert {series.name: series.values[0] for series in reading.series} == {"sales": 100, "cost": 0}
    assert reading.series[0].timestamps[0].startswith("2024-01-01")


def test_names_that_cannot_be_distinguished_are_left_out() -> None:
    rows = ["Date Units Sold Net Revenue", *(f"2024-{m:02} 2{m} 30" for m in range(1, 13))]
    assert [series.name for series in read_text(rows).series] == ["Column 2", "Column 3"]


def test_each_column_has_its_name_if_only_some_are_far_apart() -> None:
    rows = [f"{day:%Y %m %d} {n:5}.5 {n + 9:5}.0" for n, day in enumerate(days("2024-01-01", 20))]
    reading = read_text(["YEAR MO DY  TMAX   TMIN", *rows])
    assert {series.name: series.values[0] for series in reading.series} == {"TMAX": 0.5, "TMIN": 9}


def test_a_name_of_two_words_may_be_above_a_number_with_a_space() -> None:
    rows = [f"{day}    11 1{n:02}   {n + 21}" for n, day in enumerate(days("2024-01-01", 20))]
    reading = read_text(["Date        Net sales  Tax", *rows])
    assert {s.name: s.values[0] for s in reading.series} == {"Net sales": 11100, "Tax": 21}
