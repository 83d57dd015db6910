"""In text of single spaces no name stands over a column that it does not belong to."""

import pytest

from app.tables.text.spaced_columns import _join_words_above
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


def test_names_that_cannot_be_distinguished_are_left_out() -> None:
    rows = ["Date Units Sold Net Revenue", *(f"2024-{m:02} 2{m} 30" for m in range(1, 13))]
    assert [series.name for series in read_text(rows).series] == ["Column 2", "Column 3"]
