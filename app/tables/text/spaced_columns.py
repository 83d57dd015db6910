"""Split a text whose columns spaces separate into cells.

A date may have spaces, and so may the names in the lines above the first row.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.tables.dates.cells import MAX_DATE_LENGTH, is_date, is_written_date, may_be_split
from app.tables.dates.month_names import WEEKDAY, fold_text
from app.tables.dates.year_patterns import FOUR_DIGITS
from app.tables.numbers.digits import DIGITS_AS_ZEROS
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.table import check_size
from app.tables.text.decoration import is_rule
from app.tables.text.print_columns import place_words

_MAX_DATE_WORDS = 6
_ROW_NUMBER = re.compile(r"^ *\d{1,7}(?= )", re.ASCII)
_MIN_INDEXED_ROWS = 3
_GAP = re.compile(" {2,}")
_CELL_SEPARATOR = "\x00"  # no text has null bytes
_MAX_DATE_LINES = 1_000  # searched for dates, if spaces separate columns
_MAX_WORDS_PER_NAME = 2  # on average: a name and a unit
_MAX_UNIT_LENGTH = 4  # "Units" is a name
_WEEKDAY = re.compile(rf"\(?(?:{WEEKDAY})\.?\)?")
_NAMES = re.compile(
    r"(?:week ?|wk ?|w)?days?|dow|(?:wochen)?tag|wt|jours?|dias?|giorn[oi]|(?:uge|vecko|uke)?dag"
    r"|viikonpaiva|dzien|den|nap|gun|день|ημερα"
)
_MAX_LINES_ABOVE = 4  # where the name of the weekdays may be
_MAX_WORD_LENGTH = 30


def split_by_spaces(text: str) -> pd.DataFrame:
    """Split lines at spaces, except within dates."""
    rows: list[str] = []  # strings, as garbage collection would walk a million lists
    words_of_date, is_dated = 0, False
    date_words: list[int] = []
    date_forms: set[str] = set()
    above: list[int] = []  # the lines of single words before the first date
    widths: Counter[int] = Counter()
    lines = _blank_row_numbers(text.split("\n"))
    for number, line in enumerate(lines):
        words = line.split()
        if is_dated or number < _MAX_DATE_LINES:
            words_of_date = _count_date_words(words, words_of_date, date_forms)
            is_dated = is_dated or words_of_date > 0
        if words_of_date:
            words = [" ".join(words[:words_of_date]), *words[words_of_date:]]
            widths[len(words)] += 1
        elif "  " in line.strip():
            words = _GAP.split(line.strip())
        elif words and not is_dated and number < _MAX_DATE_LINES and not is_rule(line):
            above.append(number)
        date_words.append(words_of_date)
        rows.append(_CELL_SEPARATOR.join(words))
    if widths:
        width = widths.most_common(1)[0][0]
        width = _split_weekdays(rows, date_words, width)
        words_above = [rows[number].split(_CELL_SEPARATOR) for number in above]
        for number, words in zip(above, _join_words_above(words_above, width), strict=True):
            rows[number] = _CELL_SEPARATOR.join(words)
        dated = (
            line for line, words in zip(lines[:_MAX_DATE_LINES], date_words, strict=False) if words
        )
        parts = Counter(len(_GAP.split(line.strip())) for line in dated)
        for number, line in enumerate(lines[:_MAX_DATE_LINES]):
            if not date_words[number] and "  " in line and len(line.split()) == width:
                names = _GAP.split(line.strip())
                # Each name is above a number, such as 11 150, unless the first ones are of a date.
                if " " in names[0] or parts[len(names)] <= parts.total() / 2:
                    rows[number] = _CELL_SEPARATOR.join(line.split())
        for number, words in place_words(lines, date_words).items():
            rows[number] = _CELL_SEPARATOR.join(words)
    return _frame_of(rows)


def _blank_row_numbers(lines: list[str]) -> list[str]:
    """Return the lines of a print of R or pandas with spaces for the numbers of its rows.

    They are before the dates, and have no name.
    """
    numbers = [match and match[0] for match in map(_ROW_NUMBER.match, lines)]
    begins = (i for i, number in enumerate(numbers) if number and int(number) < 2)
    first = next(begins, 0)
    if not first or not _count_date_words(lines[first].split()[1:], 0, set()):
        return lines
    count, last = int(numbers[first] or 0), first
    while last < len(lines) and int(numbers[last] or -1) == count + last - first:
        last += 1
    is_named = lines[first - 1][: len(numbers[last - 1] or "")].strip()
    if last - first < _MIN_INDEXED_ROWS or is_named:
        return lines
    blanked = [
        " " * len(number or "") + line[len(number or "") :]
        for number, line in zip(numbers[first:last], lines[first:last], strict=True)
    ]
    return [*lines[:first], *blanked, *lines[last:]]


def _frame_of(rows: Sequence[str]) -> pd.DataFrame:
    """Return rows whose cells are separated by ``_CELL_SEPARATOR``, filled up to one width."""
    counts = [row.count(_CELL_SEPARATOR) for row in rows]
    width = max(counts) + 1
    check_size(len(rows), width)
    padded = (
        row + _CELL_SEPARATOR * (width - 1 - count) for row, count in zip(rows, counts, strict=True)
    )
    cells = np.array(_CELL_SEPARATOR.join(padded).split(_CELL_SEPARATOR), dtype=object)
    return pd.DataFrame(cells.reshape(-1, width), index=range(1, len(rows) + 1), dtype=object)


def _count_date_words(words: list[str], likely: int, date_forms: set[str]) -> int:
    """Return the number of words at the start of a line that are a date.

    ``date_forms`` has the dates of earlier lines without their digits: words of the same form are
    dates. What looks like a year is a count before a whole date.
    """
    if len(words) > 1 and FOUR_DIGITS.fullmatch(words[0]) and is_written_date(words[1]):
        return 0
    counts: list[int] = [likely, *range(min(_MAX_DATE_WORDS, len(words)), 0, -1)]
    for n in counts:
        head = " ".join(words[:n])
        if len(head) > MAX_DATE_LENGTH:
            continue
        form = head.translate(DIGITS_AS_ZEROS)
        if n and (form in date_forms or (is_date(head) and not may_be_split(head))):
            date_forms.add(form)
            return n
    return 0


def _join_words_above(lines: Sequence[list[str]], width: int) -> list[list[str]]:
    """Return the cells of the lines above the first row of a table.

    A name may have a space, so a line of more words than there are columns is the header only if
    units belong to the words before them. Otherwise nothing says which name is over which column:
    it is a title, as is any line above, except names over a line of units.

    ``lines`` has the words of each line from top to bottom, ``width`` is the number of columns.
    """
    if not lines:
        return []
    *above, last = lines
    is_long = width < len(last) <= _MAX_WORDS_PER_NAME * width
    names = _join_units(last) if is_long else last
    cells = [[" ".join(words)] for words in above]
    are_units = len(last) > 1 and all(_is_unit(word) or is_missing(word) for word in last[1:])
    if above and len(above[-1]) == width and are_units:
        cells[-1] = above[-1]
    return [*cells, names if len(names) <= width else [" ".join(last)]]


def _join_units(words: Sequence[str]) -> list[str]:
    """Join units such as `kWh/day` and `(EUR)` to the words before them, but not to the dates'."""
    names: list[str] = []
    for word in words:
        if len(names) > 1 and _is_unit(word):
            names[-1] += f" {word}"
        else:
            names.append(word)
    return names


