"""Join numbers that were split: a comma or a space is in them as well as between cells."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dates.cells import is_date
from app.tables.errors import UnreadableTableError
from app.tables.numbers.parsing import is_numeric
from app.tables.reading import Choice, Reading
from app.tables.table import SAMPLE_CELLS, SPACES, Table
from app.timeseries.types import BoolArray, IntArray

_HEAD = re.compile(r"[-+(]*\W?\d{1,3}", re.ASCII)
_THOUSANDS = re.compile(r"\d{3}(?:\.\d+)?\)?", re.ASCII)
_DIGITS = re.compile(r"\d+\)?", re.ASCII)
_MAX_PARTS = 3
_NOTE = re.compile(r"notes?|comments?|remarks?|memo|bemerkung(?:en)?|kommentare?|remarques?|notas?")
_MAX_COLUMNS = 50
_MIN_NAMES = 3  # of columns of which several may have split numbers


class _OpenSplit(NamedTuple):
    """Two columns whose cells may be one number, as ``is_split`` marks rows, and their names."""

    start: int
    width: int  # of the table if they are one number
    is_split: BoolArray
    names: Sequence[str]


def join_split_numbers(table: Table, text: str, reading: Reading) -> Table:
    """Join the split numbers of a table, which is that in the ``text``.

    Rows with too many cells show a split number. What may be one number or two is asked: the last
    two of three cells without a header, and cells in rows that are longer than the header by an
    empty cell, or whose notes are all numbers.
    """
    if table.delimiter not in (",", SPACES) or table.cells.shape[1] > _MAX_COLUMNS:
        return table
    lengths = _row_lengths(table.cells)
    split_cells = _find_split(table.cells, lengths)
    if split_cells is None:
        open_split = _find_open_split(table, lengths, text)
        if open_split is not None and _ask_for_number(table, open_split, reading):
            reading.answers = replace(reading.answers, columns=())  # it is the name of no column
            split_cells = open_split.start, open_split.width
            lengths = open_split.width + open_split.is_split
    if split_cells is None and table.delimiter == ",":
        _reject_several_splits(table.cells, lengths, reading)
    return table if split_cells is None else _join_cells(table, lengths, *split_cells, reading)


def _ask_for_number(table: Table, split: _OpenSplit, reading: Reading) -> bool:
    """Ask whether cells are one number, and return whether the answer says so."""
    answers = reading.answers
    row = table.cells.iloc[int(split.is_split.argmax())].tolist()
    parts = row[split.start : split.start + 2]
    whole = table.delimiter.join(parts)
    one_number = f"Column {split.start + 1} and {split.start + 2}"
    choices = [
        *(Choice(name, "a number", part) for name, part in zip(split.names, parts, strict=True)),
        Choice(one_number, "one number", whole),
    ]
    text = f"Are “{whole}” two numbers, or one?"
    reading.ask("columns", text, choices, required=not answers.columns)
    return one_number in answers.columns


def _find_open_split(table: Table, lengths: IntArray, text: str) -> _OpenSplit | None:
    """Find cells that may be one number, but also two."""
    cells = table.cells
    if _can_be_split(cells, lengths):
        return _OpenSplit(1, 2, np.ones(len(cells), dtype=bool), ("Column 2", "Column 3"))
    names = cells.iloc[0, : int(lengths[0])].tolist() if len(cells) else []
    width = len(names)
    if width < _MIN_NAMES or any(map(is_numeric, names)) or lengths.max() > width:
        return None
    if not (_has_longer_rows(cells, text) or _NOTE.fullmatch(names[-1].casefold())):
        return None
    for start in range(width - 2, 0, -1):
        heads, tails = cells[start].iloc[1:], cells[start + 1].iloc[1:]
        is_filled = tails != ""
        if start < width - 2 and not is_filled.all():
            return None  # which rows have two parts is open
        fits = heads.str.fullmatch(_HEAD) & tails.str.fullmatch(_THOUSANDS)
        if is_filled.sum() > 1 and fits[is_filled].all():
            is_split = np.concatenate([[False], is_filled.to_numpy()])
            return _OpenSplit(start, width, is_split, names[start : start + 2])
    return None


def _has_longer_rows(cells: pd.DataFrame, text: str) -> bool:
    """Return whether the last row ends with a comma, and the names do not."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first, last = (lines[row - 1].rstrip() for row in (cells.index[0], cells.index[-1]))
    return last.endswith(",") and not first.endswith(",")


