"""Sheets of years with the same columns are one table."""

import datetime as dt
from collections.abc import Callable

import pytest

from tests.tables.tables import notes_of, read_bytes, requirements, workbook

MONTHS = "January February March April May June July August September October November December"
YEARS = (2023, 2024, 2025)


def sheet(year: int, write_date: Callable[[int], str | int]) -> list[list[str | float]]:
    """Return a year of months, below a title and above a sum."""
    rows = [[write_date(month), 100.0 * (year - 2022) + month] for month in range(1, 13)]
    return [[f"Loans of {year}", ""], ["Month", "Loans"], *rows, ["Total", 1278.0]]


def names_of_months(month: int) -> str:
    return MONTHS.split()[month - 1]


@pytest.mark.parametrize("title", ["{}", "Loans {}"])
def test_months_of_yearly_sheets_are_one_series_in_the_order_of_years(title: str) -> None:
    sheets = {title.format(year): sheet(year, names_of_months) for year in reversed(YEARS)}
    reading = read_bytes(workbook({"Notes": [["By hand"]], **sheets}))
    [series] = reading.series
    assert series.timestamps[0].startswith("2023-01-01")
    assert series.values == [100.0 * n + month for n in (1, 2, 3) for month in range(1, 13)]
    assert requirements(reading) == []
    assert "The sheets of 2023, 2024, 2025 are read as one table" in notes_of(reading)


def test_one_of_the_yearly_sheets_can_be_chosen() -> None:
    content = workbook({str(year): sheet(year, names_of_months) for year in YEARS})
    [series] = read_bytes(content, sheet="2024").series
    assert series.values == [200.0 + month for month in range(1, 13)]


def test_dates_with_years_in_yearly_sheets_are_not_given_a_second_year() -> None:
    def whole_dates(year: int) -> list[list[str | float]]:
        return sheet(year, lambda month: f"{dt.date(year, month, 1)}")

    content = workbook({str(year): whole_dates(year) for year in YEARS})
    [series] = read_bytes(content).series
    assert (len(series.values), series.timestamps[-1][:10]) == (36, "2025-12-01")


@pytest.mark.parametrize(
    ("names", "column"), [(("2023", "2024"), "Visits"), (("North", "South"), "Loans")]
)
def test_sheets_of_other_columns_or_names_remain_a_question(
    names: tuple[str, str], column: str
) -> None:
    first, second = sheet(2023, names_of_months), sheet(2024, names_of_months)
    second[1] = ["Month", column]
    reading = read_bytes(workbook(dict(zip(names, (first, second), strict=True))))
    assert "sheet" in requirements(reading)
