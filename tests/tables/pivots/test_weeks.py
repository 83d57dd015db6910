"""Weeks down and years across are one weekly series."""

import pytest

from app.tables.errors import UnreadableTableError
from tests.tables.kinds.case import to_text
from tests.tables.tables import notes_of, read_text, requirements

YEARS = range(2019, 2023)


def weeks_down(header: str, weeks: int = 52) -> str:
    rows = [
        ",".join([str(week), *(str(100 * (year - 2018) + week) for year in YEARS)])
        for week in range(1, weeks + 1)
    ]
    rows.append(",".join(["53", "", "253", "", ""]) if weeks == 52 else "")
    return to_text(f"{header}," + ",".join(map(str, YEARS)), rows, "Total,1,2,3,4")


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


@pytest.mark.parametrize("label", ["{}", "W{}", "KW {}"])
def test_weeks_across_and_years_down_are_one_series(label: str) -> None:
    header = ["Year", *(label.format(week) for week in range(1, 53))]
    rows = [[year, *(100 * (year - 2018) + week for week in range(1, 53))] for year in YEARS]
    text = [",".join(map(str, row)) for row in [header, *rows]]
    [series] = read_text(text, fill="linear").series
    assert series.data_frequency == "Weekly"
    assert series.timestamps[0].startswith("2018-12-31")
    assert [series.values[i] for i in (0, 1, 51, -1)] == [101, 102, 152, 452]


@pytest.mark.parametrize(
    "header", ["Year,H1,H2", "Jahr,HJ1,HJ2", "year,h2,h1", "Year,H 1,H 2,Total"]
)
def test_the_halves_of_years_across_are_one_series(header: str) -> None:
    is_falling = "h2,h1" in header
    halves = [(2 * year, 2 * year + 1) for year in range(2005, 2020)]
    rows = [
        f"{a // 2},{b if is_falling else a},{a if is_falling else b},{a + b}" for a, b in halves
    ]
    text = [header, *rows] if "Total" in header else [header, *(r.rpartition(",")[0] for r in rows)]
    [series] = read_text(text).series
    assert series.timestamps[:2] == ["2005-01-01T00:00:00", "2005-07-01T00:00:00"]
    assert series.values == [*range(4010, 4040)]


def test_two_columns_of_names_like_halves_beside_days_are_two_series() -> None:
    rows = [f"2026-01-{day:02},{40 + day},{90 - day}" for day in range(1, 32)]
    assert [series.name for series in read_text(["Day,H1,H2", *rows]).series] == ["H1", "H2"]


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
    assert "13” and the like are not dates" in notes_of(reading)


@pytest.mark.parametrize("header", ["Shop", "Customer no.", "Plant"])
def test_numbers_of_shops_beside_months_are_not_years(header: str) -> None:
    rows = [f"{2010 + i},{20 + i},{21 + i * i},{22 + i}" for i in range(6)]
    reading = read_text([f"{header},Jan,Feb,Mar", *rows])
    assert requirements(reading) == ["year"]
    series = read_text([f"{header},Jan,Feb,Mar", *rows], year=2025).series
    assert [column.name for column in series] == [str(2010 + i) for i in range(6)]
    with pytest.raises(UnreadableTableError, match="no column of dates"):
        read_text([f"{header},Sales,Returns,Visits", *rows])
    [series] = read_text(["Fiscal year no.,Jan,Feb,Mar", *rows]).series
    assert series.timestamps[0].startswith("2010-01-01")
