"""Timestamp texts to seconds and back, over arrays.

A timestamp is ``YYYY-MM-DDTHH:MM:SS``, then a zero fraction (``.000``) or none, then ``Z``, one
offset ``±HH:MM`` or nothing, the same for the whole series (RFC 3339's profile of ISO 8601).
"""

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.forecasting.calendar.civil import (
    SECONDS_PER_DAY,
    civil_from_days,
    days_from_civil,
    days_in_month,
)
from app.forecasting.calendar.defects import MAX_DEFECTS, Defect, SeriesDefects
from app.forecasting.types import IntArray

BoolArray = npt.NDArray[np.bool_]
ByteArray = npt.NDArray[np.uint8]

_TEMPLATE = "YYYY-MM-DDTHH:MM:SS"
_HEAD = len(_TEMPLATE)
_DIGITS = [place for place, mark in enumerate(_TEMPLATE) if mark not in "-T:"]
_MARKS = [place for place, mark in enumerate(_TEMPLATE) if mark in "-T:"]
_MARK_CODES = np.array([[ord(_TEMPLATE[place])] for place in _MARKS], dtype=np.uint8)

_ZERO_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_ZEROS = b"0000-00-00T00:00:00"
_FIRST_SECOND = np.datetime64("0001-01-01T00:00:00", "s").astype(np.int64)

# RFC 3339 bounds an offset's hours by 23 and its minutes by 59.
_OFFSET = r"Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]"
_TAIL = re.compile(rf"(?:\.0{{1,9}})?({_OFFSET})?")
_LOOSE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?(.*)", re.DOTALL
)

TIMESTAMP_PATTERN = (
    r"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    rf"(?:\.0{{1,9}})?(?:{_OFFSET})?$"
)
"""What every timestamp matches; of what matches, only dates of the calendar are timestamps."""

_REFUSED = "invalid timestamp format: "
_FORM = f"send {_TEMPLATE}, for example 2024-01-31T00:00:00"


class TimestampErrors(SeriesDefects):
    """Texts that are no timestamps, or whose offsets differ."""


@dataclass(frozen=True)
class ParsedTimestamps:
    """``seconds``: shape (n,), local wall-clock seconds since 0001-01-01T00:00:00.

    ``suffix``: what every text ends in: "", "Z" or an offset such as "+02:00".
    """

    seconds: IntArray
    suffix: str


def parse(texts: Sequence[str]) -> ParsedTimestamps:
    """The seconds of ``texts``; raises ``TimestampErrors`` where an entry is no timestamp."""
    if not texts:
        return ParsedTimestamps(np.zeros(0, dtype=np.int64), "")
    length = len(texts[0])
    equally_long = length >= _HEAD and set(map(len, texts)) == {length}
    characters = _characters(
        texts if equally_long else [text[:_HEAD].ljust(_HEAD) for text in texts]
    )
    seconds, valid = _read_heads(characters[:, :_HEAD])
    endings = characters[:, _HEAD:]
    alike = equally_long and bool((endings == endings[0]).all())
    suffix = _suffix(texts[0][_HEAD:]) if alike else None
    if suffix is None:
        suffix, well_ended = _read_tails(texts, valid)
        valid &= well_ended
    if not valid.all():
        wrong = np.flatnonzero(~valid)[:MAX_DEFECTS].tolist()
        raise TimestampErrors([Defect(index, _issue(texts[index], suffix)) for index in wrong])
    return ParsedTimestamps(seconds, suffix)


def format_timestamps(seconds: IntArray, suffix: str = "") -> list[str]:
    """The texts of ``seconds`` (years 1 to 9999), each followed by ``suffix``."""
    days, second_of_day = np.divmod(seconds, SECONDS_PER_DAY)
    year, month, day = civil_from_days(days)
    minutes, second = np.divmod(second_of_day, 60)
    hour, minute = np.divmod(minutes, 60)
    fields = (part.tolist() for part in (year, month, day, hour, minute, second))
    return [
        f"{y:04}-{m:02}-{d:02}T{h:02}:{mi:02}:{s:02}{suffix}"
        for y, m, d, h, mi, s in zip(*fields, strict=True)
    ]


