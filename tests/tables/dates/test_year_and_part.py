"""A year and a part of it in two columns, in any language and beside other columns."""

import datetime as dt

import pytest

from tests.tables.tables import notes_of, read_text, requirements

MONTHS = [(2024 + n // 12, n % 12 + 1) for n in range(34)]
GROUPED = [(year, month, group) for year, month in MONTHS for group in ("A", "B")]
YEARS = range(2010, 2026)


@pytest.mark.parametrize("header", ["År;Måned", "Rok;Měsíc", "会计年度;会计期间", "Gj;Per.", "X;Y"])
@pytest.mark.parametrize("is_newest_first", [False, True])
def test_months_beside_years_and_a_group_do_not_name_series(
    header: str, is_newest_first: bool
) -> None:
    rows = [f"{y};{m};{group};{100 + 7 * m}" for y, m, group in GROUPED]
    reading = read_text([f"{header};G;V", *(rows[::-1] if is_newest_first else rows)])
    assert requirements(reading) == []
    monthly = {(s.name, str(s.data_frequency), len(s.values)) for s in reading.series}
    assert monthly == {("A", "Monthly", 34), ("B", "Monthly", 34)}


def test_days_of_the_year_are_dates_beside_a_year() -> None:
    days = [dt.date(2023, 12, 20) + dt.timedelta(n) for n in range(30)]
    rows = [f"{day:%Y};{int(f'{day:%j}')};{n}" for n, day in enumerate(days)]
    [series] = read_text(["year;doy;rain", *rows]).series
    assert (series.timestamps[12][:10], series.data_frequency) == ("2024-01-01", "Daily")


def test_names_of_months_may_be_far_from_the_year() -> None:
    names = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
    rows = [f"{y};MONAT;{names.split()[m - 1]};{100 + n}" for n, (y, m) in enumerate(MONTHS)]
    [series] = read_text(["Zeit;Merkmal;Auspraegung;Index", *rows]).series
    assert (series.data_frequency, series.values) == ("Monthly", [*range(100, 134)])


def test_an_index_and_a_count_beside_years_are_no_months_of_taiwan() -> None:
    rows = [f"{y};{m};{100 + n // 12}.{n % 12 + 1};25" for n, (y, m) in enumerate(MONTHS)]
    reading = read_text(["year;month;index;shops", *rows])
    assert reading.series[0].timestamps[0].startswith("2024-01-01")


def test_subtotals_without_a_date_do_not_hide_the_months() -> None:
    rows = [f"{y};{m};{group};{100 + 7 * m}" for y, m, group in GROUPED]
    totals = [f";;Totaal;{200 + 14 * month}" for _, month in MONTHS]
    mixed = [row for n, total in enumerate(totals) for row in (*rows[2 * n : 2 * n + 2], total)]
    reading = read_text(["Jaar;Maand;Groep;Bedrag", *mixed])
    assert [(s.name, len(s.values)) for s in reading.series] == [("A", 34), ("B", 34)]


@pytest.mark.parametrize("count", [8, 12])
def test_stores_that_are_numbered_are_series_of_years(count: int) -> None:
    rows = [f"{year};{n};{100 + n * year % 9}" for n in range(1, count + 1) for year in YEARS]
    reading = read_text(["Year;Store;Sales", *rows])
    assert [len(series.values) for series in reading.series] == [len(YEARS)] * count


@pytest.mark.parametrize(
    ("word", "count", "noun"), [("Zeitraum", 12, "months"), ("Bl", 4, "quarters")]
)
def test_names_that_are_numbered_like_parts_of_a_year_are_reported(
    word: str, count: int, noun: str
) -> None:
    rows = [f"{y};{word} {n};{100 + n * y % 9}" for y in YEARS for n in range(1, count + 1)]
    text = notes_of(read_text(["Year;Part;Sales", *rows]))
    assert f"{count} names are numbered: if they are {noun}, send dates such as 2024-" in text
