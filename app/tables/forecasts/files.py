"""Write a table with forecasts as a file: CSV, a workbook, or JSON."""

import csv
import datetime as dt
import io
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import orjson
import xlsxwriter
from xlsxwriter.format import Format

from app.tables.forecasts.dates import DateCell, DateWriter
from app.tables.forecasts.formulas import escape_formula
from app.tables.forecasts.rows import Cell, ForecastTable, future_times, table_of_forecasts
from app.tables.forecasts.types import (
    FileFormat,
    ForecastOptions,
    ForecastPair,
    SeriesForecast,
    TableStyle,
    TableToForecast,
)
from app.tables.workbooks.bounded_xml import MAX_CELL_LENGTH
from app.timeseries.calendar.timestamps import format_timestamps

_BOM = "\ufeff"
_FIRST_EXCEL_TIME = np.datetime64("1900-03-01", "s")  # Excel's 1900 has a 29 February
_COLUMN_WIDTH = 14  # characters
# Rows of the series, and of the forecast.
_LOOKS: tuple[dict[str, str], ...] = ({}, {"font_color": "#1D4ED8"})
# Not the time of writing: the same request gets the same bytes.
_CREATED = dt.datetime(2000, 1, 1)


def write_forecasts(
    table: TableToForecast,
    forecasts: Sequence[SeriesForecast],
    options: ForecastOptions,
    file_format: FileFormat,
) -> bytes:
    """Return the file of a table with its forecasts; runs in an engine process."""
    pairs = [ForecastPair(*pair) for pair in zip(table.series, forecasts, strict=True)]
    if file_format is FileFormat.JSON:
        series = [_json_series(pair, options) for pair in pairs]
        body = {"series": series, "remarks": [*table.remarks]}
        return orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
    output = table_of_forecasts(pairs, table.style, options)
    if file_format is FileFormat.CSV:
        return _write_csv(output, table.style)
    style = table.style
    dates = DateWriter(style.date_form, table.series[0].suffix, style.timezone)
    notes = [remark.full_text for remark in table.remarks]
    return _write_workbook(output, notes, style.date_format or dates.excel_format)


def _write_csv(table: ForecastTable, style: TableStyle) -> bytes:

    def text_of(cell: Cell) -> str:
        if isinstance(cell, DateCell):
            return cell.text
        if isinstance(cell, str):
            return escape_formula(cell)
        number = "" if cell is None else repr(cell).removesuffix(".0")
        return number.replace(".", style.decimal.character)

    file = io.StringIO()
    writer = csv.writer(file, delimiter=style.delimiter)
    writer.writerow(map(escape_formula, table.header))
    writer.writerows(map(text_of, row.cells) for row in table.rows)
    text = file.getvalue()
    return (text if text.isascii() else _BOM + text).encode()


def _write_workbook(table: ForecastTable, notes: Sequence[str], date_format: str | None) -> bytes:
    """Return a workbook, whose rows are written to a temporary file one by one."""
    file = io.BytesIO()
    # Texts stay texts, whatever they start with.
    texts = {"strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, {"constant_memory": True, **texts}) as book:
        book.set_properties({"created": _CREATED})
        bold = book.add_format({"bold": True})

        @cache
        def style_of(number_format: str | None, *, is_forecast: bool) -> Format:
            excel_code = number_format or "General"  # Excel takes an empty format for damage
            return book.add_format({"num_format": excel_code, **_LOOKS[is_forecast]})

        sheet = book.add_worksheet("Forecast")
        sheet.freeze_panes(1, 0)
        sheet.set_column(0, len(table.header) - 1, _COLUMN_WIDTH)
        for column, name in enumerate(table.header):
            sheet.write_string(0, column, name[:MAX_CELL_LENGTH], bold)
        for row, column, value, cell_format, is_forecast in _excel_cells(table, date_format):
            write = sheet.write_string if isinstance(value, str) else sheet.write
            write(row, column, value, style_of(cell_format, is_forecast=is_forecast))
        if notes:
            cells = [note[:MAX_CELL_LENGTH] for note in notes]
            book.add_worksheet("Notes").write_column(0, 0, cells)
    return file.getvalue()


def _excel_cells(
    table: ForecastTable, date_format: str | None
) -> Iterator[tuple[int, int, object, str | None, bool]]:
    """Yield the row and column of each cell that is not empty, what Excel stores, and its format.

    The last item is whether the row is of a forecast.
    """
    for number, row in enumerate(table.rows, 1):
        is_forecast = any(row.cells[column] is not None for column in table.bounds)
        for column, cell in enumerate(row.cells):
            value, cell_format = _excel_value(cell, row.formats[column], date_format)
            if value is not None:
                yield number, column, value, cell_format, is_forecast


def _excel_value(
    cell: Cell, number_format: str, date_format: str | None
) -> tuple[object, str | None]:
    """Return what Excel stores for a cell, and its format; a date that Excel lacks is a text."""
    if isinstance(cell, DateCell):
        if date_format and cell.shown >= _FIRST_EXCEL_TIME:
            return cell.shown.item(), date_format
        return cell.text, None
    return (cell[:MAX_CELL_LENGTH], None) if isinstance(cell, str) else (cell, number_format)


def _json_series(pair: ForecastPair, options: ForecastOptions) -> dict[str, object]:
    """Return a series as it is in JSON: numbers are not rounded."""
    series, forecast = pair
    times = future_times(series, options.horizon)[: forecast.median.size]
    past = None
    if options.includes_history:
        past = {
            "timestamps": format_timestamps(series.times, series.suffix),
            "values": series.values,
        }
    return {
        "name": series.name,
        "forecast_timestamps": format_timestamps(times, series.suffix),
        "lower_bound": forecast.lower,
        "median": forecast.median,
        "upper_bound": forecast.upper,
        "notices": list(forecast.notices),
        "problem": pair.problem or None,
        "history": past,
    }
