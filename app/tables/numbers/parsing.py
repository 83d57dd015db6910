"""Parse the numbers in cells: decimal marks, thousands, units, abbreviations, missing values."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import filterfalse
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.answers import DecimalMark
from app.tables.numbers.digits import PLAIN_DIGITS
from app.tables.samples import SAMPLE_CELLS
from app.timeseries.types import MAX_MAGNITUDE, FloatArray

MAX_NUMBER_LENGTH = 60
_MAX_MISSING_LENGTH = 10
_MAX_EXACT_INTEGER = 1e15
# More than most columns have: a column is read a dozen times, each time from its first cell to its
# last, so a cache that is smaller than the column has none of them when they are read again.
_MAX_CACHED_CELLS = 524_288
_MAX_KEPT_CELLS = 65_536  # by each cache after a reading; each takes 330 bytes
MIN_UNIT_FRACTION = 0.1  # of the cells of a column; a unit in fewer may be a typing error

# Also marks of the direction of writing, which Arabic and Hebrew have around signs.
_SPACES = re.compile(r"[\s\u00a0\u2007-\u200f\u202a-\u202f\u2066-\u2069_]")
_APOSTROPHES = re.compile(r"(?<=\d)['’ʼ´`](?=\d{3})")
# An Arabic separator of thousands becomes a comma, as one cell does not show which mark it is.
_PLAIN_MARKS = str.maketrans("−–‒—△٫٬，．－＋（）％", "-----.,,.-+()%") | PLAIN_DIGITS
_MISSING = re.compile(
    r"(?:n\.?/?a\.?|n\.?d\.?|k\.?a\.?|nan|null|nil|none|void|missing|\\n"
    r"|#(?:n/?a|ref|div/0|value|name|num|null|wert|bezug)[!?]?"
    r"|[-–—?.…*]{1,3})?",
    re.IGNORECASE,
)
_SIGNS = "".join(sign for sign in map(chr, range(0x10000)) if unicodedata.category(sign) == "Sc")
_CURRENCY = (
    # The byte of a backslash is the yen in Shift JIS, and the won in EUC-KR.
    rf"[{_SIGNS}]|\\|[ء-ي]\.[ء-ي]\.?|đ|Bs\.?|Gs\.?|KM|R\$|US\$|Rs\.?|kr\.?|zł|Kč|Ft|Fr\.|lei"
    r"|Rp\.?|RM|KSh|TSh|USh|Tk\.?|S/\.?|(?:NT|HK|NZ|MX|AR|CL|[ACS])\$|Dhs?\.?|TL|Kn|руб\.?|грн\.?"
    "|AED|ARS|BDT|BGN|BRL|CLP|CNY|COP|EGP|GHS|HKD|IDR|ILS|ISK|KES|KRW|KWD|LKR|MAD|MXN|MYR|NGN|NZD|PEN"
    "|PHP|PKR|QAR|RMB|RON|RSD|RUB|SAR|SGD|THB|TRY|TWD|UAH|VND|ZAR"
    "|円|元|원|CHF|EUR|USD|GBP|JPY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|INR"
)
_ONLY_CURRENCY = re.compile(_CURRENCY)
_UNITS = (
    "[kmgt]?wh?|k?va|k?varh?|[kmµ]?g|t|lbs?|oz|stc?k\\.?|stück|st\\.|pcs?\\.?|ea|units?|[kc]?m[²³23]"
    "|ha|km|cm|mi|ft|[mhc]?l|ltr|gal|km/h|mph|m/s|°|[hk]?pa|m?bar|bpm|rpm|h|std\\.?|hrs?|mins?|s"
    "|sec|ms|k?cal|[km]?j|[kmgt]i?b|dba?|[kmg]?hz|m?ah?|[mk]?v|pp[mb]|lx|lm|ct"
)
_BEFORE = re.compile(rf"^([-+(]*)({_CURRENCY}|%)(?=[-+(.\d])", re.IGNORECASE)
_AFTER = re.compile(
    rf"(?<=[\d.)-])(?=[^\d(.,)-]|[.,]-)((?:{_CURRENCY}|{_UNITS}|%|°C|°F)(?:/(?:{_UNITS}|d|day|tag|a))?|‰|,--?|\.--?)(\)?)$",
    re.IGNORECASE,
)
# Without a space, as in 1.5m, m means a million; so does mm only with a currency.
_LENGTH = re.compile(r"[0-9](\s)?(mm|(?<=\s)m)$")
_FACTORS = {
    **dict.fromkeys(("k", "tsd"), 1e3),
    **dict.fromkeys(("m", "mm", "mn", "mio", "mln"), 1e6),
    **dict.fromkeys(("b", "bn", "mrd", "md"), 1e9),
}
_MULTIPLIER = re.compile(r"(?<=\d)(k|tsd|mm?|mn|mio|mln|bn?|mrd|md)\.?(\)?)$", re.IGNORECASE)
# A number that ``scale`` has written, with its factor after it.
_SCALED = re.compile(r"([^⋅]*)⋅([1-9]\d{0,18})(?:/([1-9]\d{0,18}))?", re.ASCII)
_FOOTNOTE = re.compile(r"(?<=[\d%]) ?(?:[*†‡¹]{1,3}|\[\w{1,3}\])$|(?<=[.,]\d)#$")
# Rand, quetzal and lempira, with cents: R1 may be a name, and Q1.24 a quarter.
_ONE_LETTER = re.compile(
    r"(?<![^-+(])([RL]|Q(?![1-4][.,]\d{2}$))\s?(?=[\d\s,.]{1,40}[.,]\d{2}\)?$)"
)
_BRACKETS = re.compile(r"^\((.+)\)$")
_TRAILING_MINUS = re.compile(r"^([\d.,]+)-$")
_PLAIN = re.compile(r"[+-]?[\d.,]*", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def _grouped_pattern(mark: DecimalMark) -> re.Pattern[str]:
    """Match thousands in groups of three, or as in India, of two before the last three digits."""
    sign = re.escape(mark.character)
    return re.compile(
        rf"[+-]?(?:[1-9]\d{{0,2}}(?:{sign}\d{{3}})+|[1-9]\d?(?:{sign}\d{{2}})+{sign}\d{{3}})",
        re.ASCII,
    )


GROUPED = {mark: _grouped_pattern(mark) for mark in DecimalMark}
_GROUPING = {
    mark: re.compile(
        rf"\d([\{mark.other.character}'’ʼ´`\u0020\u00a0\u2009\u202f])\d{{3}}(?!\d)", re.ASCII
    )
    for mark in DecimalMark
}


class StoredNumber(str):
    """The cell of a number that is stored as one, as in workbooks: it is never ambiguous."""

    __slots__ = ()


def stored_number(value: float) -> StoredNumber:
    """Return the cell of a number; a whole one has no point."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _MAX_EXACT_INTEGER
    return StoredNumber(int(value) if is_whole else value)


