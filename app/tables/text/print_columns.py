"""Put the words of a print into its columns, which a rule or its header shows.

If spaces separate the columns, only the positions of words show which cell is empty. Often the
dates have no name above them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.tables.table import MAX_CELLS

_WORD = re.compile(r"\S+")
_NAME = re.compile(r"\S+(?: \S+)*")  # which ends before two spaces
_MARKS = {*"-= "}  # of a rule
_MIN_MARKS = 3  # in one of its parts
_DASHES = "-=_* "
_NOT_A_GROUP = re.compile(r"[:/]|\d{3}")  # in a title: labels, dates, numbers of pages
_SAMPLE_ROWS = 50  # rows that must fit a rule, or be aligned with a header
_MAX_NAME_LINES = 2  # of a header above a rule: the names of more lines are joined
_MAX_LINES_ABOVE = 4  # of a header: names over their units, or over the name of the dates
_MIN_BLANKS = 2  # between fields
_MIN_NAME_LINES = 2  # that are joined: the names of one line are split as its rows are


class _WordSpan(NamedTuple):
    start: int
    end: int
    text: str


def place_words(lines: Sequence[str], date_words: Sequence[int]) -> dict[int, list[str]]:
    """Return the cells of the lines that lack some, by the indices of the lines.

    Args:
        lines: The lines of a text.
        date_words: For each line how many words at its start are a date.
    """
    placed: dict[int, list[str]] = {}
    above: list[int] = []  # the lines that could be the header of the rows below them
    rows: list[int] = []
    columns: list[_WordSpan] = []  # that a rule above the rows shows
    for number, words in enumerate([*date_words, 0]):
        if words:
            rows.append(number)
            continue
        if rows:
            cut, columns = _cut_below_rule(lines, above, rows, columns)
            placed |= cut or _place_block(lines, above, rows, date_words)
            above, rows = [], []
        if number < len(lines) and lines[number].strip():
            above = [*above[1 - _MAX_LINES_ABOVE :], number]
    return placed


def _place_block(
    lines: Sequence[str], above: Sequence[int], rows: Sequence[int], date_words: Sequence[int]
) -> dict[int, list[str]]:
    """Return the cells of rows with dates that follow each other, and of the lines above them."""
    if fields := _place_fields(lines, above, rows):
        return fields
    sample = [_spans_of_row(lines[row], date_words[row]) for row in rows[:_SAMPLE_ROWS]]
    for columns, part in _possible_headers(lines, above, sample):
        if all(_cells_of(spans, columns) for spans in sample):
            spans = {number: _spans_of(lines[number], part) for number in above}
            # A line of fewer words is a title.
            spans = {i: own for i, own in spans.items() if len(own) >= len(columns) - 1}
            spans |= {row: _spans_of_row(lines[row], date_words[row]) for row in rows}
            cells = {
                i: _cells_of(own, columns) for i, own in spans.items() if len(own) < len(columns)
            }
            return {i: placed for i, placed in cells.items() if placed}
    return {}


def _place_fields(
    lines: Sequence[str], above: Sequence[int], rows: Sequence[int]
) -> dict[int, list[str]]:
    """Return the cells of rows below names of several lines, and of the last of these.

    At least two blanks separate the fields of a row, so 68.24 % is one field. The line with a name
    for each field shows where names are; names in the other lines are above or below these.
    """
    fields = _fields_of([lines[row] for row in rows[:_SAMPLE_ROWS]])
    names = {number: _spans_of(lines[number], _NAME) for number in above}
    whole = next((spans for spans in names.values() if len(spans) == len(fields) > 2), None)
    if whole is None:
        return {}
    covered = [
        _WordSpan(min(name.start, field.start), max(name.end, field.end), name.text)
        for name, field in zip(whole, fields, strict=True)
    ]
    placed = {
        number: _cells_of(spans, covered) for number, spans in names.items() if len(spans) > 1
    }
    parts = [cells for cells in placed.values() if cells]
    if len(parts) < _MIN_NAME_LINES:
        return {}
    *joined, last = (number for number, cells in placed.items() if cells)
    header = [" ".join(filter(None, words)) for words in zip(*parts, strict=True)]
    starts = [0, *(field.start for field in fields[1:])]
    cut = {row: _cut_line(lines[row], starts) for row in rows}
    return {number: [""] for number in joined} | {last: header} | cut


def _fields_of(lines: Sequence[str]) -> list[_WordSpan]:
    """Return the fields, which at least two blanks separate in every line."""
    fields: list[_WordSpan] = []
    for word in sorted(word for line in lines for word in _spans_of(line, _WORD)):
        if fields and word.start - fields[-1].end < _MIN_BLANKS:
            fields[-1] = fields[-1]._replace(end=max(fields[-1].end, word.end))
        else:
            fields.append(word)
    return fields


def _possible_headers(
    lines: Sequence[str], above: Sequence[int], rows: Sequence[Sequence[_WordSpan]]
) -> Iterator[tuple[list[_WordSpan], re.Pattern[str]]]:
    """Yield the columns that a line above some rows may show, and what its names are."""
    for number in reversed(above):
        for part in (_NAME, _WORD):
            names = _spans_of(lines[number], part)
            if all(names[0].start >= date.end for date, *_ in rows):
                yield [_WordSpan(0, names[0].start, ""), *names], part
            elif len(names) > 1:
                yield names, part


def _spans_of_row(line: str, date_words: int) -> list[_WordSpan]:
    words = _spans_of(line, _WORD)
    date = words[:date_words]
    joined = _WordSpan(date[0].start, date[-1].end, " ".join(word.text for word in date))
    return [joined, *words[date_words:]]


def _cells_of(words: Sequence[_WordSpan], columns: Sequence[_WordSpan]) -> list[str] | None:
    """Return the cells of a line; None if a word is not in exactly one column."""
    cells = [""] * len(columns)
    column = 0
    for word in words:
        while column < len(columns) and columns[column].end <= word.start:
            column += 1
        is_beside = column == len(columns) or columns[column].start >= word.end
        is_over_two = column + 1 < len(columns) and columns[column + 1].start < word.end
        if is_beside or is_over_two:
            return None
        cells[column] = word.text
        column += 1
    return cells


def _cut_below_rule(
    lines: Sequence[str], above: Sequence[int], rows: Sequence[int], columns_before: list[_WordSpan]
) -> tuple[dict[int, list[str]], list[_WordSpan]]:
    """Return the cells of rows below a rule and of its names, by line, and the columns.

    Args:
        lines: The lines of a text.
        above: The numbers of the lines above the rows.
        rows: The numbers of rows with dates that follow each other.
        columns_before: The columns of earlier rows, [] for none: totals have no rule of their own.
    """
    rule = next((number for number in reversed(above) if _is_rule(lines[number])), -1)
    columns = _spans_of(lines[rule], _WORD) if rule >= 0 else columns_before
    if not columns or len(columns) * len(lines) > MAX_CELLS:
        return {}, []
    starts = [0, *(column.start for column in columns[1:])]
    if not all(_fits(lines[row], starts, columns) for row in rows[:_SAMPLE_ROWS]):
        return {}, []
    if rule < 0:
        return _cut_lines(lines, rows, starts), columns
    after_rule = [number for number in above if number > rule]
    names = _names_above(lines, [number for number in above if number < rule], columns, starts)
    return names | _cut_lines(lines, [*after_rule, *rows], starts), columns


def _fits(line: str, starts: Sequence[int], columns: Sequence[_WordSpan]) -> bool:
    """Return whether each word of a line is below the rule of one column."""
    if not _is_clean(line, starts):
        return False
    ends = [column.end for column in columns]
    for word in _spans_of(line, _WORD):
        index = bisect_right(ends, word.start)
        if index == len(columns) or columns[index].start >= word.end:
            return False
    return True


def _cut_lines(
    lines: Sequence[str], numbers: Sequence[int], starts: Sequence[int]
) -> dict[int, list[str]]:
    clean = [number for number in numbers if _is_clean(lines[number], starts)]
    return {number: _cut_line(lines[number], starts) for number in clean}


def _names_above(
    lines: Sequence[str], above: Sequence[int], columns: Sequence[_WordSpan], starts: Sequence[int]
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
            if spread := _spread_groups(_spans_of(line, _NAME), columns):
                groups = {number: spread}
            break
        cells = {number: _cut_line(line, starts)} | cells
        names = [" ".join(filter(None, parts)) for parts in zip(cells[number], names, strict=True)]
    first_cells = next(iter(cells.values()), [])
    is_first_partial = any(
        name and not cell for cell, name in zip(first_cells, names, strict=False)
    )
    if len(groups) + len(cells) > _MAX_NAME_LINES or (len(cells) > 1 and is_first_partial):
        cells = {number: [""] for number in cells} | {[*cells][-1]: names}
    return groups | cells


def _cut_line(line: str, starts: Sequence[int]) -> list[str]:
    ends = [*starts[1:], None]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _is_clean(line: str, starts: Sequence[int]) -> bool:
    """Return whether no word is on both sides of the start of a column."""
    return all(line[start - 1 : start] in ("", " ") for start in starts[1:])


def _is_rule(line: str) -> bool:
    parts = line.split()
    return len(parts) > 1 and {*line} <= _MARKS and max(map(len, parts)) >= _MIN_MARKS


def _spans_of(line: str, part: re.Pattern[str]) -> list[_WordSpan]:
    return [_WordSpan(*match.span(), match[0]) for match in part.finditer(line)]


def _spread_groups(names: Sequence[_WordSpan], columns: Sequence[_WordSpan]) -> list[str] | None:
    """Return for each column, except the dates, the group whose name is above it or nearest to it.

    None for a title. A group between dashes is over its columns only.
    """
    if len(names) < 2 or any(map(_NOT_A_GROUP.search, (name.text for name in names))):
        return None
    centres = [name.start + name.end for name in names]  # doubled
    groups = [""]
    for column in columns[1:]:
        centre = column.start + column.end
        index = bisect_right(centres, centre)
        near = range(max(index - 1, 0), min(index + 1, len(names)))
        nearest = names[min(near, key=lambda i: abs(centres[i] - centre))]
        is_over = nearest.start < column.end and column.start < nearest.end
        name = nearest.text.strip(_DASHES)
        groups.append(name if is_over or name == nearest.text else "")
    return groups
