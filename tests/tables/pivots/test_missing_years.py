"""Months or days side by side without a year: asked, or taken from a title or the sheet's name."""

import calendar
import datetime as dt
from dataclasses import replace

import pytest

from app.tables.answers import Fill
from tests.tables.kinds.agencies import INDONESIAN
from tests.tables.kinds.case import draw, to_text
from tests.tables.tables import BOUNDS, notes_of, read_bytes, read_text, requirements, workbook

ENGLISH = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
COSTS = {"Rent": draw(12, 900, 0), "Wages": draw(12, 4100, 0)}
SALES = draw(365, 1200, 0, 7)


def months_across(months: list[str], *titles: str) -> str:
    rows = [f"{name};" + ";".join(map(str, values)) for name, values in COSTS.items()]
    return to_text(*titles, f"Account;{';'.join(months)};Total", [f"{row};5" for row in rows])


def day_grid(months: list[str], *titles: str, missing: str = "", days: int = 365) -> str:
    """Return the days of a month down, the months of 2025 across."""
    rows = []
    for day in range(1, 32):
        cells = [str(day)]
        for month in range(1, 13):
            is_day = day <= calendar.monthrange(2025, month)[1]
            position = dt.date(2025, month, day).timetuple().tm_yday - 1 if is_day else 0
            value = f"{SALES[position]:.0f}" if position < days else ""
            cells.append(value if is_day else missing)
        rows.append(";".join(cells))
    return to_text(*titles, f"Tgl;{';'.join(months)}", rows, f"Jumlah;{';'.join('1' * 12)}")


def test_months_across_without_a_year_ask_for_it() -> None:
    text = months_across(ENGLISH)
    assert requirements(read_text(text)) == ["year"]
    series = read_text(text, year=2024).series
    assert {account.name: account.values for account in series} == COSTS
    assert series[0].timestamps[::11] == ["2024-01-01T00:00:00", "2024-12-01T00:00:00"]


@pytest.mark.parametrize(
    "title", ["OMZET TAHUN 2025 (Rp)", "Kosten 2025", "2025年", "Printed 02.11.2026, costs of 2025"]
)
def test_the_year_of_a_title_is_used_with_a_remark(title: str) -> None:
    reading = read_text(months_across(ENGLISH, title, "in EUR"))
    assert requirements(reading) == []
    assert "The dates have no year: 2025 is that of a title" in notes_of(reading)
    assert reading.series[0].timestamps[0] == "2025-01-01T00:00:00"


@pytest.mark.parametrize(
    "title", ["Budget 2025/26", "Printed 02.11.2026", "As of March 2025", "2024 and 2025"]
)
def test_a_date_or_two_years_in_a_title_open_a_question(title: str) -> None:
    assert requirements(read_text(months_across(ENGLISH, title))) == ["year"]


def test_months_of_two_years_open_a_question_in_spite_of_a_title() -> None:
    text = months_across(ENGLISH[3:] + ENGLISH[:3], "Budget 2024")
    assert requirements(read_text(text)) == ["year"]
    [rent, _] = read_text(text, year=2024).series
    assert (rent.timestamps[-1], rent.values) == ("2025-03-01T00:00:00", COSTS["Rent"])


def test_the_year_in_the_name_of_a_sheet_is_used() -> None:
    rows = [["Account", *ENGLISH], *([name, *values] for name, values in COSTS.items())]
    body = workbook({"2023": rows, "2024": rows})
    reading = read_bytes(body, sheet="2024")
    assert (requirements(reading), reading.chosen.year) == ([], 2024)
    assert reading.series[0].timestamps[0] == "2024-01-01T00:00:00"


@pytest.mark.parametrize("missing", ["", "-", "0"])
def test_days_down_and_months_across_are_one_series_of_days(missing: str) -> None:
    with_years = day_grid([f"{month} 2025" for month in INDONESIAN], missing=missing)
    titled = day_grid(INDONESIAN, "OMZET HARIAN TAHUN 2025", missing=missing)
    for reading in (
        read_text(with_years),
        read_text(titled),
        read_text(day_grid(INDONESIAN, missing=missing), year=2025),
    ):
        assert requirements(reading) == []
        assert [(s.timestamps[0], s.values) for s in reading.series] == [
            ("2025-01-01T00:00:00", SALES)
        ]


def test_days_to_come_are_not_gaps_but_words_are() -> None:
    text = day_grid(INDONESIAN, days=300).replace(f"\n1;{SALES[0]:.0f};", "\n1;libur;")
    [series] = read_text(text, year=2025, fill=Fill.ZERO).series
    assert series.values == [0, *SALES[1:300]]


@pytest.mark.parametrize("year", ["", " 2025"])
def test_months_down_and_days_across_are_one_series_of_days(year: str) -> None:
    cells = [row.split(";") for row in day_grid([m + year for m in INDONESIAN]).split("\n")]
    text = to_text("", [";".join(row) for row in zip(*cells[:32], strict=True)])
    reading = read_text(text) if year else read_text(text, year=2025)
    assert [series.values for series in reading.series] == [SALES]
    if not year:
        assert requirements(read_text(text)) == ["year"]


def test_days_across_without_a_year_are_days() -> None:
    days = ";".join(f"{day}/3" for day in range(1, 32))
    text = to_text(f"Staff;{days}", [f"{name};{';'.join('8' * 31)}" for name in "AB"])
    assert requirements(read_text(text)) == ["year"]
    assert read_text(text, year=2026).series[0].timestamps[-1] == "2026-03-31T00:00:00"


def test_numbered_items_with_months_across_are_not_days() -> None:
    months = ";".join(f"{month} 2025" for month in ENGLISH)
    rows = [f"{n};Item {n};{';'.join(str(n * m) for m in range(12))}" for n in range(1, 32)]
    assert len(read_text(to_text(f"No;Item;{months}", rows)).series) == 31


def test_dates_after_today_are_asked_once_their_year_is_known() -> None:
    rows = [f"{month};{n + 3};{n % 5}" for n, month in enumerate(ENGLISH)]
    bounds = replace(BOUNDS, today=dt.date(2026, 6, 1))
    assert requirements(read_text(to_text("Month;A;B", rows), bounds)) == ["year"]
