"""Codes of periods beside a year, and columns that repeat parts of the dates."""

import pytest

from tests.tables.kinds.case import days, months, to_text
from tests.tables.tables import notes_of, read_text, rejection_of, requirements

SINCE = months(2023, 1, 45)
SINCE_APRIL = [*enumerate(months(2023, 4, 30))]
PRICES = [239.642 + i for i in range(45)]


@pytest.mark.parametrize("form", ["%Y-%j", "%Y%j", "%Y-%jT00:00:00Z"])
def test_days_of_the_year_are_dates_in_a_column_of_dates(form: str) -> None:
    rows = [f"{day:{form}},{n}" for n, day in enumerate(days("2023-12-20", 30))]
    [series] = read_text(to_text("date,rain", rows)).series
    assert (series.timestamps[12][:10], series.data_frequency) == ("2024-01-01", "Daily")


@pytest.mark.parametrize("form", ["%y%m%d", "%d%m%y", "%m%d%y"])
def test_days_of_six_digits_are_dates_where_they_follow_each_other_in_one_order(form: str) -> None:
    rows = [f"{day:{form}},{n}" for n, day in enumerate(days("2023-12-20", 45))]
    for text in (to_text("date,rain", rows), to_text("date,rain", rows[::-1])):
        [series] = read_text(text).series
        assert (series.timestamps[12][:10], series.data_frequency) == ("2024-01-01", "Daily")


@pytest.mark.parametrize(
    ("name", "first"), [("date", "2024-01-10"), ("order", "2023-12-20"), ("no", "2023-12-20")]
)
def test_six_digits_that_may_be_others_are_no_days(name: str, first: str) -> None:
    rows = [f"{day:%y%m%d},{n}" for n, day in enumerate(days(first, 20))]
    assert "no column of dates" in rejection_of(to_text(f"{name},rain", rows).encode()).issue


def test_numbers_of_documents_are_no_days_of_the_year() -> None:
    rows = [f"{day},2024-{n:03},{n}" for n, day in enumerate(days("2024-03-01", 30), 1)]
    [series] = read_text(to_text("date,invoice date no,amount", rows)).series
    assert series.timestamps[0].startswith("2024-03-01")


def flat_file(delimiter: str = "\t", header: str = "series_id,year,period,value") -> str:
    """Return months with an annual average at the end of each year."""
    rows = []
    for day, price in zip(SINCE, PRICES, strict=True):
        rows.append(f"CU00 ,{day.year},M{day.month:02},{price:.3f}")
        if day.month == 12:
            rows.append(f"CU00 ,{day.year},M13,1.500")
    return to_text(header, rows).replace(",", delimiter)


@pytest.mark.parametrize("delimiter", ["\t", ","])
def test_coded_months_beside_a_year_are_read_without_averages_of_years(
    delimiter: str,
) -> None:
    reading = read_text(flat_file(delimiter))
    assert requirements(reading) == []
    assert "“2023 M13” and the like are longer periods than others" in notes_of(reading)
    [series] = reading.series
    assert series.values == pytest.approx(PRICES)
    assert (series.timestamps[-1][:10], series.data_frequency) == ("2026-09-01", "Monthly")


def test_coded_quarters_beside_a_year_are_quarters() -> None:
    rows = [f"{2000 + i // 5},Q{i % 5 + 1:02},{i}" for i in range(40)]
    reading = read_text(to_text("Year,Period,Value", rows))
    [series] = reading.series
    assert series.values == [i for i in range(40) if i % 5 < 4]
    assert (series.timestamps[-1][:10], series.data_frequency) == ("2007-10-01", "Quarterly")


@pytest.mark.parametrize("columns", [(), ("Year",)])
def test_the_year_and_month_of_the_dates_are_read_only_if_asked_for(columns: tuple[str]) -> None:
    rows = [f"{day},{day.year},{day.month},{i}" for i, day in enumerate(SINCE)]
    reading = read_text(to_text("Date,Year,Month,Value", rows), columns=columns)
    assert [series.name for series in reading.series] == [*(columns or ("Value",))]
    assert ("“Year” repeats a part of the dates" in notes_of(reading)) is not bool(columns)


def test_a_count_that_is_a_month_now_and_then_is_read() -> None:
    rows = [f"{day},{day.month if i else 5},{i}" for i, day in enumerate(SINCE)]
    assert len(read_text(to_text("Date,Visits,Value", rows)).series) == 2


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("sprint", [f"S{n} 2024" for n in range(1, 15)]),
        ("Session", [f"2024-S{n}" for n in range(1, 15)]),
        ("Name", [f"2019K{n}" for n in (1, 7, 3, 2, 9, 4)]),
        ("product", [f"{year}K{n}" for year in (2019, 2020) for n in (1, 2, 3, 4)]),
    ],
)
def test_codes_of_things_are_not_read_as_weeks_or_quarters(name: str, codes: list[str]) -> None:
    rows = [f"{code},{100 + i}" for i, code in enumerate(codes)]
    assert "no column of dates" in rejection_of(to_text(f"{name},sold", rows).encode()).issue


@pytest.mark.parametrize("name", ["unit", "Store", "station"])
def test_twelve_things_a_year_are_series_and_not_months(name: str) -> None:
    rows = [f"{year},{n},{100 * n}" for year in range(2010, 2024) for n in range(1, 13)]
    reading = read_text(to_text(f"year,{name},output", rows))
    assert [len(series.values) for series in reading.series] == [14] * 12


def test_whole_dates_are_read_instead_of_the_fiscal_year_and_month_beside_them() -> None:
    rows = [f"{day},FY{(day.year + (day.month > 3)) % 100},{day:%b},{i}" for i, day in SINCE_APRIL]
    reading = read_text(to_text("Date,FY,Month,Sales", rows))
    assert requirements(reading) == []
    assert reading.series[0].timestamps[0] == "2023-04-01T00:00:00"
