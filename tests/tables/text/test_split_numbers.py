"""Commas in numbers as well as between cells: joined where that is certain, else rejected."""

import pytest

from app.tables.answers import DecimalMark
from tests.tables.kinds.case import days, to_text
from tests.tables.tables import notes_of, read_text, rejection_of

DAYS = days("2024-01-01", 20)


@pytest.mark.parametrize(
    ("sales", "cost"),
    [
        ([1234, 987, 1500], [2345, 876, 900]),
        ([1234, 1987], [2345, 1876]),
        ([987, 1500], [876, 1900]),
    ],
)
def test_thousands_in_several_columns_are_rejected(sales: list[int], cost: list[int]) -> None:
    rows = [
        f"{day},{sales[i % len(sales)]:,},{cost[i % len(cost)]:,}" for i, day in enumerate(DAYS)
    ]
    row = next(n for n, text in enumerate(rows, 2) if text.count(",") > 2)
    rejection = rejection_of(to_text("day,sales,cost", rows).encode())
    assert rejection.row == row
    assert str(rejection).startswith(f"line {row} has 5 cells below 3 names, and commas may be in")


def test_decimal_commas_in_several_columns_are_rejected() -> None:
    rows = [f"{day},{100 + i},{10 + i},-{200 + i},{90 - i}" for i, day in enumerate(DAYS)]
    rejection = rejection_of(to_text("day,sales,cost", rows).encode())
    assert "semicolons between the cells" in str(rejection)


@pytest.mark.parametrize(
    ("header", "row", "value", "choice"),
    [
        ("day,sales,note", "1,{i},", "1,200", "Column 2 and 3"),
        ("day,sales,note", "1,{i}", "1,200", "Column 2 and 3"),
        ("day,costs,sales,note", "55,1,{i},", "1,200", "Column 3 and 4"),
        ("day,sales,costs,note", "1,{i},55,", "1,200", "Column 2 and 3"),
    ],
)
def test_thousands_before_an_empty_cell_are_asked_for(
    header: str, row: str, value: str, choice: str
) -> None:
    text = to_text(header, [f"{day},{row.format(i=200 + i)}" for i, day in enumerate(DAYS)])
    reading = read_text(text)
    assert not reading.series
    assert f"Are “{value}” two numbers, or one?" in notes_of(reading)
    answered = read_text(text, columns=(choice,), decimal=DecimalMark.POINT)
    sales = next(series for series in answered.series if series.name == "sales")
    assert sales.values == [1200 + i for i in range(len(DAYS))]
    assert read_text(text, columns=("sales",)).series[0].values == [1] * len(DAYS)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("day,visits,orders", "1,2{i}"),
        ("day,sales,orders,", "1,200,"),
        ("day,sales,cost", "55,{i},"),
    ],
)
def test_numbers_without_signs_of_a_split_are_two_columns(header: str, row: str) -> None:
    rows = [f"{day},{row.format(i=10 + i)}" for i, day in enumerate(DAYS)]
    assert len(read_text(to_text(header, rows)).series) == 2


@pytest.mark.parametrize("cells", ["12,7,8.5,9", "12,7,8,a note", "12,7,,8"])
def test_other_cells_without_names_are_read(cells: str) -> None:
    reading = read_text(to_text("day,sales,cost", [f"{day},{cells}" for day in DAYS]))
    assert reading.series[0].values == [12] * len(DAYS)
