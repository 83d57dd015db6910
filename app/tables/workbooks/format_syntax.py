"""The syntax of the number formats of workbooks."""

import re

MAX_FORMAT_LENGTH = 255  # as in Excel
# What shows nothing of its own: colors and locales in brackets, spaces as wide as a letter, fills.
HIDDEN = re.compile(r"\[[^\]]{0,60}\]|[_*].", re.DOTALL)
TEXT = re.compile(r'"([^"]*)"|\\(.)', re.DOTALL)
DATE_CODE = re.compile("[ymdhs]", re.IGNORECASE)  # years to seconds
DIGITS = re.compile("[0#?](?:.*[0#?])?", re.DOTALL)
DEBIT_OR_CREDIT = re.compile(r"\b(dr|cr)\b", re.IGNORECASE)  # a debit or a credit
MINUS = "-−–"


def is_date_format(number_format: str) -> bool:
    """Return whether a format shows dates or times."""
    return DATE_CODE.search(format_sections(number_format)[0]) is not None


def format_sections(number_format: str) -> list[str]:
    """Return the parts of a format for positive, negative and other numbers.

    A point replaces each quoted text without a sign, as its letters and digits mean nothing.
    """
    plain = HIDDEN.sub("", number_format)
    return TEXT.sub(_text_of, plain).split(";")


def _text_of(match: re.Match[str]) -> str:
    text = match[1] if match[1] is not None else match[2]
    is_sign = DEBIT_OR_CREDIT.fullmatch(text.strip(" .")) or text.strip() in (*MINUS, "(", ")")
    return text if is_sign else "."
