"""Write times as the dates of a table are written."""

import datetime as dt
import re
from typing import Any, NamedTuple

import numpy as np

from app.tables.dates.cells import EXCEL_EPOCH
from app.tables.dates.month_names import month_names_like
from app.tables.dates.part_values import BUDDHIST_OFFSET, QUARTER_SIGNS, ROMAN_NUMERALS
from app.tables.dates.time_zones import by_clock_of
from app.tables.notation import DateStyle
from app.timeseries.calendar.timestamps import TimeArray, format_timestamps
from app.timeseries.seconds import DAY_SECONDS

_PLACEHOLDER = re.compile(r"\{(\w{1,20}):(\d{1,3})\}")
_HALF_OF_DAY = re.compile(r"(\{half:1\})[Mm]")  # PM
# The parts of a time that are 0 if it is on a unit.
_TIME_PARTS = {"second": (), "minute": ("second",), "hour": ("minute", "second")}
_MONTHS_PER_UNIT = {"month": 1, "quarter": 3, "half": 6, "year": 12}  # ``half`` is a half-year
# The lists that have the names of parts.
_LISTS_OF_NAMES = {"name": "names", "last_name": "names", "weekday": "weekdays"}
# How Excel displays the parts of a date; others make it a text.
_EXCEL_PARTS = {
    "year": "yyyy", "short": "yy", "month": "m", "day": "d",
    "hour": "h", "minute": "m", "second": "s", "half": "AM/PM",
}  # fmt: skip
_EXCEL_MONTHS = {
    tuple(month_names_like({5: "May", 12: "December"})): "mmmm",
    tuple(month_names_like({5: "May", 12: "Dec"})): "mmm",
}
_ENGLISH_LOCALE = "[$-409]"  # before a format: its names are English in every program

_WrittenParts = dict[str, Any]


class DateCell(NamedTuple):
    """A time (NaT if unknown), its text, and the time shown by the clock of the table."""

    time: np.datetime64
    text: str
    shown: np.datetime64


NO_DATE = DateCell(np.datetime64("NaT", "s"), "", np.datetime64("NaT", "s"))


class DateWriter:
    """Writes times in the ``style`` of a table's dates, each once.

    A time that the style cannot express, such as an hour in a form of days, is written as a
    timestamp. Times that came as local times of a ``timezone`` are written by its clock.
    """

    def __init__(self, style: DateStyle | None, suffix: str, timezone: str | None) -> None:
        has_offsets = style is not None and style.suffix
        self._timezone = None if suffix != "Z" or has_offsets else timezone
        self._suffix = "" if self._timezone else suffix
        self._style = style if style and style.suffix == self._suffix else None
        self._written: dict[int, str] = {}

    def cells(self, times: TimeArray) -> list[DateCell]:
        """Return the cell of each of ``times``, shape (n,)."""
        local_times = by_clock_of(self._timezone, times) if self._timezone else times
        return list(map(DateCell, times, self._texts(local_times), local_times))

    @property
    def excel_format(self) -> str | None:
        """The number format that displays Excel's dates like the table's; None: write texts."""
        style = self._style
        if style is None:
            return None
        pattern = _HALF_OF_DAY.sub(r"\1", style.pattern)
        names = [name for name, _ in _PLACEHOLDER.findall(pattern)]
        if names == ["serial"]:
            is_day = style.unit != "second" or pattern.endswith(":0}")
            return "yyyy-mm-dd" if is_day else "yyyy-mm-dd hh:mm:ss"
        literal = _PLACEHOLDER.sub("", pattern)
        month = _EXCEL_MONTHS.get(tuple(style.names or ()))
        parts = _EXCEL_PARTS | ({"name": month} if month else {})
        has_words = style.halves is not None and len(style.halves[0]) > 1
        if has_words or not set(names) <= {*parts} or re.search('[A-SU-Za-zÀ-ɏ{}"\\\\]', literal):
            return None

        def excel_part(match: re.Match[str]) -> str:
            part = parts[match[1]]
            return part if len(part) > 1 else part * min(int(match[2]), 2)

        number_format = _PLACEHOLDER.sub(excel_part, pattern).replace("T", '"T"')
        return _ENGLISH_LOCALE + number_format if month else number_format

    def _texts(self, times: TimeArray) -> list[str]:
        keys = times.astype("datetime64[s]").astype(np.int64).tolist()
        new = [key for key in dict.fromkeys(keys) if key not in self._written]
        stamps = format_timestamps(np.array(new, dtype="datetime64[s]"), self._suffix)
        self._written |= {
            key: self._text(key, stamp) for key, stamp in zip(new, stamps, strict=True)
        }
        return [self._written[key] for key in keys]

    def _text(self, seconds: int, stamp: str) -> str:
        style = self._style
        if style is None:
            return stamp
        parts = _parts_of(seconds, style)
        is_nameless = any(
            getattr(style, names) and not parts[name] for name, names in _LISTS_OF_NAMES.items()
        )
        if is_nameless or not _is_on_unit(parts, style.unit):
            return stamp

        def write(match: re.Match[str]) -> str:
            return _write_part(parts[match[1]], match[1], int(match[2]), style.mark or ".")

        return _PLACEHOLDER.sub(write, style.pattern)


