"""Cut the lines of a print at the columns that a rule such as ``---------- --- ------`` shows."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from app.tables.table import MAX_CELLS
from app.tables.text.word_spans import NAME, WORD, WordSpan, spans_of

_MARKS, _MIN_MARKS = {*"-= "}, 3  # of a rule, and how long one of its parts is
_DASHES = "-=_* "
_NOT_A_GROUP = re.compile(r"[:/]|\d{3}")  # of a title: labels, dates, numbers of pages
_SAMPLE_ROWS = 50  # rows that must fit the rule
_MAX_NAME_LINES = 2  # that the header may have: of more, the names are joined


def cut_below_rule(
    lines: Sequence[str], above: Sequence[int], rows: Sequence[int], columns_before: list[WordSpan]
) -> tuple[dict[int, list[str]], list[WordSpan]]:
    """Return the cells of rows below a rule and of its names, by line, and the columns.

    Args:
        lines: The lines of a text.
        above: The numbers of the lines above the rows.
        rows: The numbers of rows with dates that follow each other.
        columns_before: The columns of earlier rows, [] for none: totals have no rule of their own.
    """
    rule = next((number for number in reversed(above) if _is_rule(lines[number])), -1)
    columns = spans_of(lines[rule], WORD) if rule >= 0 else columns_before
    if not columns or len(columns) * len(lines) > MAX_CELLS:
        return {}, []
    starts = [0, *(column.start for column in columns[1:])]
    if not all(_fits(lines[row], starts, columns) for row in rows[:_SAMPLE_ROWS]):
        return {}, []
    if rule < 0:
        return _cut_lines(lines, rows, starts), columns
    after_rule = [number for number in above if number > rule]
    names = _names(lines, [number for number in above if number < rule], columns, starts)
    return names | _cut_lines(lines, [*after_rule, *rows], starts), columns


def _is_rule(line: str) -> bool:
    parts = line.split()
    return len(parts) > 1 and {*line} <= _MARKS and max(map(len, parts)) >= _MIN_MARKS


def _fits(line: str, starts: Sequence[int], columns: Sequence[WordSpan]) -> bool:
    """Return whether each word of a line is below the rule of one column."""
    if not _is_clean(line, starts):
        return False
    ends = [column.end for column in columns]
    for word in spans_of(line, WORD):
        at = bisect_right(ends, word.start)
        if at == len(columns) or columns[at].start >= word.end:
            return False
    return True


def _is_clean(line: str, starts: Sequence[int]) -> bool:
    """Return whether no word is on both sides of the start of a column."""
    return all(line[start - 1 : start] in ("", " ") for start in starts[1:])


def _cut_lines(
    lines: Sequence[str], numbers: Sequence[int], starts: Sequence[int]
) -> dict[int, list[str]]:
    clean = [number for number in numbers if _is_clean(lines[number], starts)]
    return {number: cut_line(lines[number], starts) for number in clean}


def cut_line(line: str, starts: Sequence[int]) -> list[str]:
    ends = [*starts[1:], None]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _names(
    lines: Sequence[str], above: Sequence[int], columns: Sequence[WordSpan], starts: Sequence[int]
) -> dict[int, list[str]]:
    """Return the cells of the lines above a rule, from the last up to a title or an empty line."""
    cells: dict[int, list[str]] = {}
    groups: dict[int, list[str]] = {}
    names = [""] * len(starts)
    for back, number in enumerate(reversed(above)):
        line = lines[number]
        if number != above[-1] - back or _is_rule(line):
            break
        has_same_names = all(names) and len({*names}) < len(names)
        if has_same_names or not _is_clean(line, starts):
            if spread := _spread_groups(spans_of(line, NAME), columns):
                groups = {number: spread}
            break
        cells = {number: cut_line(line, starts)} | cells
        names = [" ".join(filter(None, parts)) for parts in zip(cells[number], names, strict=True)]
    first = next(iter(cells.values()), [])
    is_first_partial = any(name and not cell for cell, name in zip(first, names, strict=False))
    if len(groups) + len(cells) > _MAX_NAME_LINES or (len(cells) > 1 and is_first_partial):
        cells = {number: [""] for number in cells} | {[*cells][-1]: names}
    return groups | cells


def _spread_groups(names: Sequence[WordSpan], columns: Sequence[WordSpan]) -> list[str] | None:
    """Return for each column, except the dates, the group whose name is above it or nearest to it.

    None for a title. A group between dashes is over its columns only.
    """
    if len(names) < 2 or any(map(_NOT_A_GROUP.search, (name.text for name in names))):
        return None
    centres = [name.start + name.end for name in names]  # twice the places
    groups = [""]
    for column in columns[1:]:
        centre = column.start + column.end
        at = bisect_right(centres, centre)
        near = range(max(at - 1, 0), min(at + 1, len(names)))
        nearest = names[min(near, key=lambda i: abs(centres[i] - centre))]
        is_over = nearest.start < column.end and column.start < nearest.end
        name = nearest.text.strip(_DASHES)
        groups.append(name if is_over or name == nearest.text else "")
    return groups
