"""Find retail years of 13 periods, and unmarked years of Taiwan's calendar."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from app.tables.dates.columns.date_columns import DateColumns, DateKind
from app.tables.dates.columns.sample import MAX_COLUMNS_TRIED, ColumnSample
from app.tables.dates.counted_periods import PERIODS_PER_YEAR
from app.tables.dates.year_patterns import FISCAL_PREFIX, FULL_YEAR
from app.tables.numbers.parsing import read_likely_numbers

_YEAR = rf"{FISCAL_PREFIX}? ?'?((?:19|20)?\d{{2}})"
_NUMBER = r"(?:period|pd|p)?[-. ]?0?(\d{1,2})"
_PERIOD = re.compile(rf"{_YEAR}[-/. ]*(?=p){_NUMBER}", re.ASCII | re.IGNORECASE)
_PERIOD_NUMBER = re.compile(_NUMBER, re.ASCII | re.IGNORECASE)
_JOINED = re.compile(rf"{_YEAR}/{_NUMBER}", re.ASCII | re.IGNORECASE)
# A thirteenth period of four weeks is about as large as the others; corrections of the year, which
# ledgers book in a period 13 after December, are much smaller.
_MAX_LAST_PERIOD_RATIO = 3
_MIN_ROC_MONTHS = 6  # 10711 to 10801 may be codes
_MIN_FORM_FRACTION = 0.9  # of the cells; the others may be totals and notes
_MONTH = "1[0-2]|0?[1-9]"
_DAY = r"[12]\d|3[01]|0?[1-9]"
_ROC_DATE = re.compile(
    rf"^(1\d{{2}}|[6-9]\d)(?:[-/.]({_MONTH})|(0[1-9]|1[0-2]))(?:[-/.]({_DAY}))?$", re.ASCII
)


def find_thirteen_periods(columns: ColumnSample) -> DateColumns | None:
    """Find 13 periods of each year in a column, or in two with the year and the period."""
    for taken in columns.singles_and_pairs():
        last = taken[-1]
        is_named = columns.is_named(last, "month")
        if len(taken) > 1 and columns.is_mostly(last, str.isdigit) and not is_named:
            continue  # such as numbers of shops
        if not columns.is_mostly(last, (_PERIOD_NUMBER if len(taken) > 1 else _PERIOD).fullmatch):
            continue
        numbers = _count_periods(columns.rows, taken)
        if _are_thirteen(numbers) and _has_usual_last(columns, numbers, taken):
            return DateColumns(taken, DateKind.COUNTED, partial(_write_counts, taken))
    return None


def _are_thirteen(numbers: pd.Series) -> bool:
    """Return whether all periods of two years or more are there, without gaps."""
    counts = numbers.dropna().unique()
    if len(counts) < 2 * PERIODS_PER_YEAR or numbers.isna().mean() > 0.1:
        return False
    return bool(counts.max() - counts.min() == len(counts) - 1)


def _has_usual_last(columns: ColumnSample, numbers: pd.Series, taken: tuple[int, ...]) -> bool:
    """Return whether values of the last period of a year are about as large as others."""
    is_last = (numbers % PERIODS_PER_YEAR == PERIODS_PER_YEAR - 1).to_numpy()
    for index in range(min(columns.width, MAX_COLUMNS_TRIED)):
        values = np.abs(read_likely_numbers(columns.rows[index]))
        if index not in taken and np.isfinite(values[is_last]).any():
            last, usual = (np.nanmedian(values[part]) for part in (is_last, ~is_last))
            if usual <= _MAX_LAST_PERIOD_RATIO * last and last <= _MAX_LAST_PERIOD_RATIO * usual:
                return True
    return False


def _write_counts(taken: tuple[int, ...], rows: pd.DataFrame) -> pd.Series:
    counts = _count_periods(rows, taken)
    return counts.map("period {:.0f}".format).where(counts.notna(), "")


def _count_periods(rows: pd.DataFrame, taken: tuple[int, ...]) -> pd.Series:
    """Return the number of each row's period, counted from the year 0 on; NaN for others."""
    first, *others = (rows[index] for index in taken)
    joined = (first + "/" + others[0]).str.extract(_JOINED) if others else None
    parts = first.str.extract(_PERIOD) if joined is None else joined
    year, number = (pd.to_numeric(parts[column], errors="coerce") for column in parts)
    is_period = number.between(1, PERIODS_PER_YEAR)
    return (PERIODS_PER_YEAR * year.where(year > 99, year + 2000) + number - 1).where(is_period)


def find_roc(columns: ColumnSample) -> DateColumns | None:
    """Find dates such as 11201 in a column, or a year and a month in two.

    After month 12 comes month 1. Beside years of our era, such numbers are values.
    """
    years = [i for i in range(columns.width) if columns.is_named(i, "year")]
    if any(columns.is_mostly(i, FULL_YEAR.fullmatch) for i in years):
        return None
    for taken in columns.singles_and_pairs():
        rows = pd.DataFrame({index: columns.first_cells[index] for index in taken}, dtype=object)
        if _are_roc(_join_periods(rows, taken).tolist()) and columns.has_numbers_beside(*taken):
            return DateColumns(taken, DateKind.FULL, partial(_write_dates, taken))
    return None


def _are_roc(cells: Sequence[str]) -> bool:
    """Return whether cells are days, or all months of a part of two years or more."""
    matches = [match for match in map(_ROC_DATE.fullmatch, cells) if match]
    if len(matches) < max(_MIN_ROC_MONTHS, _MIN_FORM_FRACTION * sum(map(bool, cells))):
        return False
    if all(match[4] and len(match[1]) > 2 for match in matches):
        return True
    months = sorted({12 * int(match[1]) + int(match[2] or match[3]) - 1 for match in matches})
    steps = {later - earlier for earlier, later in pairwise(months)}
    is_of_years = months[0] // 12 < months[-1] // 12
    return steps == {1} and is_of_years and len(months) >= _MIN_ROC_MONTHS


def _write_dates(taken: tuple[int, ...], rows: pd.DataFrame) -> pd.Series:
    return _join_periods(rows, taken).str.replace(_ROC_DATE, _write_date, regex=True)


def _join_periods(rows: pd.DataFrame, taken: tuple[int, ...]) -> pd.Series:
    first, *others = (rows[index] for index in taken)
    return first + "/" + others[0].str.rstrip("月") if others else first


def _write_date(match: re.Match[str]) -> str:
    day = f"{match[4]}日" if match[4] else ""
    return f"民國{match[1]}年{match[2] or match[3]}月{day}"
