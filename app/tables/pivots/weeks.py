"""Tables with the weeks of a year down and years across: their labels as dates."""

import re
from collections.abc import Sequence

import pandas as pd

from app.tables.words import WEEK

COUNTED_WEEK = re.compile(r"0?[1-9]|[1-4]\d|5[0-3]", re.ASCII)
_MIN_WEEKS = 32  # more than a month has days
_WEEK_NAME = re.compile(rf"\b(?:calendar ?)?(?:{WEEK})\b|週|周", re.IGNORECASE)


def are_weeks(names: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether a column that is named after weeks counts them from 1."""
    counted = [int(cell) for cell in cells if COUNTED_WEEK.fullmatch(cell)]
    is_whole = len(counted) >= _MIN_WEEKS and counted == [*range(1, len(counted) + 1)]
    return is_whole and any(map(_WEEK_NAME.search, names))


def join_weeks(weeks: pd.Series, years: pd.Series) -> pd.Series:
    """Return weeks of ISO 8601, which are named after the year of their Thursday."""
    is_week = weeks.str.fullmatch(COUNTED_WEEK) & (years != "")
    return (years + "-W" + weeks.str.zfill(2)).where(is_week, "")
