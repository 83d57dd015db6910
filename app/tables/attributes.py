"""Leave out columns of numbers that number or describe rows or names, and report them."""

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from app.tables.dates.date_columns import DateColumns
from app.tables.heading import Heading
from app.tables.results import Reading
from app.tables.samples import is_mostly
from app.tables.table import shorten

_MIN_NAMES, _MIN_ROWS = 2, 10
_MAX_GRADES = 6  # of quality
_CODE = re.compile(r"\d{0,20}", re.ASCII)
_GRADE = re.compile(r"-?\d{0,3}", re.ASCII)
_ONE = re.compile(r"0{0,8}1(?:\.0?)?", re.ASCII)
_MIN_ROWS_BESIDE = 30  # that are numbered behind their date: few values may grow so
_MIN_NUMBERED_SHARE = 0.5  # of the rows: others may be subtotals with a date
# Columns of SDMX, in which agencies publish: they describe a series.
_SERIES_ATTRIBUTE = re.compile(
    "unit_?mult(?:iplier)?|base_?per(?:iod)?|base_?year|ref_?year_?price|decimals|obs_?conf"
    "|conf_?status|obs_?pre_?break|prec_?(?:ision)?",
    re.IGNORECASE,
)
# Columns of weather services and loggers: they say how good the values beside them are.
_QUALITY = re.compile(
    r"(?:qn|qc|qf|qa|qflag)(?:[_ -]?\d{1,2})?|\w{1,20}[_ -](?:qc|qf|qflag|flag|quality)"
    r"|(?:quality|qualit[äe]ts?)[_ -]?(?:flag|code|level|niveau|byte|stufe)"
    "|.{0,60}(?:品質情報|均質番号|現象なし情報)",  # of Japan's weather service
    re.IGNORECASE,
)


def without_attributes(
    numeric: list[int],
    body: pd.DataFrame,
    names: np.ndarray,
    dates: DateColumns,
    heading: Heading,
    reading: Reading,
) -> list[int]:
    """Return columns of numbers without those that describe names or values; report these.

    ``names``: of the series of rows. A column that is asked for is kept.
    """
    if len(numeric) < 2 or len(body) < _MIN_ROWS:
        return numeric
    codes, distinct = pd.factorize(names)
    first_rows = np.unique(codes, return_index=True)[1]
    reasons: dict[int, str] = {}
    for column in numeric:
        cells = body[column].to_numpy()
        first = cells[first_rows]
        has_one_each = bool((first[codes] == cells).all())
        if heading.names[column] in (reading.answers.columns or ()):
            continue
        if has_one_each and _SERIES_ATTRIBUTE.fullmatch(heading.written[column]):
            reasons[column] = "describes the values"
        elif _is_quality(heading.written[column], cells):
            reasons[column] = "says how good the values are"
        elif has_one_each and len(distinct) >= _MIN_NAMES and _are_codes(first):
            reasons[column] = "has one number for each name"
        elif _number_rows(column, (cells, heading.body[column].to_numpy()), dates):
            reasons[column] = "numbers the rows"
    kept = [column for column in numeric if column not in reasons]
    for column, reason in reasons.items() if kept else ():
        text = f"Not read: “{shorten(heading.names[column])}” {reason}."
        reading.add_remark("column_not_read", text)
    return kept or numeric


def _are_codes(cells: np.ndarray) -> bool:
    return len({*cells.tolist()}) > 1 and is_mostly(cells.tolist(), _CODE.fullmatch)


def _number_rows(column: int, parts: Iterable[np.ndarray], dates: DateColumns) -> bool:
    """Return whether one of some parts of a column counts its rows."""
    min_rows = _MIN_ROWS if column < min(dates.columns) else _MIN_ROWS_BESIDE
    return any(_are_row_numbers(cells, min_rows) for cells in parts)


def _are_row_numbers(cells: np.ndarray, min_rows: int) -> bool:
    """Return whether cells count the rows from 1, up or down."""
    filled = cells[cells != ""]
    if filled.size < max(min_rows, _MIN_NUMBERED_SHARE * cells.size):
        return False
    if not _ONE.fullmatch(filled[0]):
        filled = filled[::-1]
    if not _ONE.fullmatch(filled[0]):
        return False  # found early for most columns
    numbers = pd.to_numeric(pd.Series(filled), errors="coerce").to_numpy()
    return bool((np.diff(numbers) == 1).all())


def _is_quality(name: str, cells: np.ndarray) -> bool:
    if not _QUALITY.fullmatch(name):
        return False
    kinds = pd.unique(cells)
    return len(kinds) <= _MAX_GRADES and all(map(_GRADE.fullmatch, kinds))
