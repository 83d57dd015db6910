"""Remove from the rows of a text what is not data: rules, comments and the frames of tables."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.numbers.parsing import is_numeric
from app.timeseries.types import BoolArray

# ``#1001`` is the name of an order.
COMMENT = re.compile(r"#(?!N/?A|REF|DIV|VALUE|NAME|NUM|NULL|\d)|//|--\s", re.IGNORECASE)
# Lines between the rows of a drawn table: +---+---+ or |---|---|.
_FRAME = re.compile(r"[\s:+|=-]*")
_TAG = re.compile(r"#\w")  # may begin a comment or a name, such as #general
_TYPE = re.compile(
    r"[iuf]\d{1,3}|u?(?:tiny|small|big|huge)?int(?:eger|\d{1,3})?|float\d{0,3}|double|decimal\(.{1,9}\)"
    r"|str(?:ing)?|varchar|text|bool(?:ean)?|cat|date|time(?:stamp)?(?: with time zone)?"
    r"|datetime\[.{1,40}\]",
    re.ASCII,
)
_MAX_TOP_ROWS = 4  # that may have names and types: Polars writes the shape above them
_MAX_COMMENTS = 100  # that are searched for the names of columns
# Markdown needs only one hyphen with a colon, and two without.
_RULE = re.compile(r"[-=]{3}|:-|-:|--\s?\|")


def strip_decoration(cells: pd.DataFrame, delimiter: str) -> pd.DataFrame:
    """Return the rows without comments, rules, and the frame of Markdown tables."""
    if cells.empty:
        return cells
    first = cells[0]
    distinct = first.unique()
    is_suspect = first.isin(["", *filter(_FRAME.fullmatch, distinct)])
    columns = cells[is_suspect].to_numpy().T.tolist()
    lines = pd.Series([*map(delimiter.join, zip(*columns, strict=True))], dtype=object)
    is_ruled = np.zeros(len(cells), dtype=bool)
    is_ruled[is_suspect] = lines.isin(list(filter(is_rule, lines.unique())))
    is_comment = first.isin(list(filter(COMMENT.match, distinct))).to_numpy(copy=True)
    rows = _keep_names(cells, is_comment) if is_comment.any() else cells
    kept = rows[~is_ruled & ~is_comment]
    is_single = (kept.iloc[:, 1:] == "").all(axis=1)
    if delimiter == "|" and ((kept[0] == "") | is_single).all():
        kept = kept.where(is_single, kept.shift(-1, axis=1, fill_value=""), axis=0)
    return _without_types(kept) if is_ruled.any() else kept


def _without_types(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows without the types that DuckDB and Polars print below the names of columns."""
    top = [[*filter(None, row)] for row in rows.iloc[:_MAX_TOP_ROWS].to_numpy().tolist()]
    for position, (names, types) in enumerate(pairwise(top), 1):
        if len(names) == len(types) > 1 and all(map(_TYPE.fullmatch, types)):
            return rows[np.arange(len(rows)) != position]
    return rows


def _keep_names(cells: pd.DataFrame, is_comment: BoolArray) -> pd.DataFrame:
    """Take from the comments the names of rows and columns, and return the rows with these."""
    is_comment &= ~_are_tagged_rows(cells, is_comment)
    rows = cells
    for find_names in (_find_marked_names, _find_marked_header):
        headers = [*find_names(rows, is_comment)]
        rows = rows.copy() if headers else rows
        for names in headers:
            rows.iloc[names.row] = names.plain
            is_comment[names.row] = False
    return rows


def _are_tagged_rows(cells: pd.DataFrame, is_comment: BoolArray) -> BoolArray:
    """Return which rows begin with a tag, but are as wide as the table and have numbers.

    A single one may be a header with a mark above columns of years.
    """
    if cells.shape[1] < 2:
        return np.zeros_like(is_comment)
    is_tagged = is_comment & cells[0].str.match(_TAG).to_numpy()
    widths = (cells[is_tagged] != "").sum(axis=1)
    is_tagged[is_tagged] = widths == (cells != "").sum(axis=1).max()
    is_tagged[is_tagged] = [any(map(is_numeric, row[1:])) for row in cells[is_tagged].to_numpy()]
    return is_tagged if is_tagged.sum() > 1 else np.zeros_like(is_tagged)


class _Names(NamedTuple):
    row: int
    plain: list[str]


def _find_marked_names(cells: pd.DataFrame, is_comment: BoolArray) -> Iterator[_Names]:
    """Find comments whose cells all have the mark, above a row as wide.

    The first row may have the names of sums above the table.
    """
    for row in np.flatnonzero(is_comment[:-1])[:_MAX_COMMENTS].tolist():
        names, below = cells.iloc[row].tolist(), cells.iloc[row + 1].tolist()
        filled = [i for i, name in enumerate(names) if name]
        has_marks = len(filled) > 1 and all(names[i].startswith("#") for i in filled)
        if has_marks and not any(below[filled[-1] + 1 :]) and below[filled[-1]]:
            yield _Names(row, [name.lstrip("# ") or name for name in names])


def _find_marked_header(cells: pd.DataFrame, is_comment: BoolArray) -> Iterator[_Names]:
    """Find the comment above the first row of data that has the names of columns."""
    is_data = ~is_comment & ((cells != "").sum(axis=1) > 1).to_numpy()
    first = int(np.argmax(is_data))
    if not first or not is_comment[first - 1]:
        return
    names, row = cells.iloc[first - 1].tolist(), cells.iloc[first].tolist()
    name_count, width = (sum(map(bool, texts)) for texts in (names, row))
    is_whole = width > 1 and (name_count == width or (names[0] == "#" and name_count > width))
    if is_whole and any(is_numeric(cell) for cell in row):
        yield _Names(first - 1, [names[0].lstrip("#/- ") or names[0], *names[1:]])


def is_rule(line: str) -> bool:
    return bool(_FRAME.fullmatch(line) and _RULE.search(line))
