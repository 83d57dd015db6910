"""Several measures for each year or day across: each measure is one series."""

import datetime as dt

import pytest

from tests.tables.kinds.case import lines
from tests.tables.tables import read_text, requirements

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


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
    reading = read_text(lines(*header, rows(MONTHS, bases)))
    values = {series.name: series.values for series in reading.series}
    assert values == {
        name: [base + 100 * year + month for year in range(2) for month in range(12)]
        for name, base in (("Sales", 1), ("Cost", 201))
    }
    assert reading.series[0].timestamps[12] == "2024-01-01T00:00:00"


def test_each_measure_of_days_across_has_its_own_values() -> None:
    hours = [f"{dt.time(hour):%H:%M}" for hour in range(24)]
    header = (",2023-01-01,,2023-01-02,", "Hour,In,Out,In,Out")
    reading = read_text(lines(*header, rows(hours, [0, 2000, 24, 2024])))
    values = {series.name: series.values for series in reading.series}
    assert values == {"In": [*range(48)], "Out": [*range(2000, 2048)]}
    assert str(reading.series[0].data_frequency) == "Hours"


def test_measures_of_fiscal_years_are_not_taken_as_those_of_calendar_years() -> None:
    header = "Month,FY2023 Sales,FY2023 Cost,FY2024 Sales,FY2024 Cost"
    reading = read_text(lines(header, rows(MONTHS, [100, 300, 200, 400])))
    assert requirements(reading) == ["year"]


@pytest.mark.parametrize("label", ["FY{:02}", "FY20{:02}", "FY {:02}"])
def test_fiscal_years_across_ask_for_their_first_day(label: str) -> None:
    header = ",".join(["Item", *(label.format(year) for year in range(19, 25))])
    text = lines(header, "Revenue,1,2,3,4,5,6", "Cost,2,3,4,5,6,8")
    assert requirements(read_text(text)) == ["start"]
    series = read_text(text, start=dt.date(2018, 7, 1)).series
    assert {s.name: s.values for s in series} == {
        "Revenue": [1, 2, 3, 4, 5, 6],
        "Cost": [2, 3, 4, 5, 6, 8],
    }
    assert series[0].timestamps[0] == "2018-07-01T00:00:00"


def test_months_of_fiscal_years_across_are_not_taken_as_names() -> None:
    reading = read_text(lines("Month,FY23,FY24,FY25", rows(MONTHS, [1, 101, 201])))
    assert [series.name for series in reading.series if series.name in MONTHS] == []
