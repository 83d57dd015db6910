"""Several measures for each year or day across: each measure is one series."""

import datetime as dt

import pytest

from tests.tables.kinds.case import to_text
from tests.tables.tables import read_text, rejection_of, requirements

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
PARTS_OF_YEARS = {
    "Month": [str(n) for n in range(1, 13)],
    "Week": [str(n) for n in range(1, 53)],
    "Quarter": [f"Q{n}" for n in range(1, 5)],
    "Period": [f"P{n}" for n in range(1, 13)],
    "Month of the year": [f"Month {n}" for n in range(1, 13)],
    "Half": ["H1", "H2"],
    "1st half": ["1H", "2H"],
    "First half": ["First half", "Second half"],
}


def rows(names: list[str], bases: list[int]) -> list[str]:
    """Rows whose columns count up, each from its base."""
    return [",".join([name, *(str(base + i) for base in bases)]) for i, name in enumerate(names)]


@pytest.mark.parametrize(
    ("header", "bases"),
    [
        ((",2023,,2024,", "Month,Sales,Cost,Sales,Cost"), [1, 201, 101, 301]),
        (("Month,2023,,2024,", ",Sales,Cost,Sales,Cost"), [1, 201, 101, 301]),
        ((",2023,2023,2024,2024", "Month,Sales,Cost,Sales,Cost"), [1, 201, 101, 301]),
        ((",Sales,,Cost,", "Month,2023,2024,2023,2024"), [1, 101, 201, 301]),
        (("Month,Sales 2023,Cost 2023,Sales 2024,Cost 2024",), [1, 201, 101, 301]),
        (("Month,2023 Sales,2024 Sales,2023 Cost,2024 Cost",), [1, 101, 201, 301]),
        ((",Sales,Sales,Cost,Cost", "Month,2023,2024,2023,2024"), [1, 101, 201, 301]),
    ],
)
def test_each_measure_of_years_across_has_its_own_values(
    header: tuple[str, ...], bases: list[int]
) -> None:
    reading = read_text(to_text(*header, rows(MONTHS, bases)))
    values = {series.name: series.values for series in reading.series}
    assert values == {
        name: [base + 100 * year + month for year in range(2) for month in range(12)]
        for name, base in (("Sales", 1), ("Cost", 201))
    }
    assert reading.series[0].timestamps[12] == "2024-01-01T00:00:00"


def test_each_measure_of_days_across_has_its_own_values() -> None:
    hours = [f"{dt.time(hour):%H:%M}" for hour in range(24)]
    header = (",2023-01-01,,2023-01-02,", "Hour,In,Out,In,Out")
    reading = read_text(to_text(*header, rows(hours, [0, 2000, 24, 2024])))
    values = {series.name: series.values for series in reading.series}
    assert values == {"In": [*range(48)], "Out": [*range(2000, 2048)]}
    assert str(reading.series[0].data_frequency) == "Hours"


def test_measures_of_fiscal_years_are_not_taken_as_those_of_calendar_years() -> None:
    header = "Month,FY2023 Sales,FY2023 Cost,FY2024 Sales,FY2024 Cost"
    reading = read_text(to_text(header, rows(MONTHS, [100, 300, 200, 400])))
    assert requirements(reading) == ["year"]


@pytest.mark.parametrize("label", ["FY{:02}", "FY20{:02}", "FY {:02}"])
def test_fiscal_years_across_ask_for_their_first_day(label: str) -> None:
    header = ",".join(["Item", *(label.format(year) for year in range(19, 25))])
    text = to_text(header, "Revenue,1,2,3,4,5,6", "Cost,2,3,4,5,6,8")
    assert requirements(read_text(text)) == ["start"]
    series = read_text(text, start=dt.date(2018, 7, 1)).series
    assert {s.name: s.values for s in series} == {
        "Revenue": [1, 2, 3, 4, 5, 6],
        "Cost": [2, 3, 4, 5, 6, 8],
    }
    assert series[0].timestamps[0] == "2018-07-01T00:00:00"


def test_months_of_fiscal_years_across_are_not_taken_as_names() -> None:
    reading = read_text(to_text("Month,FY23,FY24,FY25", rows(MONTHS, [1, 101, 201])))
    assert [series.name for series in reading.series if series.name in MONTHS] == []


def fiscal_years(name: str) -> str:
    """Return a table of fiscal years side by side, with parts of them down."""
    return to_text(f"{name},FY19,FY20,FY21", rows(PARTS_OF_YEARS[name], [1, 101, 201]))


@pytest.mark.parametrize("name", ["Month", "Week"])
def test_months_and_weeks_of_fiscal_years_are_not_taken_as_names(name: str) -> None:
    reading = read_text(fiscal_years(name), start=dt.date(2018, 7, 1))
    assert {series.name for series in reading.series}.isdisjoint(PARTS_OF_YEARS[name])
    assert "duplicates" not in requirements(reading)


@pytest.mark.parametrize("name", [*PARTS_OF_YEARS][2:])
def test_other_parts_of_fiscal_years_are_rejected(name: str) -> None:
    rejection = rejection_of(fiscal_years(name).encode())
    assert "no column of dates was found" in rejection.issue


def test_numbers_of_months_below_fiscal_years_are_those_of_counted_months() -> None:
    series = read_text(fiscal_years("Month"), start=dt.date(2018, 7, 1)).series
    assert {s.name: len(s.values) for s in series} == {"FY19": 12, "FY20": 12, "FY21": 12}


def test_numbered_rows_of_fiscal_years_across_are_named_after_their_items() -> None:
    text = to_text("No,Item,FY19,FY20,FY21", "1,Revenue,1,2,3", "2,Cost,4,5,6", "3,Profit,7,8,10")
    series = read_text(text, start=dt.date(2018, 7, 1)).series
    assert [s.name for s in series] == ["Revenue", "Cost", "Profit"]