class FormattedNumber(StoredNumber):
    """A stored number with the format in which its workbook shows it."""

    __slots__ = ("number_format",)
    number_format: str


class _Cell(NamedTuple):
    """The digits and marks of a cell, its unit, and its abbreviation with the factor of that."""

    number: str
    before: str = ""
    after: str = ""
    factor: float = 1.0
    abbreviation: str = ""


@dataclass(frozen=True)
class NumberForm:
    """The notation of numbers.

    It is the decimal mark, the digits after it, the unit around them, the mark between thousands
    ("" if none is seen), and the format of a workbook's numbers.
    """

    decimal: DecimalMark
    decimals: int
    before: str
    after: str
    grouping: str
    number_format: str = ""


def is_numeric(cell: str) -> bool:
    """Return whether a cell is a number with either decimal mark."""
    return len(cell) <= MAX_NUMBER_LENGTH and _is_cached_numeric(cell)


@lru_cache(maxsize=_MAX_KEPT_CELLS, typed=True)
def _is_cached_numeric(cell: str) -> bool:
    if cell[:1].isalpha() and not _begins_with_currency(cell):
        return False
    return any(value_of(cell, mark) is not None for mark in DecimalMark)


def _begins_with_currency(cell: str) -> bool:
    """Return whether a text is worth parsing: most begin with a letter, and have no number."""
    number = _SPACES.sub("", cell).translate(_PLAIN_MARKS)
    return bool(_BEFORE.search(number) or _ONE_LETTER.search(cell))


def is_missing(cell: str) -> bool:
    """Return whether a cell marks a missing value."""
    return len(cell) <= _MAX_MISSING_LENGTH and _MISSING.fullmatch(cell) is not None


def without_missing(cells: Iterable[str]) -> list[str]:
    return [cell for cell in cells if not is_missing(cell)]


def value_of(cell: str, mark: DecimalMark) -> float | None:
    """Return the value of a cell with the decimal mark ``mark``; None if it is not a number."""
    if len(cell) > MAX_NUMBER_LENGTH:
        return None  # do not cache it
    if cell.isdecimal() and cell.isascii():
        return float(cell)
    if isinstance(cell, StoredNumber):
        value = float(cell)
        return value if abs(value) <= MAX_MAGNITUDE else None
    return _cached_value(cell, mark)


@lru_cache(maxsize=_MAX_KEPT_CELLS)
def _cached_value(cell: str, mark: DecimalMark) -> float | None:
    return _value_of_cell(_clean_cell(cell), mark)


def shrink_cache() -> None:
    """Free the memory that the cells of a large table take, after its reading."""
    if _without_unit.cache_info().currsize > _MAX_KEPT_CELLS:
        _without_unit.cache_clear()


def scale(cell: str, factor: Fraction) -> str:
    """Return a number without its unit, as a cell that is read as its value times ``factor``."""
    clean = _clean_cell(cell)
    return f"{clean.number}⋅{factor * Fraction(clean.factor)}"


def is_scaled(cell: str) -> bool:
    return _SCALED.fullmatch(cell) is not None


def is_currency(text: str) -> bool:
    return _ONLY_CURRENCY.fullmatch(text.strip()) is not None


def strip_unit(cell: str) -> str:
    return _clean_cell(cell).number


