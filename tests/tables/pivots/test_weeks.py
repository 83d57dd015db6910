"""Weeks down and years across are one weekly series."""

import pytest

from app.tables.results import UnreadableTableError
from tests.tables.kinds.case import lines
from tests.tables.tables import read_text, required, words

YEARS = range(2019, 2023)


def weeks_down(header: str, weeks: int = 52) -> str:
    rows = [
        ",".join([str(week), *(str(100 * (year - 2018) + week) for year in YEARS)])
        for week in range(1, weeks + 1)
    ]
    rows.append(",".join(["53", "", "253", "", ""]) if weeks == 52 else "")
    return lines(f"{header}," + ",".join(map(str, YEARS)), rows, "Total,1,2,3,4")


@pytest.mark.parametrize("header", ["Week", "KW", "Kalenderwoche", "Semana epidemiológica", "週"])
def test_weeks_down_and_years_across_are_one_series(header: str) -> None:
    [series] = read_text(weeks_down(header)).series
    assert series.data_frequency == "Weekly"
    assert series.missing == []
    assert series.timestamps[0].startswith("2018-12-31")  # the first week of 2019 by ISO 8601
    assert len(series.values) == 4 * 52 + 1
    assert series.values[:2] == [101, 102]
    assert 253 in series.values


@pytest.mark.parametrize("header", ["No", "Shop", "Product"])
def test_numbers_of_other_things_are_names(header: str) -> None:
    reading = read_text(weeks_down(header))
    assert len(reading.series) > 50


def test_the_first_weeks_of_years_are_not_months() -> None:
    [series] = read_text(weeks_down("Week", 12)).series
    assert series.data_frequency == "Weekly"
    assert series.timestamps[11].startswith("2019-03-18")


@pytest.mark.parametrize("header", ["Uge", "Period", "ISO week"])
@pytest.mark.parametrize("mark", ["-", "/"])
def test_years_and_weeks_in_one_cell_are_weeks(header: str, mark: str) -> None:
    rows = [f"| {2020 + i // 53}{mark}{i % 53 + 1:02} | {i} |" for i in range(60)]
    text = ["# Shop", "", "Week = ISO week.", "", f"| {header} | Orders |", "|---|--:|", *rows]
    [series] = read_text(text).series
    assert series.data_frequency == "Weekly"
    assert series.timestamps[0].startswith("2019-12-30")
    assert series.values == [*range(60)]


def test_months_are_weeks_if_they_are_named_so() -> None:
    rows = [f"2024-{i:02},{i}" for i in range(1, 11)]
    assert read_text(["Week,Orders", *rows]).series[0].data_frequency == "Weekly"
    assert read_text(["Period,Orders", *rows]).series[0].data_frequency == "Monthly"


def test_numbers_of_invoices_are_not_weeks() -> None:
    rows = [f"2024-{i:02},{1 + i // 28:02}.{1 + i % 28:02}.2024,{i}" for i in range(1, 41)]
    assert read_text(["Invoice,Date,Sum", *rows]).chosen.dates == "Date"
    with pytest.raises(UnreadableTableError):
        read_text(["Invoice,Sum", *(row[:8] + row[-2:] for row in rows)])


@pytest.mark.parametrize("mark", ["-", ""])
def test_thirteen_periods_of_a_fiscal_year_are_not_weeks(mark: str) -> None:
    rows = [f"{2022 + i // 13}{mark}{i % 13 + 1:02},{i}" for i in range(39)]
    reading = read_text(["Period,Orders", *rows])
    assert reading.series[0].data_frequency == "Monthly"
    assert "13” and the like are not dates" in words(reading)


@pytest.mark.parametrize("header", ["Shop", "Customer no.", "Plant"])
def test_numbers_of_shops_beside_months_are_not_years(header: str) -> None:
    rows = [f"{2010 + i},{20 + i},{21 + i * i},{22 + i}" for i in range(6)]
    reading = read_text([f"{header},Jan,Feb,Mar", *rows])
    assert required(reading) == ["year"]
    series = read_text([f"{header},Jan,Feb,Mar", *rows], year=2025).series
    assert [column.name for column in series] == [str(2010 + i) for i in range(6)]
    with pytest.raises(UnreadableTableError, match="no column of dates"):
        read_text([f"{header},Sales,Returns,Visits", *rows])
    [series] = read_text(["Fiscal year no.,Jan,Feb,Mar", *rows]).series
    assert series.timestamps[0].startswith("2010-01-01")
