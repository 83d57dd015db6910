"""Several series one below the other: which columns say what a row belongs to."""

import re
from collections.abc import Collection, Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.forecasting.calendar.timestamps import TimeArray
from app.reading.numbers import is_hole, looks_like_number

MOST_SERIES = 500
BETWEEN = " · "
_MOST_COLUMNS = 40
_REPEATING, _UNIQUE = 0.8, 0.98
_NAME = re.compile(r"[\w ·-]+", re.ASCII)


def names_of(rows: pd.DataFrame, columns: Iterable[int]) -> pd.Series:
    """Return what each row belongs to."""
    first, *others = (rows[column] for column in columns)
    return first.str.cat(others, sep=BETWEEN)


def find_name_columns(
    rows: pd.DataFrame, times: TimeArray, taken: Collection[int]
) -> tuple[int, ...]:
    """Return the columns, one or two, whose names make the dates unique; () for one series.

    ``rows`` have a date each, in ``times``; ``taken`` are the columns of the dates.
    """
    moments, distinct = pd.factorize(times)
    if len(distinct) > _REPEATING * len(rows):
        return ()
    free = [column for column in rows if column not in taken][:_MOST_COLUMNS]
    if len(free) < 2:  # there are values beside the names
        return ()
    for size in (1, 2):
        weighed = (
            _weigh(rows, moments, len(distinct), names) for names in combinations(free, size)
        )
        found = sorted(filter(None, weighed))
        if found:
            return found[0].columns
    return ()


class _Weight(NamedTuple):
    is_number: bool
    names: int
    columns: tuple[int, ...]


def _weigh(
    rows: pd.DataFrame, moments: np.ndarray, distinct: int, columns: tuple[int, ...]
) -> _Weight | None:
    names, known = pd.factorize(names_of(rows, columns))
    count = len(known)
    if not 2 <= count <= min(MOST_SERIES, len(rows) // 2):
        return None
    if len(np.unique(moments.astype(np.int64) * count + names)) < _UNIQUE * len(rows):
        return None
    is_number = any(_are_numbers(rows[column]) for column in columns)
    # Values repeat as well: numbers are names where each has a whole series.
    is_whole = abs(count * distinct - len(rows)) <= 0.2 * len(rows)
    if is_number and not (is_whole and all(map(_NAME.fullmatch, known))):
        return None
    return _Weight(is_number, count, columns)


def _are_numbers(cells: pd.Series) -> bool:
    codes, distinct = pd.factorize(cells)
    alike = np.array([looks_like_number(cell) or is_hole(cell) for cell in distinct])
    return bool(alike[codes].sum() > 0.5 * len(cells))
