"""Put the words of a print, such as one of R's console, into the columns of its header.

If spaces separate the columns, only the places of the words after it show an empty cell. Often the
dates have no name above them.
"""

import re
from collections.abc import Iterator, Sequence

from app.tables.text.ruled_print import cut_below_rule, cut_line
from app.tables.text.word_spans import NAME, WORD, WordSpan, spans_of

_SAMPLE_ROWS = 50  # rows that must be aligned with a header
_MAX_LINES_ABOVE = 4  # of a header: names over their units, or over the name of the dates
_MIN_BLANKS = 2  # between fields
_MIN_NAME_LINES = 2  # that are joined: the names of one line are split as its rows are


def place_words(lines: Sequence[str], date_words: Sequence[int]) -> dict[int, list[str]]:
    """Return the cells of the lines, by their indices, that do not have one in each column.

    Args:
        lines: The lines of a text.
        date_words: For each line how many words at its start are a date.
    """
    placed: dict[int, list[str]] = {}
    above: list[int] = []  # the lines that could be the header of the rows below them
    rows: list[int] = []
    columns: list[WordSpan] = []  # that a rule above the rows shows
    for number, words in enumerate([*date_words, 0]):
        if words:
            rows.append(number)
            continue
        if rows:
            cut, columns = cut_below_rule(lines, above, rows, columns)
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
        if all(_place(spans, columns) for spans in sample):
            spans = {number: spans_of(lines[number], part) for number in above}
            # A line of fewer words is a title.
            spans = {i: own for i, own in spans.items() if len(own) >= len(columns) - 1}
            spans |= {row: _spans_of_row(lines[row], date_words[row]) for row in rows}
            cells = {i: _place(own, columns) for i, own in spans.items() if len(own) < len(columns)}
            return {i: placed for i, placed in cells.items() if placed}
    return {}


def _place_fields(
    lines: Sequence[str], above: Sequence[int], rows: Sequence[int]
) -> dict[int, list[str]]:
    """Return the cells of rows below names of several lines, and of the last of these.

    At least two blanks separate the fields of a row, so 68.24 % is one field. The line with a name
    for each field shows where names are; names in the other lines are above or below these.
    """
    fields = _fields([lines[row] for row in rows[:_SAMPLE_ROWS]])
    names = {number: spans_of(lines[number], NAME) for number in above}
    whole = next((spans for spans in names.values() if len(spans) == len(fields) > 2), None)
    if whole is None:
        return {}
    covered = [
        WordSpan(min(name.start, field.start), max(name.end, field.end), name.text)
        for name, field in zip(whole, fields, strict=True)
    ]
    placed = {number: _place(spans, covered) for number, spans in names.items() if len(spans) > 1}
    parts = [cells for cells in placed.values() if cells]
    if len(parts) < _MIN_NAME_LINES:
        return {}
    *joined, last = (number for number, cells in placed.items() if cells)
    header = [" ".join(filter(None, words)) for words in zip(*parts, strict=True)]
    starts = [0, *(field.start for field in fields[1:])]
    cut = {row: cut_line(lines[row], starts) for row in rows}
    return {number: [""] for number in joined} | {last: header} | cut


def _fields(lines: Sequence[str]) -> list[WordSpan]:
    """Return the fields, which at least two blanks separate in every line."""
    fields: list[WordSpan] = []
    for word in sorted(word for line in lines for word in spans_of(line, WORD)):
        if fields and word.start - fields[-1].end < _MIN_BLANKS:
            fields[-1] = fields[-1]._replace(end=max(fields[-1].end, word.end))
        else:
            fields.append(word)
    return fields


def _possible_headers(
    lines: Sequence[str], above: Sequence[int], rows: Sequence[Sequence[WordSpan]]
) -> Iterator[tuple[list[WordSpan], re.Pattern[str]]]:
    """Yield the columns that a line above some rows may show, and what its names are."""
    for number in reversed(above):
        for part in (NAME, WORD):
            names = spans_of(lines[number], part)
            if all(names[0].start >= date.end for date, *_ in rows):
                yield [WordSpan(0, names[0].start, ""), *names], part
            elif len(names) > 1:
                yield names, part


def _spans_of_row(line: str, date_words: int) -> list[WordSpan]:
    words = spans_of(line, WORD)
    date = words[:date_words]
    joined = WordSpan(date[0].start, date[-1].end, " ".join(word.text for word in date))
    return [joined, *words[date_words:]]


def _place(words: Sequence[WordSpan], columns: Sequence[WordSpan]) -> list[str] | None:
    """Return the cells of a line; None if a word is not at the place of exactly one column."""
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
