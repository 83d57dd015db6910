"""The labels of periods, of weeks, of the parts of years, and of averages in a pivot."""

import re
from collections.abc import Collection, Sequence
from itertools import islice

import numpy as np
import pandas as pd

from app.tables.dates.cells import is_written_date, is_yearless
from app.tables.dates.columns.period_codes import HALF_CODE
from app.tables.dates.fiscal import split_fiscal_month
from app.tables.dates.month_names import fold_text, languages_of, month_of
from app.tables.dates.year_labels import COUNTED_MONTH
from app.tables.dates.year_patterns import FISCAL_PREFIX, MODERN_YEAR
from app.tables.pivots.period_header import MAX_ROWS_TRIED
from app.tables.table import Table
from app.tables.words import DAY, MONTH, PERIOD, QUARTER, WEEK

_POINT_MONTH = re.compile(
    rf"{MODERN_YEAR}\.(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])\.{MODERN_YEAR}", re.ASCII
)
HALF = re.compile(r"(?:h|hj|hy) ?[12]", re.ASCII | re.IGNORECASE)
QUARTER_LABEL = re.compile(r"(?:q|qtr|t)[1-4]", re.ASCII | re.IGNORECASE)
_FISCAL_SHORT_YEAR = rf"{FISCAL_PREFIX} ?\d{{2,4}}"
_FISCAL_YEAR = rf"(?:{_FISCAL_SHORT_YEAR}(?:[-–/]\d{{2,4}})?|{MODERN_YEAR}[-–/]\d{{2,4}})"
_FISCAL_QUARTER = re.compile(
    rf"q[1-4] {_FISCAL_YEAR}|{_FISCAL_YEAR} q[1-4]", re.ASCII | re.IGNORECASE
)
_FISCAL_PERIOD = re.compile(
    rf"[mp]\d{{1,2}}[- /.]?{_FISCAL_SHORT_YEAR}|{_FISCAL_SHORT_YEAR}[- /.]?[mp]\d{{1,2}}",
    re.ASCII | re.IGNORECASE,
)
COUNTED_WEEK = re.compile(r"0?[1-9]|[1-4]\d|5[0-3]", re.ASCII)
WEEK_LABEL = re.compile(
    rf"(?:(?:{WEEK}|[wsv])[ .]?)?(0?[1-9]|[1-4]\d|5[0-3])", re.ASCII | re.IGNORECASE
)
_NUMBERED_PART = re.compile(
    rf"(?:{DAY}|{WEEK}|{MONTH}|{PERIOD}|{QUARTER}|half|semest(?:er|re)|h[jy]|[dhmpqstvw])[ .]?"
    r"\d{1,2}"
    r"|\d{1,2} ?[hmpqstw]",
    re.ASCII | re.IGNORECASE,
)
_MIN_WEEKS = 32  # more than a month has days
_WEEK_NAME = re.compile(rf"\b(?:calendar ?)?(?:{WEEK})\b|週|周", re.IGNORECASE)
_AVERAGES = {"avg": "Average", "med": "Median"}  # August in Slovenian, September in Welsh
_MAX_LENGTH = 4
_MIN_AVERAGED_PERIODS = 2  # beside an average
_MAX_LABEL_COLUMNS = 5  # at the left, which may have the months


def is_period_label(cell: str) -> bool:
    """Return whether a cell names a period with its year: ``2024.03``, ``Q1 FY24``."""
    patterns = (_POINT_MONTH, HALF_CODE, _FISCAL_QUARTER, _FISCAL_PERIOD)
    is_written = is_written_date(cell) or any(pattern.fullmatch(cell) for pattern in patterns)
    return is_written or split_fiscal_month(cell) is not None


def is_month_or_quarter(cell: str) -> bool:
    """Return whether a cell names a month or a quarter: ``Mar``, ``Q1``."""
    return bool(month_of(cell) or QUARTER_LABEL.fullmatch(cell))


def is_part_of_year_label(cell: str) -> bool:
    """Return whether a cell names or counts a part of a year: ``Mar``, ``Q1``, ``3``."""
    return is_yearless_label(cell) or COUNTED_MONTH.fullmatch(cell) is not None


def is_yearless_label(cell: str) -> bool:
    """Return whether a cell names a date without its year, or a quarter: ``5 Mar``, ``Q1``."""
    return bool(is_yearless(cell) or QUARTER_LABEL.fullmatch(cell))


def may_be_part_of_year(cell: str) -> bool:
    """Return whether a cell may be a part of a year, other than a number: ``1st half``, ``P01``."""
    if is_yearless_label(cell) or _NUMBERED_PART.fullmatch(cell):
        return True
    return is_written_date(cell) or is_written_date(f"2024 {cell}")


def are_weeks(names: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether a column that is named after weeks counts them from 1."""
    counted = [int(cell) for cell in cells if COUNTED_WEEK.fullmatch(cell)]
    return _count_from_one(counted) and any(map(_WEEK_NAME.search, names))


def are_week_labels(labels: Sequence[str]) -> bool:
    """Return whether labels such as W1 and W2, or 1 and 2, are weeks: a few may be other things."""
    return _count_from_one([int(match[1]) for match in map(WEEK_LABEL.fullmatch, labels) if match])


def _count_from_one(numbers: Sequence[int]) -> bool:
    return len(numbers) >= _MIN_WEEKS and numbers == [*range(1, len(numbers) + 1)]


def join_labelled_weeks(years: pd.Series, labels: pd.Series) -> pd.Series:
    """Return weeks of ISO 8601, from years and labels such as W1 or 1."""
    return join_weeks(labels.str.replace(WEEK_LABEL, r"\1", regex=True), years)


def join_weeks(weeks: pd.Series, years: pd.Series) -> pd.Series:
    """Return weeks of ISO 8601, which are named after the year of their Thursday."""
    is_week = weeks.str.fullmatch(COUNTED_WEEK) & (years != "")
    return (years + "-W" + weeks.str.zfill(2)).where(is_week, "")


def expand_averages(table: Table) -> Table:
    """Return the table with Avg and Med beside months in full, unless these are months, too.

    They are if the others are of the same language, and one of them is the month before or after.
    The months are in a row that may be a header, or in one of the first columns.
    """
    cells = table.cells.to_numpy()
    lines = [*cells[:MAX_ROWS_TRIED], *islice(cells.T, _MAX_LABEL_COLUMNS)]
    averages = [_averages_among({*line}) for line in lines]
    if not any(averages):
        return table
    expanded = cells.copy()
    lines = [*expanded[:MAX_ROWS_TRIED], *islice(expanded.T, _MAX_LABEL_COLUMNS)]
    for line, words in zip(lines, averages, strict=True):
        for label, word in words.items():
            line[np.asarray(line == label, dtype=bool)] = word
    return table.with_cells(expanded)


def _averages_among(labels: Collection[str]) -> dict[str, str]:
    short = {label for label in labels if 0 < len(label) <= _MAX_LENGTH}
    words = {label: _AVERAGES.get(fold_text(label).rstrip(".")) for label in short}
    averages = {label: word for label, word in words.items() if word}
    if not averages:
        return {}
    periods = [label for label in labels if label not in averages and is_month_or_quarter(label)]
    if len(periods) < _MIN_AVERAGED_PERIODS:
        return {}
    languages = frozenset.intersection(*map(languages_of, periods))
    months = [*filter(None, map(month_of, periods))]
    neighbours = {month + step for month in months for step in (-1, 1)}
    return {
        label: word
        for label, word in averages.items()
        if not (languages & languages_of(label) and neighbours.intersection([month_of(label)]))
    }
