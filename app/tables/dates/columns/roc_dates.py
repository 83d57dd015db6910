"""Find dates with years of the Republic of China, as in Taiwan, that have no sign of it: 11201."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import pandas as pd

from app.tables.dates.columns.sample import ColumnSample
from app.tables.dates.columns.types import DateColumns, DateKind

_MIN_MONTHS = 6  # 10711 to 10801 may be codes
_MIN_FORM_FRACTION = 0.9  # of the cells; the others may be totals and notes
_MONTH, _DAY = "1[0-2]|0?[1-9]", r"[12]\d|3[01]|0?[1-9]"
_DATE = re.compile(
    rf"^(1\d{{2}}|[6-9]\d)(?:[-/.]({_MONTH})|(0[1-9]|1[0-2]))(?:[-/.]({_DAY}))?$", re.ASCII
)


def find_roc(columns: ColumnSample) -> DateColumns | None:
    """Find such dates in a column, or a year and a month in two: after month 12 comes month 1."""
    for taken in columns.singles_and_pairs():
        rows = pd.DataFrame({index: columns.first_cells[index] for index in taken}, dtype=object)
        if _are_roc(_join(rows, taken).tolist()) and columns.has_numbers_beside(*taken):
            return DateColumns(taken, DateKind.FULL, partial(_write_dates, taken))
    return None


def _are_roc(cells: Sequence[str]) -> bool:
    """Return whether cells are days, or all months of a part of two years or more."""
    matches = [match for match in map(_DATE.fullmatch, cells) if match]
    if len(matches) < max(_MIN_MONTHS, _MIN_FORM_FRACTION * sum(map(bool, cells))):
        return False
    if all(match[4] and len(match[1]) > 2 for match in matches):
        return True
    months = sorted({12 * int(match[1]) + int(match[2] or match[3]) - 1 for match in matches})
    steps = {later - earlier for earlier, later in pairwise(months)}
    is_of_years = months[0] // 12 < months[-1] // 12
    return steps == {1} and is_of_years and len(months) >= _MIN_MONTHS


def _join(rows: pd.DataFrame, taken: tuple[int, ...]) -> pd.Series:
    first, *others = (rows[index] for index in taken)
    return first + "/" + others[0].str.rstrip("月") if others else first


def _write_dates(taken: tuple[int, ...], rows: pd.DataFrame) -> pd.Series:
    return _join(rows, taken).str.replace(_DATE, _write_date, regex=True)


def _write_date(match: re.Match[str]) -> str:
    day = f"{match[4]}日" if match[4] else ""
    return f"民國{match[1]}年{match[2] or match[3]}月{day}"
