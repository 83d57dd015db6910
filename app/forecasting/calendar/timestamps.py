"""Timestamps as strings to ``datetime64`` and back, over arrays.

A timestamp is ``YYYY-MM-DDTHH:MM:SS``, then a zero fraction (``.000``) or none, then ``Z``, one
offset ``±HH:MM`` or nothing, the same for the whole series (RFC 3339's profile of ISO 8601).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.forecasting.calendar.defects import MAX_DEFECTS, Defect, SeriesDefects

BoolArray = npt.NDArray[np.bool_]
ByteArray = npt.NDArray[np.uint8]
TimeArray = npt.NDArray[np.datetime64]
"""Local wall-clock times, dtype ``datetime64[s]``."""

FIRST_TIME = np.datetime64("0001-01-01T00:00:00", "s")
LAST_TIME = np.datetime64("9999-12-31T23:59:59", "s")

_LOWEST = np.array([list(b"0000-00-00T00:00:00")], dtype=np.uint8).T
_ABOVE_LOWEST = np.array([list(b"9999-99-99T99:99:99")], dtype=np.uint8).T - _LOWEST
_DIGITS = np.flatnonzero(_ABOVE_LOWEST)
_HEAD = len(_LOWEST)

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
_FORM = "send YYYY-MM-DDTHH:MM:SS, for example 2024-01-31T00:00:00"


class TimestampErrors(SeriesDefects):
    """Strings that are no timestamps, or whose offsets differ."""


@dataclass(frozen=True)
class ParsedTimestamps:
    """``times``: shape (n,). ``suffix``: what every string ends in: "", "Z", "+02:00"."""

    times: TimeArray
    suffix: str


def parse(strings: Sequence[str]) -> ParsedTimestamps:
    """The times of n timestamps, in any order, and their common suffix.

    Raises ``TimestampErrors`` where an entry is no timestamp, or ends otherwise than the first one.
    """
    codes, tails = _split(strings)
    times, valid = _read_heads(codes)
    suffixes = {tail: _suffix(tail) for tail in set(tails)}
    of_timestamps = (suffixes[tails[index]] for index in np.flatnonzero(valid))
    suffix = next((suffix for suffix in of_timestamps if suffix is not None), "")
    if set(suffixes.values()) != {suffix}:
        valid &= np.array([suffixes[tail] == suffix for tail in tails], dtype=np.bool_)
    if not valid.all():
        wrong = np.flatnonzero(~valid)[:MAX_DEFECTS].tolist()
        raise TimestampErrors([Defect(index, _issue(strings[index], suffix)) for index in wrong])
    return ParsedTimestamps(times, suffix)


def format_timestamps(times: TimeArray, suffix: str = "") -> list[str]:
    """The timestamps of ``times`` (years 1 to 9999), each followed by ``suffix``."""
    strings: list[str] = np.datetime_as_string(times, unit="s").tolist()
    return [string + suffix for string in strings]


def _split(strings: Sequence[str]) -> tuple[ByteArray, list[str]]:
    """The codes of the heads, shape (n, 19), and what follows each head."""
    if len(set(map(len, strings))) == 1 and len(strings[0]) >= _HEAD:
        codes = _codes(strings)
        if (codes[:, _HEAD:] == codes[0, _HEAD:]).all():
            return codes[:, :_HEAD], [strings[0][_HEAD:]] * len(strings)
    heads = [string[:_HEAD].ljust(_HEAD) for string in strings]
    return _codes(heads), [string[_HEAD:] for string in strings]


def _codes(strings: Sequence[str]) -> ByteArray:
    """One row of ASCII codes for each of ``strings``, which are equally long.

    What is not ASCII becomes "?", which no timestamp holds.
    """
    codes = "".join(strings).encode("ascii", "replace")
    return np.frombuffer(codes, dtype=np.uint8).reshape(len(strings), -1 if codes else _HEAD)


def _read_heads(codes: ByteArray) -> tuple[TimeArray, BoolArray]:
    """The times of ``YYYY-MM-DDTHH:MM:SS``, shape (n, 19), and which rows are real times.

    The times of the other rows mean nothing. Numpy's own reading of an array of strings does not
    say which of them is wrong, and where there are more than 500 it ends the process.
    """
    above = np.ascontiguousarray(codes.T) - _LOWEST  # a code below wraps round to a high one
    valid: BoolArray = np.all(above <= _ABOVE_LOWEST, axis=0)
    digits = above[_DIGITS]
    pairs = 10 * digits[::2] + digits[1::2]
    century, year_of_century, month, day, hour, minute, second = pairs.astype(np.int64)
    year = 100 * century + year_of_century
    months = (12 * (year - 1970) + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    valid &= (year >= 1) & (month >= 1) & (month <= 12)
    valid &= (day >= 1) & (days < (months + 1).astype("datetime64[D]"))
    valid &= (hour <= 23) & (minute <= 59) & (second <= 59)
    return days.astype("datetime64[s]") + (3_600 * hour + 60 * minute + second), valid


def _suffix(tail: str) -> str | None:
    """What follows the fraction of ``tail``, or None where it is no tail of a timestamp."""
    match = _TAIL.fullmatch(tail)
    return None if match is None else match[1] or ""


def _issue(string: str, suffix: str) -> str:
    """What is wrong with ``string``, refused in a series that ends in ``suffix``."""
    match = _LOOSE.fullmatch(string)
    if match is None:
        return _REFUSED + _FORM
    date, time, fraction, tail = match.groups(default="")
    if date.startswith("0000"):
        issue = "the year 0000 is not in the calendar; send years 0001 to 9999"
    elif not _is_time(f"{date}T00:00:00"):
        issue = f"{date} is no date of the calendar; send a date that exists"
    elif not _is_time(f"2000-01-01T{time}"):
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


def _is_time(head: str) -> bool:
    return bool(_read_heads(_codes([head]))[1].all())


def _ending(suffix: str) -> str:
    return f"ends in '{suffix}'" if suffix else "has no offset"
