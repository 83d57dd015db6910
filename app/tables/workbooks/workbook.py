"""Read the stored values of a workbook's sheet (.xlsx, .ods) as a table.

Nothing in a workbook is executed: macros, pictures and embedded files are dropped before parsing.
"""

import datetime as dt
import io
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
from python_calamine import CalamineSheet, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from app.tables.errors import SAVE_REMEDY, UnreadableTableError, WrongAnswerError
from app.tables.messages import MAX_OFFERED_NAMES, shorten
from app.tables.numbers.parsing import stored_number
from app.tables.reading import Choice, Reading, Suggestion
from app.tables.table import Table, check_size, check_total_size
from app.tables.workbooks.number_formats import apply_formats, apply_shown_signs
from app.tables.workbooks.parts import UnpackedWorkbook, unpack_parts
from app.tables.workbooks.sheet_marks import SheetMarks, report_hidden_cells
from app.timeseries.words import count_of

MAX_SHEETS = 20  # each takes up to 40 ms
_MAX_SHEET_NAME_LENGTH = 255  # Excel's are up to 31
_MAX_SHOWN_CELLS = 3  # of a sheet, in the question which one to read
# A sheet of up to this many rows may be a legend, such as of codes; four rows are data.
_MAX_LEGEND_ROWS = 3
_HALF_SECOND = dt.timedelta(microseconds=500_000)
_YEAR = "Year"  # the name of the column that is added
_YEAR_WORD = re.compile(r"(?:19|20)\d{2}|2100", re.ASCII)


class SheetSample(NamedTuple):
    """How many of the first rows of a sheet are rows of series, and the names of its columns."""

    row_count: int
    names: tuple[str, ...] = ()


def read_workbook(
    content: bytes, reading: Reading, sample: Callable[[Table], SheetSample]
) -> Table | None:
    """Return the table in a sheet of a workbook; None if the sheet must be chosen.

    ``sample`` returns how many of the first rows of a sheet are rows of series.

    Raise UnreadableTableError if it is not a workbook, or is broken, too large or empty,
    WrongAnswerError if it has no sheet with the wanted name.
    """
    wanted = reading.answers.sheet
    unpacked = unpack_parts(content, reading.bounds.max_unpacked_bytes)
    unpacked.file.seek(0)
    if unpacked.empty_formulas:
        reading.add_remark("no_stored_value", _describe_formulas(unpacked))
    tables = _sheet_tables(unpacked.file, wanted, reading)
    if not tables:
        raise UnreadableTableError("the workbook is empty: send one with a table in it", 1, 1)
    samples = {name: sample(table) for name, table in tables.items()}
    likely = _likely_sheets(samples)
    yearly = (
        _find_yearly_sheets({name: tables[name] for name in likely}, samples[likely[0]].names)
        if wanted is None
        else {}
    )
    is_open = len(likely) > 1 and wanted is None and not yearly
    if len(tables) > 1:
        offered = [name for name in tables if len(likely) == 1 or name in (*likely, wanted)]
        choices = [_sheet_choice(name, tables[name]) for name in offered]
        reading.ask("sheet", f"The workbook has {len(tables)} sheets.", choices, required=is_open)
    show = partial(_show_cells, unpacked, tables, reading)
    if yearly:
        return _join_yearly_sheets(
            {year: show(name).cells.loc[header:] for year, (name, header) in yearly.items()},
            reading,
        )
    chosen_name = None if is_open else wanted or likely[0]
    reading.chosen.sheet = chosen_name
    return None if chosen_name is None else show(chosen_name)


def _show_cells(
    unpacked: UnpackedWorkbook, tables: Mapping[str, Table], reading: Reading, name: str
) -> Table:
    """Return the table of a sheet with its cells as their formats show them."""
    marks = unpacked.sheets.get(name, SheetMarks())
    report_hidden_cells(marks, reading)
    signed = apply_shown_signs(tables[name], marks.signs, reading)
    return apply_formats(signed, marks.formats, unpacked.format_codes)


def _likely_sheets(samples: dict[str, SheetSample]) -> list[str]:
    """Return the sheets with series, or all if none has any.

    A legend of a few rows next to a longer table does not count, unless it has the same columns.
    """
    most = max(sample.row_count for sample in samples.values())
    long = {sample.names for sample in samples.values() if sample.row_count > _MAX_LEGEND_ROWS}
    likely = [
        name
        for name, (rows, names) in samples.items()
        if rows > _MAX_LEGEND_ROWS or (rows and (most <= _MAX_LEGEND_ROWS or names in long))
    ]
    return likely or [*samples]


def _describe_formulas(unpacked: UnpackedWorkbook) -> str:
    count, first_cell = unpacked.empty_formulas, unpacked.empty_formula_at
    formulas_text = "1 formula has" if count == 1 else f"{count:,} formulas have"
    first = f" (the first is in {first_cell})" if first_cell else ""
    remedy = "open the workbook in its program and save it, so that they are stored"
    return f"{formulas_text} no stored value{first}: {remedy}."


