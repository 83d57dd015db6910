"""Dates that stand only beside the first of their rows, as in outlines of reports."""

import pytest

from tests.tables.kinds.case import days, months, to_text
from tests.tables.tables import notes_of, read_text, requirements

MONTHS, DAYS = months(2023, 1, 24), days("2026-08-01", 30)
SHOPS = ["A", "B", "C"]


def outline(dates: list[str], names: list[str]) -> list[str]:
    return [
        f"{date if not number else ''},{name},{100 + row * 7 % 23 + number}"
        for row, date in enumerate(dates)
        for number, name in enumerate(names)
    ]


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize(
    "dates", [[f"{day:%Y-%m}" for day in MONTHS], [f"{day:%B %Y}" for day in MONTHS], DAYS]
)
def test_a_date_above_blanks_is_that_of_the_rows_below_it(dates: list, count: int) -> None:
    reading = read_text(to_text("Date,Shop,Sales", outline([*map(str, dates)], SHOPS[:count])))
    assert requirements(reading) == []
    assert [series.name for series in reading.series] == SHOPS[:count]
    assert all(len(series.values) == len(dates) for series in reading.series)
    assert reading.series[1].values[:2] == [101, 108]
    assert "Each “Date” is that of the rows below it, too." in notes_of(reading)


@pytest.mark.parametrize("units", [",,EUR", ",,in Mio. EUR"])
def test_dates_of_groups_are_found_above_a_row_of_units(units: str) -> None:
    rows = outline([f"{day:%b %Y}" for day in MONTHS], SHOPS[:2])
    reading = read_text(to_text("Month,Shop,Sales", [units, *rows]))
    assert [series.name for series in reading.series] == SHOPS[:2]
    assert reading.series[1].values[:2] == [101, 108]
    assert "Each “Month” is that of the rows below it, too." in notes_of(reading)


def test_subtotals_below_a_date_are_left_out() -> None:
    rows = []
    for row, day in enumerate(MONTHS):
        first, second = 100 + row, 200 + 7 * row
        rows += [f"{day:%B %Y},A,{first}", f",B,{second}", f",Subtotal,{first + second}"]
    reading = read_text(to_text("Close Date,Region,Amount", rows))
    assert [series.name for series in reading.series] == ["A", "B"]
    assert "Left out “Subtotal”: a total of other rows." in notes_of(reading)


def test_months_below_years_are_filled_down_like_these() -> None:
    rows = outline([f"{day:%b}" for day in MONTHS], SHOPS)
    rows = [f"{MONTHS[i // 3].year if i % 36 == 0 else ''},{row}" for i, row in enumerate(rows)]
    reading = read_text(to_text("Year,Month,Shop,Sales", rows))
    assert [series.name for series in reading.series] == SHOPS
    assert [len(series.values) for series in reading.series] == [24, 24, 24]
    assert reading.series[0].timestamps[-1].startswith("2024-12")


def test_lines_without_a_date_whose_texts_do_not_repeat_have_none() -> None:
    rows = [f"{day},{100 + i * 7 % 23},note {i}" for i, day in enumerate(DAYS)]
    rows[2::3] = [f"{row}\n,,continued {i}" for i, row in enumerate(rows[2::3])]
    reading = read_text(to_text("Date,Sales,Text", rows))
    assert "is that of the rows below it" not in notes_of(reading)
    assert len(reading.series[0].values) == len(DAYS)


@pytest.mark.parametrize("word", ["Total", "Разом", "Kokku", "Skupaj", "Σύνολο", "Tổng cộng"])
def test_totals_of_years_in_any_language_do_not_hide_the_years_of_months(word: str) -> None:
    rows = [
        row
        for i, day in enumerate(MONTHS)
        for row in (
            f"{day.year if i % 12 == 0 else ''},{day:%B},{100 + i * i % 17}",
            *([f"{word} {day.year},,1300"] if day.month == 12 else []),
        )
    ]
    reading = read_text(to_text("Year,Month,Sales", rows))
    assert requirements(reading) == []
    assert [len(series.values) for series in reading.series] == [24]
