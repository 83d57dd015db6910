"""Distinguish dates from codes and part numbers that look like dates."""

import datetime as dt
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from app.tables.codes.key_names import is_named_code, is_named_thing
from app.tables.dates.cells import (
    date_reader,
    is_written_date,
    may_be_code,
    readers_in_any_order,
    year_of_taiwan,
)
from app.tables.dates.columns.sample import is_date_name
from app.tables.dates.notation import MAX_SPRINTS, number_with_s
from app.tables.dates.part_values import EPOCH_DAY
from app.tables.table import is_mostly
from app.timeseries.seconds import DAY_SECONDS

# From 1900 to 2100.
_MIN_LIKELY_SECONDS, _MAX_LIKELY_SECONDS = (
    (dt.date(year, 1, 1).toordinal() - EPOCH_DAY) * DAY_SECONDS for year in (1900, 2101)
)

_NO_QUARTER = re.compile(
    r"\d{4}[- ]?[kc][05-9]|c[05-9][- /]*\d{4}|[05-9]t\d{2}", re.ASCII | re.IGNORECASE
)
_MIN_NAME_LENGTH = 3  # shorter names, such as V for weeks, can mean anything
_SHORT_YEARS = 100  # smaller years of Taiwan have two digits
# 2021K1, 2021K2, 2021K3, 2021K4 follow each other, perhaps with a gap; of codes such as 2019K3 and
# 2021K1 there are fewer, or they are at uneven distances.
_MIN_DISTINCT_PERIODS = 4
_MIN_EVEN_STEP_FRACTION = 0.8


def are_codes(cells: Sequence[str], name: str) -> bool:
    """Return whether cells such as 2021K1 and 1T21 are codes, as they are not consecutive periods.

    They are also codes if their column is named after things, or one has a number that no quarter
    has. S1 2024 is the code of a sprint unless its column is named after dates, or has a number
    beyond those of a year's sprints. 99年 may be many years, or 1999, if no cell is like 112年.
    """
    numbers = [number for number in map(number_with_s, cells) if number]
    if 2 * len(numbers) > len(cells):
        is_known = max(numbers) <= 2 or max(numbers) > MAX_SPRINTS  # half-years, or weeks
        return is_named_thing(name) or not (
            is_known or len(name) < _MIN_NAME_LENGTH or is_date_name(name)
        )
    if not is_mostly(cells, may_be_code):
        return is_mostly(cells, year_of_taiwan) and max(map(year_of_taiwan, cells)) < _SHORT_YEARS
    if is_named_thing(name) or is_named_code(name) or any(map(_NO_QUARTER.fullmatch, cells)):
        return True
    dates = filter(None, map(date_reader(), cells))
    seconds = np.array([date.seconds for date in dates], dtype="datetime64[s]")
    months = np.unique(seconds.astype("datetime64[M]"))
    if months.size < _MIN_DISTINCT_PERIODS:
        return True
    steps = np.diff(months.astype(int))
    return bool((steps == steps.min()).mean() < _MIN_EVEN_STEP_FRACTION)


@lru_cache(maxsize=16_384)
def is_likely_date(cell: str) -> bool:
    """Return whether a cell is a date of a likely year, and not a part number such as 4711-01."""
    if not is_written_date(cell):
        return False
    dates = [date for read in readers_in_any_order() if (date := read(cell))]
    return any(_MIN_LIKELY_SECONDS <= date.seconds < _MAX_LIKELY_SECONDS for date in dates)
