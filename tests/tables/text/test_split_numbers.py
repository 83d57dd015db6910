"""Commas in numbers as well as between cells: joined where that is certain, else refused."""

import pytest

from tests.tables.kinds.case import days, lines
from tests.tables.tables import read_text, refusal_of

DAYS = days("2024-01-01", 20)


@pytest.mark.parametrize(
    ("sales", "cost"),
    [
        ([1234, 987, 1500], [2345, 876, 900]),
        ([1234, 1987], [2345, 1876]),
        ([987, 1500], [876, 1900]),
    ],
)
def test_thousands_in_several_columns_are_refused(sales: list[int], cost: list[int]) -> None:
    rows = [
        f"{day},{sales[i % len(sales)]:,},{cost[i % len(cost)]:,}" for i, day in enumerate(DAYS)
    ]
    row = next(n for n, text in enumerate(rows, 2) if text.count(",") > 2)
    refusal = refusal_of(lines("day,sales,cost", rows).encode())
    assert refusal.row == row
    assert str(refusal).startswith(f"line {row} has 5 cells below 3 names, and commas may be in")


def test_decimal_commas_in_several_columns_are_refused() -> None:
    rows = [f"{day},{100 + i},{10 + i},-{200 + i},{90 - i}" for i, day in enumerate(DAYS)]
    refusal = refusal_of(lines("day,sales,cost", rows).encode())
    assert "semicolons between the cells" in str(refusal)


@pytest.mark.parametrize("cells", ["12,7,8.5,9", "12,7,8,a note", "12,7,,8"])
def test_other_cells_without_names_are_read(cells: str) -> None:
    reading = read_text(lines("day,sales,cost", [f"{day},{cells}" for day in DAYS]))
    assert reading.series[0].values == [12] * len(DAYS)