def _is_unit(word: str) -> bool:
    if word[0] + word[-1] in ("()", "[]"):
        return True
    unit = word.partition("/")[0]
    return (
        0 < len(unit) <= _MAX_UNIT_LENGTH and not unit[-1].isdecimal() and is_numeric(f"1 {unit}")
    )


def _split_weekdays(rows: list[str], date_words: list[int], width: int) -> int:
    """Separate the days of the week from dates in place, and return the new number of cells.

    They are separate cells if the header has one name more than the rows have cells. They are
    after a date, or before a date of a single word.

    Args:
        rows: The cells of each line with ``_CELL_SEPARATOR`` between them, each date as one cell.
        date_words: For each line how many words at its start are a date.
        width: The number of cells of most rows.
    """
    first = next(number for number, words in enumerate(date_words) if words)
    words = rows[first].partition(_CELL_SEPARATOR)[0].split(" ")
    is_behind = _is_weekday(words[-1])
    if len(words) < 2 or not (is_behind or (len(words) == 2 and _is_weekday(words[0]))):
        return width
    above = [row.split(_CELL_SEPARATOR) for row in rows[:first] if row][-_MAX_LINES_ABOVE:]
    if not any(_has_name(names, int(is_behind), width + 1) for names in above):
        return width
    for number in [number for number, words in enumerate(date_words) if words > 1]:
        date, *others = rows[number].split(_CELL_SEPARATOR)
        day, _, weekday = date.rpartition(" ")
        rows[number] = _CELL_SEPARATOR.join([day, weekday, *others])
        date_words[number] -= 1
    return width + 1


def _has_name(names: list[str], position: int, width: int) -> bool:
    """Return whether a line is a header with a name of days, and not a title."""
    name = fold_text(names[position][:_MAX_WORD_LENGTH]) if len(names) == width else ""
    return _NAMES.fullmatch(name) is not None and not any(map(is_numeric, names))


def _is_weekday(word: str) -> bool:
    return _WEEKDAY.fullmatch(fold_text(word[:_MAX_WORD_LENGTH])) is not None