def is_plain(cell: str) -> bool:
    """Return whether a cell has only digits, a sign and marks, or is a stored number."""
    return isinstance(cell, StoredNumber) or _PLAIN.fullmatch(cell) is not None


def abbreviation_of(cell: str) -> str:
    """Return the letters after a number that multiply it, such as k and Mio, "" if none do."""
    return _clean_cell(cell).abbreviation


def unit_of(cell: str) -> str:
    """Return the unit of a number, "" if it has none that is known."""
    clean = _clean_cell(cell)
    return clean.after.strip() or clean.before.strip()


def read_numbers(cells: pd.Series, mark: DecimalMark) -> FloatArray:
    """Parse a column; NaN where a cell is not a number."""
    codes, distinct = pd.factorize(cells)
    values = [value_of(cell, mark) for cell in distinct]
    numbers: FloatArray = np.array([math.nan if value is None else value for value in values])
    return numbers[codes]


def read_likely_numbers(cells: pd.Series) -> FloatArray:
    """Parse a column with the decimal mark that makes most of its cells numbers."""
    numbers = (read_numbers(cells, mark) for mark in DecimalMark)
    return max(numbers, key=lambda values: int(np.isfinite(values).sum()))


def number_form(cells: Sequence[str], mark: DecimalMark) -> NumberForm:
    """Return the notation that the last numbers in cells show."""
    units = [
        cell
        for cell in map(_clean_cell, filterfalse(_PLAIN.fullmatch, cells))
        if cell.number and (cell.before or cell.after)
    ]
    # A currency may be next to only the first number; a letter after a single one is a typo.
    is_typo = not any(cell.before for cell in units) and len(units) < MIN_UNIT_FRACTION * len(cells)
    with_unit = units[0] if units and not is_typo else None
    decimals = [_decimals_of(_clean_cell(cell), mark) for cell in cells[-SAMPLE_CELLS:]]
    before, after = (with_unit.before, with_unit.after) if with_unit else ("", "")
    grouped = next(filter(None, map(_GROUPING[mark].search, cells[-SAMPLE_CELLS:])), None)
    grouping = grouped[1] if grouped else ""
    return NumberForm(mark, max([0, *decimals]), before, after, grouping)


def _clean_cell(cell: str) -> _Cell:
    if len(cell) > MAX_NUMBER_LENGTH:
        return _Cell("")
    return _Cell(cell) if _PLAIN.fullmatch(cell) else _without_unit(cell)


@lru_cache(maxsize=_MAX_CACHED_CELLS)
def _without_unit(cell: str) -> _Cell:
    if scaled := _SCALED.fullmatch(cell):
        return _Cell(scaled[1], factor=int(scaled[2]) / int(scaled[3] or 1))
    text = _FOOTNOTE.sub("", cell)
    number = _APOSTROPHES.sub("", _SPACES.sub("", text).translate(_PLAIN_MARKS))
    if _PLAIN.fullmatch(number):
        return _Cell(number)
    before = match[2] if (match := _BEFORE.search(number)) else ""
    number = _BEFORE.sub(r"\1", number)
    if letter := _ONE_LETTER.search(text):
        before = letter[1]
        number = number.replace(letter[1], "", 1)
    if not before and (length := _LENGTH.search(text[-4:])):
        return _Cell(number.removesuffix(length[2]), "", " " * bool(length[1]) + length[2])
    after = match[1] if (match := _AFTER.search(number)) else ""
    number = _AFTER.sub(r"\2", number)
    abbreviation = match[1] if (match := _MULTIPLIER.search(number)) else ""
    factor = _FACTORS.get(abbreviation.lower(), 1.0)
    number = _BRACKETS.sub(r"-\1", _MULTIPLIER.sub(r"\2", number))
    number = _BEFORE.sub(r"\1", _TRAILING_MINUS.sub(r"-\1", number))
    space = " " if re.search(r"\s", text.strip()) else ""
    if before and before not in _SIGNS:
        before += space
    if after.startswith((",", ".")):
        after = ""
    elif after:
        after = space + after
    return _Cell(number, before, after, factor, abbreviation)


def _decimals_of(cell: _Cell, mark: DecimalMark) -> int:
    value = _value_of_cell(cell, mark)
    if value is None:
        return 0
    digits = cell.number.partition(mark.character)[2]
    if "e" in cell.number.lower():
        plain = format(float(cell.number.replace(mark.character, ".")), ".15f")
        digits = plain.rstrip("0").partition(".")[2]
    return len(digits) - round(math.log10(cell.factor))


def _value_of_cell(cell: _Cell, mark: DecimalMark) -> float | None:
    whole, *rest = cell.number.split(mark.character)
    group = mark.other.character
    if len(rest) > 1 or (rest and group in rest[0]):
        return None
    if group in whole:
        if not GROUPED[mark.other].fullmatch(whole):
            return None
        whole = whole.replace(group, "")
    plain = ".".join([whole, *rest])
    if not _NUMBER.fullmatch(plain):
        return None
    value = float(plain) * cell.factor
    if not abs(value) <= MAX_MAGNITUDE:
        return None
    return value if cell.factor == 1 else float(f"{value:.15g}")
