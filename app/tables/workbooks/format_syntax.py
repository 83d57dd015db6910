"""The syntax of the number formats of a workbook, and what one shows; light to import."""

import re
from enum import IntEnum

MAX_FORMAT_LENGTH = 255  # as in Excel
# What shows nothing of its own: colors and locales in brackets, spaces as wide as a letter, fills.
HIDDEN = re.compile(r"\[[^\]]{0,60}\]|[_*].", re.DOTALL)
QUOTED_TEXT = re.compile(r'"([^"]*)"|\\(.)', re.DOTALL)
_DATE_CODE = re.compile("[ymdhs]", re.IGNORECASE)  # years to seconds
DIGITS = re.compile("[0#?](?:.*[0#?])?", re.DOTALL)
_DEBIT_OR_CREDIT = re.compile(r"\b(dr|cr)\b", re.IGNORECASE)
_MINUS = "-−–"
_CONDITION = re.compile(r"\[[<>=]")


class ShownSign(IntEnum):
    """What a number format shows besides the digits of a positive number."""

    MINUS = 1
    REVERSED = 2  # a minus, and none with a negative number
    DEBIT = 3
    CREDIT = 4


def shown_sign(number_format: str) -> ShownSign | None:
    """Return the sign that a format shows with a positive number, None without one."""
    if len(number_format) > MAX_FORMAT_LENGTH or _CONDITION.search(number_format):
        return None
    positive, *others = _format_sections(number_format)
    side = _DEBIT_OR_CREDIT.search(positive)
    if side:
        return ShownSign.DEBIT if side[1].lower() == "dr" else ShownSign.CREDIT
    if not _shows_minus(positive):
        return None
    is_reversed = bool(others) and not _shows_minus(others[0])
    return ShownSign.REVERSED if is_reversed else ShownSign.MINUS


def _shows_minus(section: str) -> bool:
    digits = DIGITS.search(section)
    if digits is None or _DATE_CODE.search(section):
        return False
    before, after = section[: digits.start()], section[digits.end() :]
    has_minus = any(mark in before or after.startswith(mark) for mark in _MINUS)
    return has_minus or ("(" in before and ")" in after)


def is_percent_format(number_format: str) -> bool:
    """Return whether a format shows 0.95 as 95%."""
    return "%" in _format_sections(number_format)[0]


def is_date_format(number_format: str) -> bool:
    return _DATE_CODE.search(_format_sections(number_format)[0]) is not None


def _format_sections(number_format: str) -> list[str]:
    """Return the parts of a format for positive, negative and other numbers.

    A point replaces each quoted text without a sign, as its letters and digits mean nothing.
    """
    plain = HIDDEN.sub("", number_format)
    return QUOTED_TEXT.sub(_text_of, plain).split(";")


def _text_of(match: re.Match[str]) -> str:
    text = match[1] if match[1] is not None else match[2]
    is_sign = _DEBIT_OR_CREDIT.fullmatch(text.strip(" .")) or text.strip() in (*_MINUS, "(", ")")
    return text if is_sign else "."
