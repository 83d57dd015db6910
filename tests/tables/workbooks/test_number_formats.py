"""Number formats of a workbook are kept for its history and forecasts."""

import datetime as dt
import io
import zipfile
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import xlsxwriter

from app.tables.answers import PeriodAggregation
from app.tables.forecasts.files import write_forecasts
from app.tables.forecasts.types import (
    FileFormat,
    SeriesForecast,
)
from app.tables.workbooks.number_formats import MAX_FORMATS, FormatList, currency_of
from tests.tables.tables import WITH_HISTORY, read_bytes, table_to_forecast

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
MONTHS = [dt.datetime(2023 + n // 12, 1 + n % 12, 1) for n in range(24)]
PERCENT, MONEY, MONTH = "0.0%", '#,##0.00\\ "€"', "mmm\\-yy"
Column = tuple[str, Sequence[Any], str]


def book_of(*columns: Column) -> bytes:
    """Return a workbook of columns: header, cells, number format."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        for position, (header, cells, code) in enumerate(columns):
            sheet.write(0, position, header)
            style = book.add_format({"num_format": code})
            for row, cell in enumerate(cells, 1):
                sheet.write(row, position, cell, style)
    return file.getvalue()


def formats_in(content: bytes) -> list[list[str]]:
    """Return the number formats of the rows of a workbook's first sheet, "" for General."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        styles = ElementTree.fromstring(file.read("xl/styles.xml"))
        sheet = ElementTree.fromstring(file.read("xl/worksheets/sheet1.xml"))
    codes = {code.get("numFmtId"): code.get("formatCode") for code in styles.iter(f"{MAIN}numFmt")}
    codes |= {"10": "0.00%", "17": "mmm-yy"}
    cells = styles.find(f"{MAIN}cellXfs")
    assert cells is not None
    of_styles = [codes.get(style.get("numFmtId"), "") or "" for style in cells]
    rows = sheet.iter(f"{MAIN}row")
    return [[of_styles[int(cell.get("s", 0))] for cell in row] for row in rows]


def answer(content: bytes) -> list[list[str]]:
    """Return the number formats of a table with its forecasts, without the header."""
    table = table_to_forecast(content)
    forecast = SeriesForecast(np.ones(1), np.ones(1), np.ones(1))
    file = write_forecasts(table, [forecast] * len(table.series), WITH_HISTORY, FileFormat.WORKBOOK)
    return formats_in(file)[1:]


def test_values_and_dates_keep_the_formats_of_their_columns() -> None:
    shares = ("Occupancy", [0.9 + n / 1000 for n in range(24)], PERCENT)
    revenue = ("Revenue", [1000.5 + n for n in range(24)], MONEY)
    guests = ("Guests", range(100, 124), "General")
    rows = answer(book_of(("Month", MONTHS, MONTH), shares, revenue, guests))
    assert len(rows) == 25
    past, future = rows[0], rows[-1]
    assert past == [MONTH, PERCENT, MONEY, ""]
    assert future == [MONTH, *[PERCENT] * 3, *[MONEY] * 3, *[""] * 3]


def test_each_row_of_a_table_with_months_across_keeps_its_format() -> None:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        month, share = (book.add_format({"num_format": code}) for code in (MONTH, PERCENT))
        for column, date in enumerate(MONTHS, 1):
            sheet.write(0, column, date, month)
            sheet.write(1, column, 100 + column)
            sheet.write(2, column, 0.8 + column / 1000, share)
        sheet.write_column(0, 0, ["Month", "Guests", "Occupancy"])
    rows = answer(file.getvalue())
    assert rows[0][:3] == ["", MONTH, ""]
    assert rows[-1] == ["", MONTH, *[PERCENT] * 3]


def test_a_reading_says_the_format_and_its_currency() -> None:
    content = book_of(("Month", MONTHS, MONTH), ("Revenue", [1000.5] * 24, MONEY))
    [form] = read_bytes(content).notation.number_forms
    assert (form["number_format"], form["before"], form["after"]) == (MONEY, "", " €")


def test_dates_of_combined_hours_have_no_time() -> None:
    hours = [MONTHS[0] + dt.timedelta(hours=n) for n in range(24 * 30)]
    content = book_of(("Hour", hours, "dd.mm.yyyy hh:mm"), ("Guests", range(720), "0"))
    reading = read_bytes(content, per=PeriodAggregation.DAY_TOTAL)
    assert reading.notation.date_format == ""
    assert read_bytes(content).notation.date_format == "dd.mm.yyyy hh:mm"


@pytest.mark.parametrize(
    "code", ['0"', "[Red", "0\x01", "0\\", "@", "General", "0" * 256, "-0", '0" Cr"']
)
def test_formats_that_break_a_workbook_or_are_read_as_signs_are_not_kept(code: str) -> None:
    formats = FormatList()
    formats.add("170", code)
    assert "170" not in formats.positions


def test_the_number_of_formats_is_bounded() -> None:
    formats = FormatList()
    for n in range(2 * MAX_FORMATS):
        formats.add(str(200 + n), f'0"{n}"')
    assert len(formats.codes) == MAX_FORMATS


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("[$€-407] #,##0.00", ("€ ", "")),
        ('_-"£"* #,##0.00_-;-"£"* #,##0.00_-', ("£", "")),
        ('#,##0\\ "kr"', ("", " kr")),
        ("0.0%", ("", "")),
        ('0 "pcs of 5"', ("", "")),
    ],
)
def test_the_currency_of_a_format_is_found(code: str, expected: tuple[str, str]) -> None:
    assert currency_of(code) == expected
