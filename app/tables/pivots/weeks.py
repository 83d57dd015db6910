"""Tables with the weeks of years: down with the years across, or the other way round."""

import re
from collections.abc import Sequence

import pandas as pd

from app.tables.words import WEEK

COUNTED_WEEK = re.compile(r"0?[1-9]|[1-4]\d|5[0-3]", re.ASCII)
WEEK_LABEL = re.compile(
    rf"(?:(?:{WEEK}|[wsv])[ .]?)?(0?[1-9]|[1-4]\d|5[0-3])", re.ASCII | re.IGNORECASE
)
_MIN_WEEKS = 32  # more than a month has days
_WEEK_NAME = re.compile(rf"\b(?:calendar ?)?(?:{WEEK})\b|週|周", re.IGNORECASE)


def are_weeks(names: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether a column that is named after weeks counts them from 1."""
    counted = [int(cell) for cell in cells if COUNTED_WEEK.fullmatch(cell)]
    return _count_from_one(counted) and any(map(_WEEK_NAME.search, names))


def are_week_labels(labels: Sequence[str]) -> bool:
    """Return whether labels such as W1 and W2, or 1 and 2, are weeks: a few are other things."""
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
