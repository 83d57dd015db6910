"""Leave out columns of numbers that number or describe rows or names, and report them."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.codes.key_names import is_named_account, is_named_code, is_named_document
from app.tables.dated_table import DatedTable
from app.tables.dates.cells import EXCEL_EPOCH
from app.tables.messages import quote
from app.tables.numbers.durations import parse_hours
from app.tables.numbers.parsing import is_numeric
from app.tables.reading import Reading
from app.tables.table import is_mostly
from app.tables.values.row_numbers import (
    MAX_COMPARED_CELLS,
    are_document_numbers,
    are_entry_numbers,
    are_ids,
    have_one_length,
    is_row_counter,
)
from app.tables.values.running_balances import is_balance
from app.timeseries.seconds import DAY_SECONDS
from app.timeseries.types import FloatArray, IntArray

_MIN_ROWS = 10  # fewer show nothing
# The codes of a column whose name suggests codes.
_MIN_CODE_DIGITS = 3
_MAX_CODES = 20
_MIN_CELLS_PER_CODE = 5
# Numbers that always have the same text in another column.
_MIN_DIGITS_WITH_TEXTS = 3
_MIN_CELLS_PER_TEXT = 10
_MAX_COLUMNS_WITH_TEXTS = 40
_MAX_QUALITY_GRADES = 6
_MIN_PERIODS_PER_YEAR = 3  # quarters are counted to 4
_QUARTER_HOUR_SECONDS = 900  # offsets of time zones are multiples of it
_CODE = re.compile(r"\d{0,20}", re.ASCII)
_GRADE = re.compile(r"-?\d{0,3}", re.ASCII)
_MIN_FILLED_FRACTION = 0.5  # the other rows may be subtotals with a date
# Columns of SDMX, in which agencies publish, and the place of a station: they describe a series.
_SERIES_ATTRIBUTE = re.compile(
    "unit_?mult(?:iplier)?|base_?per(?:iod)?|base_?year|ref_?year_?price|decimals|obs_?conf"
    "|conf_?status|obs_?pre_?break|prec_?(?:ision)?"
    "|lat(?:itude)?|lon(?:gitude)?|lng|elev(?:ation)?|alt(?:itude)?",
    re.IGNORECASE,
)
# Columns of weather services and loggers: they say how good the values next to them are.
_QUALITY = re.compile(
    r"(?:qn|qc|qf|qa|qflag)(?:[_ -]?\d{1,2})?|\w{1,20}[_ -](?:qc|qf|qflag|flag|attributes)"
    r"|(?:quality|qualit[äe]ts?)[_ -]?(?:flag|code|level|niveau|byte|stufe)"
    "|.{0,60}(?:品質情報|均質番号|現象なし情報)",  # of Japan's weather service
    re.IGNORECASE,
)
_CARD_DIGITS = re.compile(r"\blast[ _]?(?:4|four)\b|\bpan[ _]?suffix\b", re.IGNORECASE)


class _SeriesRows(NamedTuple):
    """The series of each row, shape (n,), and the first row of each series."""

    codes: IntArray
    first_rows: IntArray
    are_bookings: bool


def without_attributes(
    numeric: list[int], dated_table: DatedTable, names: np.ndarray, reading: Reading
) -> list[int]:
    """Return columns of numbers without those that describe names or values; report these.

    A column that is asked for is kept, and so is the last one unless it numbers entries. ``names``
    has the name of each row's series.
    """
    if len(dated_table.body) < _MIN_ROWS:
        return numeric
    wanted = reading.answers.columns
    column_names = dated_table.heading.names
    optional = [column for column in numeric if column_names[column] not in wanted]
    attributes = _find_attributes(optional, numeric, dated_table, names) if len(numeric) > 1 else {}
    repeats = {
        column: "repeats a part of the dates"
        for column in optional
        if column not in attributes and _repeats_dates(column, dated_table)
    }
    # Every table has values: its only column of numbers is kept, whatever it looks like.
    alternatives = (attributes | repeats, attributes)
    reasons = next((some for some in alternatives if len(some) < len(numeric)), {})
    unexplained = [column for column in optional if column not in reasons]
    counters = _entry_numbers(unexplained, numeric, dated_table, names)
    reasons |= dict.fromkeys(counters, "numbers the rows")
    for column, reason in sorted(reasons.items()):
        text = f"Not read: {quote(column_names[column])} {reason}."
        reading.add_remark("column_not_read", text)
    return [column for column in numeric if column not in reasons]


def _repeats_dates(column: int, dated_table: DatedTable) -> bool:
    cells = dated_table.body[column]
    index = pd.DatetimeIndex(dated_table.times)
    parts = [part.to_numpy() for part in (index.year, index.month) if part.nunique() > 1]
    return (
        any(_are_equal(cells, part) for part in parts)
        or _are_dates(cells, dated_table)
        or _are_calendar_parts(cells, dated_table)
    )


def _entry_numbers(
    columns: list[int], numeric: list[int], dated_table: DatedTable, names: np.ndarray
) -> list[int]:
    """Return those of ``columns`` that number the entries of the other ``numeric`` columns."""
    cells = {column: dated_table.body[column] for column in numeric}  # each access takes 20 µs
    written = dated_table.heading.written
    return [
        column
        for column in columns
        if are_entry_numbers(
            written[column],
            cells[column].to_numpy(),
            dated_table.times,
            names,
            [others for other, others in cells.items() if other != column],
        )
    ]


def _find_attributes(
    optional: list[int], numeric: list[int], dated_table: DatedTable, names: np.ndarray
) -> dict[int, str]:
    """Return why ``optional`` columns are not read, by column."""
    codes = pd.factorize(names)[0]
    first_rows = np.unique(codes, return_index=True)[1]
    are_bookings = bool(dated_table.body[[*dated_table.dates.columns]].duplicated().any())
    series = _SeriesRows(codes, first_rows, are_bookings)
    reasons = {c: next(_reasons(c, numeric, dated_table, series), "") for c in optional}
    return {column: reason for column, reason in reasons.items() if reason}


def _reasons(
    column: int, numeric: list[int], dated_table: DatedTable, series: _SeriesRows
) -> Iterator[str]:
    """Yield why a column is not read; the first reason counts."""
    body, heading, dates = dated_table.body, dated_table.heading, dated_table.dates
    name, cells = heading.written[column], body[column].to_numpy()
    first, name_count = cells[series.first_rows], len(series.first_rows)
    has_one_each = bool((first[series.codes] == cells).all())
    if has_one_each and _SERIES_ATTRIBUTE.fullmatch(name):
        yield "describes the values"
    if _is_quality(name, cells):
        yield "says how good the values are"
    if _CARD_DIGITS.search(name):
        yield "has the last digits of cards"
    if _is_constant(name, cells, name_count):
        yield "is the same in each row"
    has_several = has_one_each and name_count > 1 and len({*first.tolist()}) > 1
    if has_several and is_mostly(first.tolist(), _CODE.fullmatch):
        yield "has one number for each name"
    if _have_own_texts(cells, body, numeric):
        yield "has one number for each text"
    if (is_named_code(name) and _are_few_codes(cells)) or _are_accounts(name, cells):
        yield "has codes"
    are_documents = series.are_bookings or is_named_document(name)
    if are_documents and are_document_numbers(name, cells):
        yield "numbers the rows"
    if is_row_counter(heading, column, cells, dates):
        yield "numbers the rows"
    is_list = series.are_bookings and name_count == 1
    if are_ids(cells, dated_table.times, is_list=is_list):
        others = [body[other] for other in numeric if other != column]
        if not is_balance(body[column], others):
            yield "has another number in each row"


def _is_constant(name: str, cells: np.ndarray, name_count: int) -> bool:
    """Return whether all rows have the same duration, code, or number, of several names."""
    filled = cells[cells != ""]
    if filled.size < max(_MIN_ROWS, _MIN_FILLED_FRACTION * cells.size):
        return False
    first = filled[0]
    is_attribute = name_count > 1 or is_named_code(name) or (parse_hours(first) or 0) > 0
    return bool(is_attribute and (filled == first).all())


def _are_equal(cells: pd.Series, numbers: np.ndarray) -> bool:
    return all(  # the first ones show it for most columns
        np.array_equal(pd.to_numeric(cells.iloc[:end], errors="coerce"), numbers[:end])
        for end in (MAX_COMPARED_CELLS, None)
    )


def _are_dates(cells: pd.Series, dated_table: DatedTable) -> bool:
    """Return whether numbers are the dates of their rows, in days or seconds since an epoch."""
    seconds = dated_table.times.astype(np.int64)
    for end in (MAX_COMPARED_CELLS, None):  # the first ones show it for most columns
        numbers = pd.to_numeric(cells.iloc[:end], errors="coerce").to_numpy()
        times = seconds[:end]
        if np.unique(times).size < 2 or not np.isfinite(numbers).all():
            return False
        clocks = ((numbers - EXCEL_EPOCH) * DAY_SECONDS, numbers, numbers / 1000)
        if not any(_is_zone(clock - times) for clock in clocks):
            return False
    return True


def _are_calendar_parts(cells: pd.Series, dated_table: DatedTable) -> bool:
    """Return whether numbers are business years, or the numbers of weeks and the like in them.

    A business year is at most one away from the year of its date. Numbers of periods go up by 1
    from date to date, and begin again at 1.
    """
    top = pd.to_numeric(cells.iloc[:MAX_COMPARED_CELLS], errors="coerce")
    if not (top > 0).all() or (top % 1).any():
        return False  # found early for most columns
    numbers = pd.to_numeric(cells, errors="coerce").to_numpy()
    times, first = np.unique(dated_table.times, return_index=True)
    dated = numbers[first]
    if (
        times.size < _MIN_ROWS
        or not (numbers == dated[np.searchsorted(times, dated_table.times)]).all()
    ):
        return False
    steps = np.diff(dated)
    years = pd.DatetimeIndex(times).year
    if (np.abs(dated - years) <= 1).all():
        return bool(np.isin(steps, (0, 1)).all())
    restarts = (dated[1:] == 1) & (steps < 0)
    return bool(
        restarts.any() and dated.max() > _MIN_PERIODS_PER_YEAR and ((steps == 1) | restarts).all()
    )


def _is_zone(seconds: FloatArray) -> bool:
    """Return whether clocks are always as far apart as two time zones are."""
    apart = float(seconds[0])
    quarters = round(apart / _QUARTER_HOUR_SECONDS)
    is_offset = abs(apart) <= DAY_SECONDS and abs(apart - _QUARTER_HOUR_SECONDS * quarters) < 1
    return is_offset and bool((np.abs(seconds - apart) < 1).all())


def _are_few_codes(cells: np.ndarray) -> bool:
    filled = cells[cells != ""]
    return have_one_length(filled, _MIN_CODE_DIGITS) and _are_few(filled)


def _are_accounts(name: str, cells: np.ndarray) -> bool:
    if not is_named_account(name):
        return False
    distinct = pd.unique(cells[cells != ""])
    return distinct.size <= cells.size // 2 and all(map(str.isdecimal, distinct))


def may_be_codes(name: str, cells: np.ndarray) -> bool:
    """Return whether a few whole numbers, even short ones, are named like codes."""
    if not is_named_code(name):
        return False
    filled = cells[cells != ""]
    return _are_few(filled) and all(map(str.isdecimal, pd.unique(filled)))


def _are_few(cells: np.ndarray) -> bool:
    return len(pd.unique(cells)) <= min(_MAX_CODES, cells.size // _MIN_CELLS_PER_CODE)


def _have_own_texts(cells: np.ndarray, body: pd.DataFrame, numeric: Collection[int]) -> bool:
    if not have_one_length(cells, _MIN_DIGITS_WITH_TEXTS):
        return False
    codes, numbers = pd.factorize(cells)
    if not 1 < len(numbers) <= cells.size // _MIN_CELLS_PER_TEXT:
        return False
    first_rows = np.unique(codes, return_index=True)[1]
    columns_of_texts = (
        body[column].to_numpy()
        for column in [*body][:_MAX_COLUMNS_WITH_TEXTS]
        if column not in numeric
    )
    return any(
        len({*texts[first_rows].tolist()} - {""}) == len(numbers)
        and (texts[first_rows][codes] == texts).all()
        and not any(map(is_numeric, texts[first_rows]))
        for texts in columns_of_texts
    )


def _is_quality(name: str, cells: np.ndarray) -> bool:
    if not _QUALITY.fullmatch(name):
        return False
    kinds = pd.unique(cells)
    return len(kinds) <= _MAX_QUALITY_GRADES and all(map(_GRADE.fullmatch, kinds))
