"""Notes around a table that say where its actual values end and its plan begins."""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dates.cells import ParsedDate, readers_in_any_order
from app.tables.ends.series_end import offer_until
from app.tables.reading import Reading, Suggestion, cut_name
from app.tables.table import Table
from app.tables.words import ACTUAL, PLANNED
from app.timeseries.calendar.timestamps import TimeArray

_MAX_ROWS_SEARCHED = 20  # at each end of the table
_MAX_CELLS_OF_NOTE = 3  # a row with a note has few other cells
_MAX_NOTE_LENGTH = 200
_MAX_DATE_WORDS = 4
_LAST_ACTUAL = re.compile(
    rf"\b(?:{ACTUAL})"
    r"(?: data| values| figures)?:? (?:(?:are )?(?:through|thru|up to|until|till|to|as of)"
    r"|bis(?: einschl(?:ie[sß]+lich|\.)?| inkl\.?)?|jusqu['’](?:à|en|au)|hasta|fino a|até)"
    r"(?: and including| the)? (?P<date>.*)",
    re.IGNORECASE,
)
_FIRST_PLANNED = re.compile(
    rf"\b(?:{PLANNED})"
    r"(?: data| values| figures)?:? (?:from|as of|starting(?: in| with)?|beginning(?: in)?|ab"
    r"|à partir d[eu']|a partir de|desde|da) (?P<date>.*)",
    re.IGNORECASE,
)


class PlanNote(NamedTuple):
    """A note that says when planned values begin.

    ``end`` is the first time after the actual values, None if the note has no clear date.
    """

    text: str
    end: np.datetime64 | None


def find_plan_note(table: Table) -> PlanNote | None:
    """Return the note that says where actual values end, None without one."""
    for text in _short_texts(table):
        if match := _LAST_ACTUAL.search(text) or _FIRST_PLANNED.search(text):
            date = _first_date(match["date"])
            end = date and _begin_or_end(date, is_end=match.re is _LAST_ACTUAL)
            return PlanNote(text, end)
    return None


def ask_plan_note(note: PlanNote, times: TimeArray, reading: Reading) -> None:
    """Ask whether the dates after the actual values are left out, if there are any."""
    quoted = f"A note says “{cut_name(note.text)}”"
    if note.end is None:
        suggestion = Suggestion("until", None, "To leave plans out, send the last day before them.")
        text = f"{quoted}: all dates are read alike, even if the last ones are plans."
        reading.add_remark("plan_note", text, suggestion=suggestion)
        return
    planned = np.unique(times[times >= note.end])
    if not 0 < planned.size < np.unique(times).size:
        return
    last = "the last date" if planned.size == 1 else f"the last {planned.size} dates"
    last_actual = times[times < note.end].max()
    offer_until(quoted, f"leave out {last}", last_actual, planned[-1], reading)


def _short_texts(table: Table) -> Iterator[str]:
    yield from table.notes
    rows = table.cells.iloc[: 2 * _MAX_ROWS_SEARCHED]
    if len(table.cells) > 2 * _MAX_ROWS_SEARCHED:
        rows = table.cells.iloc[[*range(_MAX_ROWS_SEARCHED), *range(-_MAX_ROWS_SEARCHED, 0)]]
    for row in rows.to_numpy().tolist():
        cells = [cell for cell in row if cell]
        if len(cells) <= _MAX_CELLS_OF_NOTE:
            yield from (cell for cell in cells if len(cell) <= _MAX_NOTE_LENGTH)


def _first_date(text: str) -> ParsedDate | None:
    """Return the date with which a text begins, None if day and month are not clear."""
    words = text.split()[:_MAX_DATE_WORDS]
    for written in reversed([*accumulate(words, lambda before, word: f"{before} {word}")]):
        plain = written.rstrip(",;:.)")
        dates_read = (read(plain) for read in readers_in_any_order())
        dates = {date.seconds: date for date in dates_read if date}
        if dates:
            return next(iter(dates.values())) if len(dates) == 1 else None
    return None


def _begin_or_end(date: ParsedDate, *, is_end: bool) -> np.datetime64:
    begin = pd.Timestamp(date.seconds, unit="s")
    months = int(date.granularity)
    length = pd.DateOffset(months=months) if months else pd.DateOffset(days=1)
    return np.datetime64(begin + length if is_end else begin, "s")
