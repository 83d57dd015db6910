"""Numbers as people write them; where that may mean two, it is refused and not guessed."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from forecast_client.errors import DataError

_MISSING = {"", "-", "–", "na", "n/a", "nan", "null", "none", "#n/a", "nil"}
_SPACES = re.compile(r"[\s'’\u00a0\u202f\u2009_]")
_UNITS = re.compile(r"^(?:[€$£¥]|EUR|USD|CHF|GBP)+|(?:[€$£¥%]|EUR|USD|CHF|GBP)+$", re.IGNORECASE)
_PLAIN = re.compile(r"[-+]?\d+(?:[eE][-+]?\d+)?")
_MARKED = re.compile(r"[-+]?[\d.,]*\d[.,]?(?:[eE][-+]?\d+)?")
_AMBIGUOUS = re.compile(r"[-+]?[1-9]\d{0,2}[.,]\d{3}")
OTHER = {".": ",", ",": "."}


@dataclass(frozen=True)
class Numbers:
    """``values``: NaN where a cell is empty; ``decimals``: the most digits after the mark."""

    values: list[float]
    decimals: int


def looks_numeric(cell: str) -> bool:
    """Return whether a cell may be a number."""
    return bool(_MARKED.fullmatch(_bare(cell)))


def is_missing(cell: str) -> bool:
    """Return whether a cell says that there is no value."""
    return cell.strip().lower() in _MISSING


def parse_numbers(cells: Sequence[str], lines: Sequence[int], decimal: str | None) -> Numbers:
    """Return a column as numbers; ``decimal`` is its decimal mark, None where that is not said.

    Raises:
        DataError: A cell is not a number, or is ambiguous.
    """
    bare = ["" if is_missing(cell) else _bare(cell) for cell in cells]
    for cell, text, line in zip(cells, bare, lines, strict=True):
        if text and not _MARKED.fullmatch(text):
            raise DataError(f"line {line}: {cell.strip()!r} is not a number: correct or clear it")
    mark = decimal or _decimal_of(bare, lines)
    form = _form(mark)
    values, decimals = [], 0
    for cell, text, line in zip(cells, bare, lines, strict=True):
        if not text:
            values.append(math.nan)
            continue
        if not form.fullmatch(text):
            raise DataError(
                f"line {line}: {cell.strip()!r} is not a number with the decimal mark {mark!r}: "
                f"correct it, or say --decimal {OTHER[mark]!r}"
            )
        plain = text.replace(OTHER[mark], "").replace(mark, ".")
        if not math.isfinite(value := float(plain)):
            raise DataError(f"line {line}: {cell.strip()!r} is too large: use larger units")
        values.append(value)
        decimals = max(decimals, len(re.split("[eE]", plain)[0].partition(".")[2]))
    return Numbers(values, decimals)


def _bare(cell: str) -> str:
    """Return a number without its unit and the spaces or apostrophes between thousands."""
    text = _SPACES.sub("", cell).replace("−", "-")
    if text.startswith("(") and text.endswith(")"):  # as accountants write negative numbers
        text = f"-{text[1:-1]}"
    sign = "-" if text.startswith("-") else ""
    return sign + _UNITS.sub("", text[len(sign) :])


def _form(mark: str) -> re.Pattern[str]:
    """What a number looks like with a decimal mark: thousands in threes, or none at all."""
    mark, group = re.escape(mark), re.escape(OTHER[mark])
    whole = rf"(?:\d+|\d{{1,3}}(?:{group}\d{{3}})+)"
    return re.compile(rf"[-+]?(?:{whole}(?:{mark}\d*)?|{mark}\d+)(?:[eE][-+]?\d+)?")


def _decimal_of(bare: Sequence[str], lines: Sequence[int]) -> str:
    """Return the decimal mark that the numbers of a column have."""
    shown: dict[str, int] = {}
    unclear = None
    for text, line in zip(bare, lines, strict=True):
        if not text or _PLAIN.fullmatch(text):
            continue
        mark = _own_decimal(text)
        if mark is None:
            unclear = unclear or (text, line)
        else:
            shown.setdefault(mark, line)
    if len(shown) == 2:
        raise DataError(
            f"the decimal mark is a point in line {shown['.']} and a comma in line {shown[',']}: "
            "write all numbers alike"
        )
    if shown:
        return next(iter(shown))
    if unclear is not None:
        text, line = unclear
        digits = re.sub("[.,]", "", text)
        mark = "." if "." in text else ","
        raise DataError(
            f"line {line}: {text} may be {digits} or {text.replace(',', '.')}, and no other number "
            f"of the column shows which: say --decimal '{OTHER[mark]}' (it is {digits}) or "
            f"--decimal '{mark}'"
        )
    return "."


def _own_decimal(text: str) -> str | None:
    """Return the decimal mark that a number shows; None where it may be either."""
    last = max(".,", key=text.rfind)
    if text.count(last) > 1:  # 1.480.000
        return OTHER[last]
    if OTHER[last] in text:  # 1.480,50
        return last
    return None if _AMBIGUOUS.fullmatch(text) else last