def _characters(texts: Sequence[str]) -> ByteArray:
    """One row of ASCII codes for each of ``texts``, which are equally long.

    What is not ASCII becomes "?", which no timestamp holds.
    """
    codes = "".join(texts).encode("ascii", "replace")
    return np.frombuffer(codes, dtype=np.uint8).reshape(len(texts), len(texts[0]))


def _read_heads(characters: ByteArray) -> tuple[IntArray, BoolArray]:
    """The seconds of ``YYYY-MM-DDTHH:MM:SS``, shape (n, 19), and which rows are real moments.

    The seconds of the other rows mean nothing.
    """
    heads = characters.tobytes()
    if heads.translate(_ZERO_DIGITS) == _ZEROS * len(characters):
        with contextlib.suppress(ValueError):  # numpy does not say which of them is no moment
            moments = np.frombuffer(heads, dtype=f"S{_HEAD}").astype("datetime64[s]")
            seconds = moments.astype(np.int64) - _FIRST_SECOND
            return seconds, seconds >= 0
    return _read_heads_one_by_one(characters)


def _read_heads_one_by_one(characters: ByteArray) -> tuple[IntArray, BoolArray]:
    """As ``_read_heads``, where not every row is a moment."""
    columns = np.ascontiguousarray(characters.T)
    digits = columns[_DIGITS] - np.uint8(ord("0"))  # wraps round to above 9 below "0"
    valid: BoolArray = np.all(digits <= 9, axis=0)
    valid &= np.all(columns[_MARKS] == _MARK_CODES, axis=0)

    tens_and_ones = digits.astype(np.int64).reshape(7, 2, -1)
    century, year_of_century, month, day, hour, minute, second = (
        10 * tens_and_ones[:, 0] + tens_and_ones[:, 1]
    )
    year = 100 * century + year_of_century
    valid &= (year >= 1) & (month >= 1) & (month <= 12)
    month = np.where(valid, month, 1)
    valid &= (day >= 1) & (day <= days_in_month(year, month))
    valid &= (hour <= 23) & (minute <= 59) & (second <= 59)
    seconds = days_from_civil(year, month, day) * SECONDS_PER_DAY
    seconds += 3_600 * hour + 60 * minute + second
    return seconds, valid


def _read_tails(texts: Sequence[str], moments: BoolArray) -> tuple[str, BoolArray]:
    """The suffix of the series, and which texts end in it after a zero fraction or none.

    The suffix is that of the first text that is a timestamp; ``moments`` says whose head is.
    """
    tails = [text[_HEAD:] for text in texts]
    suffixes = {tail: _suffix(tail) for tail in set(tails)}
    of_moments = (suffixes[tails[index]] for index in np.flatnonzero(moments))
    suffix = next((suffix for suffix in of_moments if suffix is not None), "")
    return suffix, np.array([suffixes[tail] == suffix for tail in tails])


def _suffix(tail: str) -> str | None:
    """What follows the fraction of ``tail``, or None where it is no tail of a timestamp."""
    match = _TAIL.fullmatch(tail)
    return None if match is None else match[1] or ""


def _issue(text: str, suffix: str) -> str:
    """What is wrong with ``text``, refused in a series that ends in ``suffix``."""
    match = _LOOSE.fullmatch(text)
    if match is None:
        return _REFUSED + _FORM
    date, time, fraction, tail = match.groups(default="")
    if date.startswith("0000"):
        issue = "the year 0000 is not in the calendar; send years 0001 to 9999"
    elif not _is_moment(f"{date}T00:00:00"):
        issue = f"{date} is no date of the calendar; send a date that exists"
    elif not _is_moment(f"2000-01-01T{time}"):
        issue = f"{time} is no time of day; send 00:00:00 to 23:59:59"
    elif _suffix(fraction) is None:
        issue = "fractions of a second are not supported; send whole seconds"
    elif _suffix(tail) is None or tail.startswith("."):
        issue = (
            "after the seconds only Z or an offset from -23:59 to +23:59 may follow; "
            f"{_FORM}Z or 2024-01-31T00:00:00+02:00"
        )
    else:
        issue = (
            f"the first timestamp {_ending(suffix)}, this one {_ending(tail)}; "
            "send one offset for the whole series"
        )
    return _REFUSED + issue


def _is_moment(head: str) -> bool:
    return bool(_read_heads(_characters([head]))[1][0])


def _ending(suffix: str) -> str:
    return f"ends in '{suffix}'" if suffix else "has no offset"
