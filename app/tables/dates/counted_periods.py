"""Read periods that are counted, such as the days of a report: 0000, 0001, …"""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from app.tables.dates.cells import (
    DateGranularity,
    ParsedDate,
    date_reader,
    is_date,
    match_form,
    possible_orders,
)
from app.tables.dates.forms import COUNTED_FORM
from app.tables.dates.part_values import EPOCH_DAY
from app.tables.dates.year_labels import MAX_START_DAY, reject_late_start
from app.tables.reading import Reading
from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS, WEEK_SECONDS

COUNTED_UNITS = {
    "hour": re.compile(r"^(?:nth )?hours?$|^stunden?$|^heures?$", re.IGNORECASE),
    "day": re.compile(r"^(?:nth )?days?$|^tage?$|^jours?$|^d[ií]as?$|^dag(?:en)?$", re.IGNORECASE),
    "week": re.compile(r"^(?:nth )?weeks?$|^wochen?$|^semaines?$|^semanas?$", re.IGNORECASE),
    "month": re.compile(r"^(?:nth )?months?$|^monate?$|^mois$|^mes(?:es)?$", re.IGNORECASE),
}
NTH = "nth "  # before a unit that is counted from 0
PERIODS_PER_YEAR = 13
_UNIT_SECONDS = {
    "hour": HOUR_SECONDS,
    "day": DAY_SECONDS,
    "week": WEEK_SECONDS,
    "period": 28 * DAY_SECONDS,
}
_START_NOTE = re.compile(
    r"\b(?:(?:start|begin|début|inicio)\D{0,20}|(?:from|von|desde)\W{1,3})(\d\S{7,9})\b",
    re.IGNORECASE,
)
_UNKNOWN_START = dt.date(2000, 1, 1)  # until the question is answered
_MAX_COUNT = 1_000_000  # in hours, 114 years
# The last day of the last year of timestamps.
_END_SECONDS = (dt.date.max.toordinal() - EPOCH_DAY) * DAY_SECONDS


class CountedPeriod(NamedTuple):
    """A counted period, such as ``day 0012``."""

    unit: str
    number: int


def read_count(cell: str) -> CountedPeriod | None:
    match = match_form(cell, (COUNTED_FORM,))
    return CountedPeriod(match[1]["unit"], int(match[1]["count"])) if match else None


def read_counted(
    cells: Sequence[str], notes: Iterable[str], reading: Reading
) -> list[ParsedDate | None]:
    """Return the times of counted periods; ask when the first began if no note says so."""
    counts = [read_count(cell) for cell in cells]
    periods = [count for count in counts if count]
    is_from_zero = any(cell.startswith(NTH) for cell in cells)
    first_number = 0 if is_from_zero else min(count.number for count in periods)
    noted = _find_start(notes)
    answered = reading.answers.start
    if periods[0].unit == "month":
        reject_late_start(answered)
        noted = noted if noted and noted[0].day <= MAX_START_DAY else None
    if noted and answered is None:
        reading.add_remark("noted_start", f"Counted from {noted[0]}: “{noted[1][:60]}”.")
    else:
        unit = periods[0].unit
        text = f"Each {unit} is counted."
        if unit == "period":
            text = f"Years have {PERIODS_PER_YEAR} periods: each is read as four weeks."
        text += " On which day did the first begin?"
        reading.ask("start", text, [], required=answered is None)
    reading.chosen.start = answered or (noted[0] if noted else None)
    start = reading.chosen.start or _UNKNOWN_START
    return [_time_of(count, first_number, start) for count in counts]


def _find_start(notes: Iterable[str]) -> tuple[dt.date, str] | None:
    for note in notes:
        match = _START_NOTE.search(note)
        if match and is_date(match[1]) and len(possible_orders([match[1]]).orders) < 2:
            date = date_reader()(match[1])
            if date:
                day = dt.date.fromordinal(EPOCH_DAY + date.seconds // DAY_SECONDS)
                return day, note
    return None


def _time_of(count: CountedPeriod | None, first_number: int, start: dt.date) -> ParsedDate | None:
    if count is None or count.number - first_number > _MAX_COUNT:
        return None
    passed = count.number - first_number
    if count.unit in _UNIT_SECONDS:
        granularity = DateGranularity.DAY
        day_seconds = (start.toordinal() - EPOCH_DAY) * DAY_SECONDS
        seconds = day_seconds + passed * _UNIT_SECONDS[count.unit]
    else:
        granularity = DateGranularity.MONTH
        month = np.datetime64(start, "M") + passed
        day = month.astype("datetime64[D]") + np.timedelta64(start.day - 1, "D")
        seconds = int(day.astype("datetime64[s]").astype(int))
    return ParsedDate(seconds, "", COUNTED_FORM, granularity) if seconds < _END_SECONDS else None