def _sheet_choice(name: str, table: Table) -> Choice:
    rows, columns = table.cells.shape
    cells = [cell for row in table.cells.to_numpy()[:2] for cell in row if cell][:_MAX_SHOWN_CELLS]
    size = f"{count_of(rows, 'row')}, {count_of(columns, 'column')}"
    return Choice(name, size, shorten(", ".join(cells)))


def _sheet_tables(file: io.BytesIO, sheet_name: str | None, reading: Reading) -> dict[str, Table]:
    try:
        book = CalamineWorkbook.from_filelike(file)
        names = _sheet_names(book, sheet_name, reading)
        tables = {}
        cells = 0
        for name in names:  # several can share one part, so their cells are counted here, too
            sheet = book.get_sheet_by_name(name)
            cells += sheet.height * sheet.width
            check_total_size(cells)
            tables[name] = _sheet_table(sheet)
    except (WrongAnswerError, UnreadableTableError, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # calamine's PanicException is not an Exception
        raise UnreadableTableError(f"the workbook is broken: {SAVE_REMEDY}") from error
    filled = {name: table for name, table in tables.items() if not table.cells.empty}
    if sheet_name is not None and sheet_name not in filled:
        raise WrongAnswerError("sheet", "the sheet is empty; send another one")
    return filled


def _sheet_names(book: CalamineWorkbook, sheet_name: str | None, reading: Reading) -> list[str]:
    visible = [
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.typ is SheetTypeEnum.WorkSheet
        and (sheet.visible is SheetVisibleEnum.Visible or sheet.name == sheet_name)
    ]
    longest = max(map(len, visible), default=0)
    if longest > _MAX_SHEET_NAME_LENGTH:
        raise UnreadableTableError(
            f"a sheet's name has {longest:,} characters: send names of at most "
            f"{_MAX_SHEET_NAME_LENGTH}"
        )
    if sheet_name is not None and sheet_name not in visible:
        names_text = ", ".join(visible[:MAX_OFFERED_NAMES])
        raise WrongAnswerError("sheet", f"unknown sheet; send one of {names_text}")
    if len(visible) > MAX_SHEETS:
        text = f"Looked at the first {MAX_SHEETS} of {len(visible):,} sheets."
        suggestion = Suggestion("sheet", None, "For another, send its name.")
        reading.add_remark("sheets", text, suggestion=suggestion)
    return [
        name for position, name in enumerate(visible) if position < MAX_SHEETS or name == sheet_name
    ]


def _sheet_table(sheet: CalamineSheet) -> Table:
    rows = {}
    for number, row in enumerate(sheet.iter_rows(), 1):
        strings = list(map(_cell_text, row))
        if any(strings):
            rows[number] = strings
    return Table(pd.DataFrame([*rows.values()], index=[*rows], dtype=object))


def _cell_text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, (int, float)):
        return stored_number(cell)
    if isinstance(cell, dt.datetime):  # stored as a fraction of a day, which is rarely exact
        rounded = min(cell, dt.datetime.max - _HALF_SECOND) + _HALF_SECOND
        return str(rounded.replace(microsecond=0)).removesuffix(" 00:00:00")
    if isinstance(cell, dt.timedelta):
        seconds = round(cell.total_seconds())
        return f"{seconds // 3600:02}:{seconds % 3600 // 60:02}:{seconds % 60:02}"
    return str(cell).strip()  # a string, a date or a time of day


def _find_yearly_sheets(
    tables: Mapping[str, Table], names: tuple[str, ...]
) -> dict[str, tuple[str, int]]:
    """Return the sheet of each year and its row of names, if all have the columns ``names``.

    The names of the sheets differ in the year only, such as Sales 2024 and Sales 2025. {} for
    other workbooks.
    """
    sheets: dict[str, tuple[str, int]] = {}
    others = set()
    for name, table in tables.items():
        words = name.split()
        years = [word for word in words if _YEAR_WORD.fullmatch(word)]
        header = _find_row(table, names)
        if len(years) != 1 or header is None:
            return {}
        others.add(" ".join(word for word in words if word not in years))
        sheets[years[0]] = (name, header)
    is_yearly = len(sheets) == len(tables) > 1 and len(others) == 1
    return dict(sorted(sheets.items())) if is_yearly else {}


def _find_row(table: Table, names: tuple[str, ...]) -> int | None:
    rows = zip(table.cells.index, table.cells.to_numpy().tolist(), strict=True)
    return next((number for number, row in rows if tuple(filter(None, row)) == names), None)


def _join_yearly_sheets(cells: Mapping[str, pd.DataFrame], reading: Reading) -> Table:
    """Return the cells of each year as one table, which has the year before each row.

    The first row of each has the names of the columns. Rows are counted on from sheet to sheet.
    """
    first = next(iter(cells.values()))
    parts = [pd.DataFrame([[_YEAR, *first.iloc[0]]])]
    for year, of_year in cells.items():
        rows = of_year.iloc[1:].to_numpy().tolist()
        parts.append(pd.DataFrame([[year, *row] for row in rows]))
    joined = pd.concat(parts).fillna("")
    check_size(*joined.shape)
    text = f"The sheets of {', '.join(cells)} are read as one table, whose rows are counted on."
    reading.add_remark("sections", text)
    return Table(joined.set_axis(range(1, len(joined) + 1)))
