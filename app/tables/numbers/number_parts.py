"""Take units, abbreviations, signs and spaces off the number in a cell."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from app.tables.numbers.digits import PLAIN_DIGITS

MAX_NUMBER_LENGTH = 60
# More than most columns have: a column is read a dozen times, each time from its first cell to its
# last, so a cache that is smaller than the column has none of them when they are read again.
_MAX_CACHED_CELLS = 524_288
MAX_KEPT_CELLS = 65_536  # by each cache after a reading; each takes 330 bytes
# Also marks of the direction of writing, which Arabic and Hebrew have around signs.
_SPACES = re.compile(r"[\s\u00a0\u2007-\u200f\u202a-\u202f\u2066-\u2069_]")
_APOSTROPHES = re.compile(r"(?<=\d)['’ʼ´`](?=\d{3})")
# An Arabic separator of thousands becomes a comma, as one cell does not show which mark it is.
_PLAIN_MARKS = str.maketrans("−–‒—△٫٬，．－＋（）％", "-----.,,.-+()%") | PLAIN_DIGITS
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
_BEFORE = re.compile(rf"^([-+(]*)(?P<unit>{_CURRENCY}|%)(?=[-+(.\d])", re.IGNORECASE)
_AFTER = re.compile(
    rf"(?<=[\d.)-])(?=[^\d(.,)-]|[.,]-)(?P<unit>(?:{_CURRENCY}|{_UNITS}|%|°C|°F)(?:/(?:{_UNITS}|d|day|tag|a))?|‰|,--?|\.--?)(\)?)$",
    re.IGNORECASE,
)
# Without a space, as in 1.5m, m means a million; so does mm only with a currency.
_LENGTH = re.compile(r"[0-9](\s)?(mm|(?<=\s)m)$")
_FACTORS = {
    **dict.fromkeys(("k", "tsd"), 1e3),
    **dict.fromkeys(("m", "mm", "mn", "mio", "mln"), 1e6),
    **dict.fromkeys(("b", "bn", "mrd", "md"), 1e9),
}
_MULTIPLIER = re.compile(
    r"(?<=\d)(?P<unit>k|tsd|mm?|mn|mio|mln|bn?|mrd|md)\.?(\)?)$", re.IGNORECASE
)
# A number that ``scale`` has written, with its factor after it.
_SCALED = re.compile(r"([^⋅]*)⋅([1-9]\d{0,18})(?:/([1-9]\d{0,18}))?", re.ASCII)
_FOOTNOTE = re.compile(r"(?<=[\d%]) ?(?:[*†‡¹]{1,3}|\[\w{1,3}\])$|(?<=[.,]\d)#$")
# Rand, quetzal and lempira, with cents: R1 may be a name, and Q1.24 a quarter.
_ONE_LETTER = re.compile(
    r"(?<![^-+(])([RL]|Q(?![1-4][.,]\d{2}$))\s?(?=[\d\s,.]{1,40}[.,]\d{2}\)?$)"
)
_BRACKETS = re.compile(r"^\((.+)\)$")
_TRAILING_SIGN = re.compile(r"^([\d.,]+(?=-)|[\d.,]*[.,]\d\d)([+-])$")  # 500+ is a bound
PLAIN = re.compile(r"[+-]?[\d.,]*", re.ASCII)


class _Step(NamedTuple):
    """What a number loses, and what stays of the match of its form.

    Attributes:
        part: The part of ``NumberParts`` that the group ``unit`` is, "" for signs.
        example: A number that this step changes.
    """

    part: str
    form: re.Pattern[str]
    rest: str
    example: str


# A unit is after an abbreviation with a full stop, and both are between brackets.
STEPS = (
    _Step("before", _BEFORE, r"\1", "(€12)"),
    _Step("after", _AFTER, r"\2", "12kg)"),
    _Step("abbreviation", _MULTIPLIER, r"\2", "12k)"),
    _Step("", _BRACKETS, r"-\1", "(12)"),
    _Step("", _TRAILING_SIGN, r"\2\1", "12-"),
    _Step("before", _BEFORE, r"\1", "$12"),  # a second one, as in EUR -$12
)


class NumberParts(NamedTuple):
    """The digits and marks of a cell, its unit, and its abbreviation with the factor of that."""

    number: str
    before: str = ""
    after: str = ""
    factor: float = 1.0
    abbreviation: str = ""


def number_parts(cell: str) -> NumberParts:
    """Return the parts of a cell; its ``number`` is another text if it has none."""
    if len(cell) > MAX_NUMBER_LENGTH:
        return NumberParts("")
    return NumberParts(cell) if PLAIN.fullmatch(cell) else _split_cell(cell)


def shrink_cache() -> None:
    """Free the memory that the cells of a large table take, after its reading."""
    if _split_cell.cache_info().currsize > MAX_KEPT_CELLS:
        _split_cell.cache_clear()


def is_scaled(cell: str) -> bool:
    return _SCALED.fullmatch(cell) is not None


def is_currency(text: str) -> bool:
    return _ONLY_CURRENCY.fullmatch(text.strip()) is not None


def can_begin_number(cell: str) -> bool:
    """Return whether a text is worth parsing: most begin with a letter, and have no number."""
    is_likely = not cell[:1].isalpha() or _BEFORE.search(_plain_text(cell))
    return bool(is_likely or _ONE_LETTER.search(cell))


@lru_cache(maxsize=_MAX_CACHED_CELLS)
def _split_cell(cell: str) -> NumberParts:
    if scaled := _SCALED.fullmatch(cell):
        return NumberParts(scaled[1], factor=int(scaled[2]) / int(scaled[3] or 1))
    text = _FOOTNOTE.sub("", cell)
    number = _APOSTROPHES.sub("", _plain_text(text))
    if PLAIN.fullmatch(number):
        return NumberParts(number)
    units = dict.fromkeys(("before", "after", "abbreviation"), "")
    if letter := _ONE_LETTER.search(text):
        units["before"], number = letter[1], number.replace(letter[1], "", 1)
    elif (length := _LENGTH.search(text[-4:])) and not _BEFORE.search(number):
        after = " " * bool(length[1]) + length[2]
        return NumberParts(number.removesuffix(length[2]), after=after)
    for part, form, rest, _ in STEPS:
        if match := form.search(number):
            number = number[: match.start()] + match.expand(rest) + number[match.end() :]
            if part:
                units[part] = units[part] or match["unit"]
    before, after, abbreviation = units.values()
    space = " " if re.search(r"\s", text.strip()) else ""
    return NumberParts(
        number,
        before + space if before and before not in _SIGNS else before,
        "" if after.startswith((",", ".")) else after and space + after,
        _FACTORS.get(abbreviation.lower(), 1.0),
        abbreviation,
    )


def _plain_text(text: str) -> str:
    return _SPACES.sub("", text).translate(_PLAIN_MARKS)
