"""The lines above a table whose columns single spaces separate: titles, and names with spaces."""

from collections.abc import Sequence

from app.tables.numbers.parsing import is_missing, is_numeric

_MAX_WORDS_PER_NAME = 2  # on average: a name and a unit
_MAX_UNIT_LENGTH = 4  # "Units" is a name


def join_words_above(lines: Sequence[list[str]], width: int) -> list[list[str]]:
    """Return the cells of the lines above the first row of a table.

    A name may have a space, so a line of more words than there are columns is the header only if
    units belong to the words before them. Else nothing says which name is over which column: then
    it is a title, as is any line above, except names over a line of units.

    Args:
        lines: The words of each line, from top to bottom.
        width: The number of columns.
    """
    if not lines:
        return []
    *above, last = lines
    is_long = width < len(last) <= _MAX_WORDS_PER_NAME * width
    names = _join_units(last) if is_long else last
    cells = [[" ".join(words)] for words in above]
    if above and len(above[-1]) == width and _are_units(last):
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


def _are_units(words: Sequence[str]) -> bool:
    return len(words) > 1 and all(_is_unit(word) or is_missing(word) for word in words[1:])


def _is_unit(word: str) -> bool:
    if word[0] + word[-1] in ("()", "[]"):
        return True
    unit = word.partition("/")[0]
    return (
        0 < len(unit) <= _MAX_UNIT_LENGTH and not unit[-1].isdecimal() and is_numeric(f"1 {unit}")
    )