def _join_cells(table: Table, lengths: IntArray, start: int, width: int, reading: Reading) -> Table:
    cells = table.cells.copy()
    joined = []
    for position in np.flatnonzero(lengths > width).tolist():
        row = cells.iloc[position].tolist()
        extra = int(lengths[position]) - width
        parts = row[start : start + extra + 1]
        if all(any(map(str.isdigit, part)) for part in parts):
            whole = table.delimiter.join(parts)
            cells.iloc[position] = [*row[:start], whole, *row[start + extra + 1 :], *[""] * extra]
            joined.append((int(cells.index[position]), whole))
    row_number, example = joined[0]
    between = "commas" if table.delimiter == "," else "spaces"
    reading.add_remark(
        "joined",
        f"{reading.row_label(row_number).capitalize()} has “{example}”, and {between} separate the "
        "cells: it was read as one number.",
        [row for row, _ in joined],
    )
    return replace(table, cells=cells.iloc[:, : max(width, 1)])


def _row_lengths(cells: pd.DataFrame) -> IntArray:
    """Return the number of cells of each row, without trailing empty ones."""
    filled = (cells != "").to_numpy()
    return filled.shape[1] - filled[:, ::-1].argmax(axis=1)


def _find_split(cells: pd.DataFrame, lengths: IntArray) -> tuple[int, int] | None:
    """Return the column of split numbers, and the number of columns without the split."""
    first = cells.iloc[0].tolist() if len(cells) else []
    header_rows = int(not any(is_numeric(cell) or is_date(cell) for cell in first))
    body, body_lengths = cells.iloc[header_rows:], lengths[header_rows:]
    several = body_lengths[body_lengths > 1]
    if several.size < 2:
        return None
    narrow = int(lengths[0]) if header_rows == 1 else int(several.min())
    wide_rows = body[body_lengths > narrow]
    if len(wide_rows) and narrow > 1:
        rows = [
            row[:n]
            for row, n in zip(
                wide_rows.to_numpy().tolist(), body_lengths[body_lengths > narrow], strict=True
            )
        ]
        start = _split_column(rows, narrow)
        return None if start is None else (start, narrow)
    # Leading zeros in the last of three cells show it, too.
    is_split = header_rows == 0 and _can_be_split(body, body_lengths)
    return (1, 2) if is_split and body[2].str.startswith("0").any() else None


def _can_be_split(cells: pd.DataFrame, lengths: IntArray) -> bool:
    """Return whether all rows have three cells whose last two may be one number."""
    if not (lengths == 3).all() or len(cells) < 2:
        return False
    rows = cells.iloc[:, :3].to_numpy().tolist()
    return all(_THOUSANDS.fullmatch(row[2]) for row in rows) and _split_column(rows, 2) is not None


def _reject_several_splits(cells: pd.DataFrame, lengths: IntArray, reading: Reading) -> None:
    """Reject a table with several split numbers in a row: which cells belong together is open.

    Its rows begin with dates, and have more cells than there are names.
    """
    names = cells.iloc[0, : int(lengths[0])].tolist() if len(cells) else []
    if len(names) < _MIN_NAMES or not all(names) or any(map(is_numeric, names)):
        return
    wide = np.flatnonzero(lengths > len(names))
    sample = wide[:: max(1, len(wide) // SAMPLE_CELLS)].tolist()
    rows = [cells.iloc[position].tolist()[: int(lengths[position])] for position in sample]
    if rows and all(_may_have_several_splits(row, len(names)) for row in rows):
        row_number = int(cells.index[wide[0]])
        raise UnreadableTableError(
            f"{reading.row_label(row_number)} has {len(rows[0])} cells below {len(names)} names, "
            "and commas may be in numbers as well as between cells: send such numbers in quotation "
            "marks, or semicolons between the cells, or a name for each column",
            row_number,
        )


def _may_have_several_splits(row: Sequence[str], width: int) -> bool:
    """Return whether there are enough thousands for the extra cells, or each number is two."""
    extra, numbers = len(row) - width, row[1:]
    thousands = sum(
        bool(_HEAD.fullmatch(head) and _THOUSANDS.fullmatch(tail))
        for head, tail in pairwise(numbers)
    )
    are_pairs = extra == width - 1 and all(
        _DIGITS.fullmatch(cell.lstrip("-+(")) for cell in numbers
    )
    return is_date(row[0]) and (thousands >= extra or are_pairs)


def _split_column(rows: Sequence[list[str]], width: int) -> int | None:
    """Return the column from which the extra cells of all rows join to numbers."""
    sample = rows[:: max(1, len(rows) // SAMPLE_CELLS)]
    for tail in (_THOUSANDS, _DIGITS):
        for start in range(1, width):
            if _has_numbers(sample, start, width, tail):
                return start if _has_numbers(rows, start, width, tail) else None
    return None


def _has_numbers(rows: Sequence[list[str]], start: int, width: int, tail: re.Pattern[str]) -> bool:
    """Return whether the cells from ``start`` on join to a number in each row."""
    max_parts = _MAX_PARTS if tail is _THOUSANDS else 1
    parts = (row[start : start + len(row) - width + 1] for row in rows)
    return all(
        _HEAD.fullmatch(head) and 1 <= len(rest) <= max_parts and all(map(tail.fullmatch, rest))
        for head, *rest in parts
    )
