"""Months of fiscal years: the service asks in which calendar year these begin."""

import datetime as dt

import pytest

from tests.tables.kinds.case import to_text
from tests.tables.tables import notes_of, read_text, requirements

MONTHS = ["Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb", "Mar"]
START = dt.date(2022, 4, 1)


def rows(form: str, months: list[str] = MONTHS) -> list[str]:
    pairs = [(year, month) for year in (2023, 2024, 2025) for month in months]
    return [
        f"{form.format(year=year, short=year % 100, month=month)},{100 + i}"
        for i, (year, month) in enumerate(pairs)
    ]


@pytest.mark.parametrize("skipped", [0, 5])
@pytest.mark.parametrize(
    "form", ["{month} FY{year}", "FY{year} {month}", "FY{short}-{month}", "FY{year},{month}"]
)
def test_months_of_fiscal_years_are_one_series_and_the_start_is_asked(
    form: str, skipped: int
) -> None:
    header = "FY,Month,value" if "," in form else "month,value"
    text = to_text(header, rows(form)[skipped:])
    reading = read_text(text)
    assert requirements(reading) == ["start"]
    asked = next(question for question in reading.questions if question.parameter == "start")
    assert [choice.value for choice in asked.choices] == ["2023-04-01", "2022-04-01"]
    [series] = read_text(text, start=START).series
    assert (series.data_frequency, len(series.values)) == ("Monthly", 36 - skipped)
    assert series.timestamps[-1] == "2025-03-01T00:00:00"


def test_fiscal_years_may_come_with_the_newest_month_first() -> None:
    text = to_text("month,value", rows("FY{year} {month}")[:3:-1])
    assert requirements(read_text(text)) == ["start"]
    [series] = read_text(text, start=dt.date(2024, 4, 1)).series
    assert (series.timestamps[0], series.values[0]) == ("2022-08-01T00:00:00", 104)


def test_fiscal_years_from_january_are_calendar_years() -> None:
    reading = read_text(to_text("month,value", rows("FY{year} {month}", MONTHS[9:] + MONTHS[:9])))
    assert requirements(reading) == []
    assert reading.series[0].timestamps[0] == "2023-01-01T00:00:00"
    assert "is read as the calendar year" in notes_of(reading)


@pytest.mark.parametrize("prefix", ["FY", "GJ", "FJ", "EJ"])
def test_years_of_two_numbers_begin_with_the_first_month_of_their_row(prefix: str) -> None:
    lines = [
        f"{prefix} {year}/{year % 100 + 1}," + ",".join(f"{100 * year % 7 + i}" for i in range(12))
        for year in (2020, 2021, 2022)
    ]
    [series] = read_text(to_text(f"year,{','.join(MONTHS)}", lines)).series
    assert (series.timestamps[0], len(series.values)) == ("2020-04-01T00:00:00", 36)
