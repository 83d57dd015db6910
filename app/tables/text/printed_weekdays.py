"""Separate the days of the week from the dates of a print, if its header has a name for each."""

import re

from app.tables.dates.month_names import WEEKDAY, fold_text
from app.tables.numbers.parsing import is_numeric

_WEEKDAY = re.compile(rf"\(?(?:{WEEKDAY})\.?\)?")
_NAMES = re.compile(
    r"(?:week ?|wk ?|w)?days?|dow|(?:wochen)?tag|wt|jours?|dias?|giorn[oi]|(?:uge|vecko|uke)?dag"
    r"|viikonpaiva|dzien|den|nap|gun|день|ημερα"
)
_MAX_LINES_ABOVE, _MAX_WORD_LENGTH = 4, 30


def split_weekdays(rows: list[str], date_words: list[int], width: int, separator: str) -> int:
    """Separate the days of the week from dates in place, and return the new number of cells.

    They are separate cells if the header has one name more than the rows have cells. They are
    after a date, or before a date of a single word.

    Args:
        rows: The cells of each line with ``separator`` between them, each date as one cell.
        date_words: For each line how many words at its start are a date.
        width: The number of cells of most rows.
    """
    first = next(number for number, words in enumerate(date_words) if words)
    words = rows[first].partition(separator)[0].split(" ")
    is_behind = _is_weekday(words[-1])
    if len(words) < 2 or not (is_behind or (len(words) == 2 and _is_weekday(words[0]))):
        return width
    above = [row.split(separator) for row in rows[:first] if row][-_MAX_LINES_ABOVE:]
    if not any(_has_name(names, int(is_behind), width + 1) for names in above):
        return width
    for number in [number for number, words in enumerate(date_words) if words > 1]:
        date, *others = rows[number].split(separator)
        day, _, weekday = date.rpartition(" ")
        rows[number] = separator.join([day, weekday, *others])
        date_words[number] -= 1
    return width + 1


def _has_name(names: list[str], place: int, width: int) -> bool:
    """Return whether a line is a header with a name of days, and not a title."""
    name = fold_text(names[place][:_MAX_WORD_LENGTH]) if len(names) == width else ""
    return _NAMES.fullmatch(name) is not None and not any(map(is_numeric, names))


def _is_weekday(word: str) -> bool:
    return _WEEKDAY.fullmatch(fold_text(word[:_MAX_WORD_LENGTH])) is not None
