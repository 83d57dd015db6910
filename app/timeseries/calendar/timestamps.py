"""Parse timestamps into arrays of ``datetime64``, and format them.

A timestamp is ``YYYY-MM-DDTHH:MM:SS``, optionally a zero fraction (``.000``), then ``Z``, an offset
``±HH:MM`` or nothing, the same for the whole series (RFC 3339's profile of ISO 8601).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

import numpy as np
import numpy.typing as npt

from app.timeseries.calendar.defects import MAX_DEFECTS, Defect, SeriesDefects

TimeArray = npt.NDArray[np.datetime64]  # local wall-clock times, dtype ``datetime64[s]``

FIRST_TIME = np.datetime64("0001-01-01T00:00:00", "s")
LAST_TIME = np.datetime64("9999-12-31T23:59:59", "s")

_DIGITS_TO_ZERO = bytes.maketrans(b"0123456789", b"0" * 10)
_ZEROS = b"0000-00-00T00:00:00"
_HEAD_LENGTH = len(_ZEROS)

# RFC 3339 bounds an offset's hours by 23 and its minutes by 59.
_OFFSET = r"Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]"
_TAIL = re.compile(rf"(?:\.0{{1,9}})?({_OFFSET})?")
_LOOSE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?(.*)", re.DOTALL
)

# Every timestamp matches this; a match may still be a date that does not exist.
TIMESTAMP_PATTERN = (
    r"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    rf"(?:\.0{{1,9}})?(?:{_OFFSET})?$"
)

INVALID_TIMESTAMP = "invalid timestamp format"  # how issues of malformed timestamps start
_SEND_FORM = "send YYYY-MM-DDTHH:MM:SS, "
_SEND_EXAMPLE = f"{_SEND_FORM}for example 2024-01-31T00:00:00"
_MAX_LENGTH = 40  # a longer string is not a timestamp in another form


class TimestampErrors(SeriesDefects):
    """Strings that are not timestamps, or whose offsets differ."""


@dataclass(frozen=True)
class ParsedTimestamps:
    """``times``: shape (n,). ``suffix``: the end of every string: "", "Z", "+02:00"."""

    times: TimeArray
    suffix: str


def parse_timestamps(strings: Sequence[str]) -> ParsedTimestamps:
    """Return the times of n timestamps, in any order, and their common suffix.

    Raise TimestampErrors if an entry is not a timestamp, or its offset differs from the first one.
    """
    heads: Sequence[str] = strings
    tails = {""}
    if set(map(len, strings)) != {_HEAD_LENGTH}:
        heads = [string[:_HEAD_LENGTH] for string in strings]
        tails = {string[_HEAD_LENGTH:] for string in strings}
    suffixes = {tail: _parse_suffix(tail) for tail in tails}
    entry_suffixes = (_suffix_of(string, suffixes) for string in strings)
    suffix = next((suffix for suffix in entry_suffixes if suffix is not None), "")
    times = _parse_heads(heads) if set(suffixes.values()) <= {suffix} else None
    if times is None:
        mismatches = (i for i, text in enumerate(strings) if _suffix_of(text, suffixes) != suffix)
        raise TimestampErrors(
            [
                Defect(index, _issue_of(strings[index], suffix))
                for index in islice(mismatches, MAX_DEFECTS)
            ]
        )
    return ParsedTimestamps(times, suffix)


def format_timestamps(times: TimeArray, suffix: str) -> list[str]:
    """Return the timestamps of ``times`` (years 1 to 9999), each followed by ``suffix``."""
    strings: list[str] = np.datetime_as_string(times, unit="s").tolist()
    return [string + suffix for string in strings]


def _suffix_of(string: str, suffixes: Mapping[str, str | None]) -> str | None:
    """Return the suffix of ``string``, None if it is not a timestamp."""
    return suffixes[string[_HEAD_LENGTH:]] if _is_time(string[:_HEAD_LENGTH]) else None


def _issue_of(string: str, suffix: str) -> str:
    match = _LOOSE.fullmatch(string)
    if match is None:
        intended = _intended_timestamp(string, suffix)
        remedy = f"{_SEND_FORM}here {intended}" if intended else _SEND_EXAMPLE
        return f"{INVALID_TIMESTAMP}: {remedy}"
    date, time, fraction, tail = match.groups(default="")
    if date.startswith("0000"):
        issue = "the year 0000 is not in the calendar; send years 0001 to 9999"
    elif not _is_time(f"{date}T00:00:00"):
        issue = f"{date} is not a date of the calendar; send a date that exists"
    elif not _is_time(f"2000-01-01T{time}"):
        issue = f"{time} is not a time of day; send 00:00:00 to 23:59:59"
    elif _parse_suffix(fraction) is None:
        issue = "fractions of a second are not supported; send whole seconds"
    elif _parse_suffix(tail) is None or tail.startswith("."):
        issue = (
            "after the seconds only Z or an offset from -23:59 to +23:59 may follow; "
            f"{_SEND_EXAMPLE}Z or 2024-01-31T00:00:00+02:00"
        )
    else:
        issue = (
            f"the first timestamp {_describe_suffix(suffix)}, this one {_describe_suffix(tail)}; "
            "send one offset for the whole series"
        )
    return f"{INVALID_TIMESTAMP}: {issue}"


def _is_time(head: str) -> bool:
    """Return whether ``YYYY-MM-DDTHH:MM:SS`` is an existing date and time."""
    return _parse_heads([head]) is not None


def _parse_heads(heads: Sequence[str]) -> TimeArray | None:
    """Return the times of ``YYYY-MM-DDTHH:MM:SS``, or None if one of them is invalid.

    The positions of digits are checked first, as numpy accepts other forms, too. It raises
    ValueError for a list of invalid strings; for an array of them it may crash.
    """
    codes = "".join(heads).encode("ascii", "replace")
    if codes.translate(_DIGITS_TO_ZERO) != _ZEROS * len(heads):
        return None
    try:
        times = np.array(heads, dtype="datetime64[s]")
    except ValueError:
        return None
    return times if (times >= FIRST_TIME).all() else None


def _intended_timestamp(string: str, suffix: str) -> str | None:
    """Return the timestamp that ``string`` means, None if it has no form of ISO 8601.

    A date without a time is its midnight; without an offset it has the series' one.
    """
    try:
        moment = datetime.fromisoformat(string[:_MAX_LENGTH])
    except ValueError:
        return None
    offset = "Z" if string[-1] in "Zz" else moment.isoformat(timespec="seconds")[_HEAD_LENGTH:]
    intended = moment.replace(tzinfo=None).isoformat(timespec="seconds") + (offset or suffix)
    return (
        None if moment.microsecond or _parse_suffix(intended[_HEAD_LENGTH:]) is None else intended
    )


def _parse_suffix(tail: str) -> str | None:
    """Return the suffix at the end of ``tail``, None if no timestamp has this tail."""
    match = _TAIL.fullmatch(tail)
    return None if match is None else match[1] or ""


def _describe_suffix(suffix: str) -> str:
    return f"ends in '{suffix}'" if suffix else "has no offset"