def _write_part(part: Any, name: str, digits: int, mark: str) -> str:
    if name == "serial":
        text = f"{part:.{digits}f}"
        return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", mark)
    if name == "next":
        return f"{part:04}"[-digits:]
    return (
        str(part)
        if name in (*_LISTS_OF_NAMES, "ordinal", "half", "roman")
        else str(part).zfill(digits)
    )


def _is_on_unit(parts: _WrittenParts, unit: str) -> bool:
    """Return whether a date of this unit expresses the time completely."""
    if unit in _TIME_PARTS:
        return not any(parts[name] for name in _TIME_PARTS[unit])
    if parts["hour_of_day"] or parts["minute"] or parts["second"]:
        return False
    if unit == "week":
        return bool(parts["nth"] == 1)
    months = _MONTHS_PER_UNIT.get(unit)
    return months is None or (parts["day"] == 1 and (parts["month"] - 1) % months == 0)


def _parts_of(seconds: int, style: DateStyle) -> _WrittenParts:
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=seconds)
    if style.months_later:
        moment = _in_fiscal_year(moment, style.months_later)
    iso_year, week, nth = moment.isocalendar()
    year = iso_year if "{week" in style.pattern else moment.year
    halves, names, weekdays = style.halves, style.names, style.weekdays
    last_month = (moment.month + (style.months or 1) - 2) % 12 + 1
    quarter = (moment.month + 2) // 3
    return {
        "year": year,
        "buddhist": year + BUDDHIST_OFFSET,
        "short": f"{year:04}"[2:],
        "short_buddhist": f"{year + BUDDHIST_OFFSET:04}"[2:],
        "next": year + 1,
        "month": moment.month,
        "name": names[moment.month - 1] if names else None,
        "last_name": names[last_month - 1] if names else None,
        "day": moment.day,
        "ordinal": f"{moment.day}{_ordinal_suffix(moment.day)}",
        "weekday": weekdays[nth - 1] if weekdays else None,
        "week": week,
        "nth": nth,
        "quarter": quarter,
        "last_month": last_month,
        "quarter_sign": QUARTER_SIGNS[quarter],
        "roman": ROMAN_NUMERALS[quarter].upper(),
        "term": (moment.month + 5) // 6,
        "hour_of_day": moment.hour,
        "hour": moment.hour % 12 or 12 if halves else moment.hour,
        "half": halves[moment.hour // 12] if halves else None,
        "minute": moment.minute,
        "second": moment.second,
        "epoch": seconds,
        "serial": seconds / DAY_SECONDS + EXCEL_EPOCH,
    }


def _in_fiscal_year(moment: dt.datetime, months_later: int) -> dt.datetime:
    """Return a time in the calendar of a fiscal year that begins ``months_later``."""
    years, month = divmod(moment.month - 1 - months_later, _MONTHS_PER_UNIT["year"])
    # Day 2 stands for all later days: only whether it is the first matters.
    return moment.replace(moment.year + years, month + 1, min(moment.day, 2))


def _ordinal_suffix(day: int) -> str:
    return "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
