"""Recognize codes and seats that look like numbers with a unit, such as 001-A, 41588X and 8B."""

import re
from collections.abc import Sequence
from string import ascii_uppercase

from app.tables.codes.key_names import is_named_code, is_named_key, is_named_place
from app.tables.numbers.parsing import without_missing

_LETTERED = re.compile(r"\d{1,40}[A-Z]", re.ASCII)
_MAYBE_LETTERED = re.compile(r"\d{2,40}[A-Z]?", re.ASCII)
_CODE = re.compile(r"\d{1,40}[-_/ ]?[A-Z]{1,3}", re.ASCII)
_SURE_CODE = re.compile(r"0\d|\d{1,40}[-_/]", re.ASCII)  # a unit is never after a hyphen
_MULTIPLES = {*"BGHKLMTVW"}  # letters of multiples and units, such as 12M and 230V
_SIGNS = ({*"CD"}, {*"HS"})  # letters of credits and debits
_MIN_CODE_LENGTH = 13  # numbers with a unit are shorter
_MIN_ID_LENGTH = 6  # of a code that differs in each row: 41588X may be one, 588X is a value
_MIN_CELLS_PER_CODE = 5  # codes of kinds repeat; sizes such as 500G repeat less


def are_lettered_codes(name: str, cells: Sequence[str]) -> bool:
    """Return whether cells of a column are codes or seats that begin with digits."""
    filled = without_missing(cells)
    if len(filled) <= 2:
        return False
    if is_named_key(name) and _are_alike(filled):
        return True
    if not all(map(_CODE.fullmatch, filled)):
        return False
    is_few = len({*filled}) * _MIN_CELLS_PER_CODE <= len(filled)
    if all(map(_SURE_CODE.match, filled)) or (is_few and is_named_code(name)):
        return True
    return all(map(_LETTERED.fullmatch, filled)) and _is_id_column(name, filled)


def _are_alike(cells: Sequence[str]) -> bool:
    """Return whether cells have the same number of digits, some with a letter after them.

    A few may be words, such as the POST of an invoice.
    """
    codes = [cell for cell in cells if _MAYBE_LETTERED.fullmatch(cell)]
    sizes = {len(cell.rstrip(ascii_uppercase)) for cell in codes}
    has_letters = any(map(_LETTERED.fullmatch, codes))
    words = [cell for cell in cells if not _MAYBE_LETTERED.fullmatch(cell)]
    return has_letters and len(sizes) == 1 and all(map(str.isalpha, words))


def _is_id_column(name: str, cells: Sequence[str]) -> bool:
    letters, sizes = {cell[-1] for cell in cells}, {*map(len, cells)}
    if len(letters) > 1 and min(sizes) < _MIN_CODE_LENGTH:
        return not letters <= _MULTIPLES and letters not in _SIGNS
    is_id = len(sizes) == 1 and len({*cells}) == len(cells) and not letters <= _MULTIPLES
    return (
        min(sizes) >= _MIN_CODE_LENGTH
        or (is_id and min(sizes) >= _MIN_ID_LENGTH)
        or is_named_place(name)
    )
