"""Numbers without dates: their start and step are asked, even if a column counts the rows."""

import datetime as dt

import pytest

from app.timeseries.calendar.frequency import Frequency
from tests.tables.tables import read_bytes, read_text, rejection_of, requirements, workbook

SALES = [112.5, 118, 132, 129, 121, 135]
ANSWERS = {"start": dt.date(2024, 1, 31), "data_frequency": Frequency.MONTHLY}


def rows(name: str, first: int = 1) -> list[str]:
    return [f"{name},Sales", *(f"{first + i},{value}" for i, value in enumerate(SALES))]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["Period", "Quarter", "Year", "time", "t", ""])
def test_a_column_that_counts_periods_of_no_known_length_asks_for_it(name: str, first: int) -> None:
    assert requirements(read_text(rows(name, first))) == ["start", "data_frequency"]
    [series] = read_text(rows(name, first), **ANSWERS).series
    assert (series.name, series.values) == ("Sales", SALES)
    assert series.timestamps[1] == "2024-02-29T00:00:00"


def test_all_columns_beside_the_counted_periods_are_series() -> None:
    table = [["Period", "A", "B"], *([i, i * i, None if i == 4 else 7 * i] for i in range(1, 9))]
    first, second = read_bytes(workbook({"Sheet1": table}), **ANSWERS).series
    assert (first.name, second.name) == ("A", "B")
    assert second.missing == ["2024-04-30T00:00:00"]
    [series] = read_bytes(workbook({"Sheet1": table}), columns=("B",), **ANSWERS).series
    assert series.name == "B"


@pytest.mark.parametrize(
    "text",
    [
        rows("Product"),
        [*rows("Period"), "9,140"],
        ["Period,Sales,Note", *(f"{i},{i * i},x" for i in range(1, 9))],
    ],
    ids=["of products", "with a gap", "beside words"],
)
def test_other_columns_of_numbers_are_no_counted_periods(text: list[str]) -> None:
    assert rejection_of("\n".join(text).encode()).issue.startswith("no column of dates was found")
