"""Find rows that a file has twice, as of two exports in one file that overlap."""

import numpy as np
import pandas as pd

from app.tables.dated_table import DatedTable
from app.tables.messages import list_rows
from app.tables.numbers.parsing import is_numeric
from app.tables.reading import Reading
from app.tables.table import SAMPLE_CELLS, is_mostly
from app.timeseries.types import BoolArray, IntArray

_MIN_BLOCK_DATES = 10  # two sales of a day may be alike, and so may two short tables
_MIN_BLOCK_CONTENTS = 5  # two stores may both have no sales for weeks
_MAX_DISTANCES_TRIED = 5  # from a block to its repetition
_MAX_COPIES_FRACTION = 0.02  # more rows that are alike are parts, as of two branches
# At least this fraction of the rows must be unlike all others, so that two are not alike by chance.
_MIN_UNIQUE_ROW_FRACTION = 0.5
# This fraction of the pairs of a name and a date must have a row.
_MIN_DATES_PER_NAME_FRACTION = 0.8


def find_repeated_rows(dated_table: DatedTable, reading: Reading) -> BoolArray:
    """Return which rows repeat a block of earlier rows cell by cell, or are copies by mistake."""
    body, times = dated_table.body, dated_table.times
    is_repeated = np.zeros(len(body), dtype=bool)
    if pd.Index(times).is_unique:
        return is_repeated
    days = pd.factorize(times)[0]
    contents = pd.factorize(_join_cells(body.drop(columns=[*dated_table.dates.columns])))[0]
    keys = pd.factorize(days * len(body) + contents)[0]
    first_rows = np.unique(keys, return_index=True)[1][keys]
    distances = pd.Series(np.arange(len(body)) - first_rows)
    counts = distances[distances > 0].value_counts()
    for distance in counts[counts >= _MIN_BLOCK_DATES].index[:_MAX_DISTANCES_TRIED].tolist():
        is_alike = np.concatenate([np.zeros(distance, bool), keys[distance:] == keys[:-distance]])
        blocks = np.cumsum(is_alike & ~np.concatenate([[False], is_alike[:-1]]))[is_alike]
        repeats = pd.DataFrame({"day": days[is_alike], "content": contents[is_alike]})
        distinct = repeats.groupby(blocks).transform("nunique")
        is_block = (distinct["day"] >= _MIN_BLOCK_DATES) & (
            distinct["content"] >= _MIN_BLOCK_CONTENTS
        )
        is_repeated[np.flatnonzero(is_alike)[is_block.to_numpy()]] = True
    if not is_repeated.any() and not counts.empty:
        text_columns = _columns_of_text(body, dated_table.dates.columns)
        names = pd.factorize(_join_cells(body[text_columns]))[0]
        is_repeated = _find_copies(distances > 0, days, names, contents)
    if is_repeated.any():
        rows = body.index[is_repeated].unique().tolist()
        text = f"Left out {list_rows(rows, reading)}: the same again, cell by cell."
        reading.add_remark("repeated_rows", text, rows)
    return is_repeated


def _join_cells(cells: pd.DataFrame) -> np.ndarray:
    """Return the cells of each row in one string; no cell has null bytes."""
    return np.array([*map("\x00".join, cells.to_numpy())], dtype=object)


def _columns_of_text(body: pd.DataFrame, dates: tuple[int, ...]) -> list[int]:
    sample = body.iloc[:SAMPLE_CELLS]
    return [c for c in body if c not in dates and not is_mostly(sample[c].tolist(), is_numeric)]


def _find_copies(
    is_copy: pd.Series, days: IntArray, names: IntArray, contents: IntArray
) -> BoolArray:
    """Return which rows are copies of an earlier one by mistake.

    Only a few are: the other rows are hardly ever alike, no name repeats a date in them, and names
    have nearly all dates. Two bookings may be alike without a mistake.
    """
    copies = is_copy.to_numpy()
    count = copies.size
    others = count - int(copies.sum())
    day_count, name_count = np.unique(days).size, np.unique(names).size
    is_mistake = (
        count - others <= max(1, _MAX_COPIES_FRACTION * count)
        and day_count >= _MIN_BLOCK_DATES
        and _MIN_DATES_PER_NAME_FRACTION * day_count * name_count <= others
        and np.unique(days * name_count + names).size == others
        and np.unique(contents).size >= _MIN_UNIQUE_ROW_FRACTION * others
    )
    return copies & is_mistake
