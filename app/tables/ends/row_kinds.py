"""Report rows that may not count: failed payments, and plans among or after actual values."""

import re
from collections.abc import Collection, Iterator
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dated_table import DatedTable
from app.tables.dates.cells import ParsedDate, readers_in_any_order
from app.tables.dates.year_patterns import MODERN_YEAR
from app.tables.ends.series_end import leave_out_question, offer_until, suggest_until
from app.tables.messages import quote, shorten
from app.tables.reading import Reading, Suggestion, cut_name
from app.tables.table import Table, free_columns
from app.tables.words import ACTUAL, PLANNED, VOID
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import BoolArray
from app.timeseries.words import count_of

_MAX_COLUMNS_SEARCHED = 100
_MAX_KINDS = 12  # a status has fewer, a column of names more
_MAX_CELL_LENGTH = 40
_MIN_ROWS_OF_KINDS = 3
_MARK = re.compile(
    r"\((?!cet|mez|[a-z][sdm]t\b|utc)[a-z]{1,3}\)$|[*†‡]{1,3}$", re.IGNORECASE | re.ASCII
)
_MAX_MARK_LENGTH = 8
_REMEDY = "If they should not, remove these rows."
_VOID, _PLANNED, _ACTUAL = (re.compile(words, re.IGNORECASE) for words in (VOID, PLANNED, ACTUAL))
_AROUND_TITLE = " \t.:-–—=~*#_/|<>[]()"
_TITLE_END = re.compile(
    rf"[ -](?:data|values|figures|period|section|daten|werte|{MODERN_YEAR})", re.IGNORECASE
)
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


def report_kinds(dated_table: DatedTable, taken: Collection[int], reading: Reading) -> None:
    """Report columns whose kinds say that some rows may not count; ask if these are the last ones.

    ``taken``: columns of dates, names and values.
    """
    body = dated_table.body
    for column in free_columns(body, taken, _MAX_COLUMNS_SEARCHED):
        codes, kinds = pd.factorize(body[column])
        if not 2 <= len(kinds) <= _MAX_KINDS or len(body) < _MIN_ROWS_OF_KINDS:
            continue
        short = [kind if len(kind) <= _MAX_CELL_LENGTH else "" for kind in kinds]
        name = shorten(dated_table.heading.names[column])
        counts = np.bincount(codes)
        void = [i for i, kind in enumerate(short) if _VOID.search(kind)]
        planned = [i for i, kind in enumerate(short) if _PLANNED.fullmatch(kind.strip())]
        if 0 < len(void) < len(kinds):
            kinds_text = ", ".join(
                f"{quote(kinds[i])} in {count_of(counts[i], 'row')}" for i in void
            )
            text = f"“{name}” has {kinds_text}: they count like the others. {_REMEDY}"
            reading.add_remark("rows_of_a_kind", text)
        if 0 < len(planned) < len(kinds):
            marked = f"marked {quote(kinds[planned[0]])}"
            _ask_until(marked, np.isin(codes, planned), dated_table.times, reading)


def ask_planned_sections(dated_table: DatedTable, reading: Reading) -> None:
    """Ask about the dates below a row that has only a word such as “Forecast”.

    They end at a row such as “Actual”.
    """
    body = dated_table.heading.body
    undated = np.flatnonzero(np.isnat(dated_table.row_dates.times))
    cells = body.to_numpy()[undated]
    is_single = (cells != "").sum(axis=1) == 1
    codes, titles = pd.factorize(cells[is_single].max(axis=1))  # the title, as "" sorts before it
    is_plan = np.array([_is_title(title, _PLANNED) for title in titles], dtype=bool)
    is_actual = np.array([_is_title(title, _ACTUAL) for title in titles], dtype=bool)
    title_rows = undated[is_single]
    is_plan = is_plan[codes]
    is_section = is_plan | is_actual[codes]
    if not is_plan.any():
        return
    section = np.zeros(len(body), dtype=np.int64)  # twice the row of its title, and 1 for a plan
    section[title_rows[is_section]] = 2 * title_rows[is_section] + is_plan[is_section]
    is_planned = np.maximum.accumulate(section)[dated_table.is_counted] % 2 == 1
    if is_planned.any() and not is_planned.all():
        first = np.flatnonzero(is_plan)[0]
        label = reading.row_label(int(body.index[title_rows[first]]))
        described = f"below {quote(titles[codes[first]])} in {label}"
        _ask_until(described, is_planned, dated_table.times, reading)


def _is_title(cell: str, words: re.Pattern[str]) -> bool:
    if len(cell) > _MAX_CELL_LENGTH:
        return False
    title = cell.strip(_AROUND_TITLE)
    end = _TITLE_END.search(title)
    title = title[: end.start()] if end and end.end() == len(title) else title
    return words.fullmatch(title) is not None


def report_marks(dated_table: DatedTable, reading: Reading) -> None:
    """Report that the last dates, and no others, have a mark such as (p): they may be planned."""
    times = dated_table.times
    codes, distinct = pd.factorize(dated_table.row_dates.cells[dated_table.is_counted])
    matches = [_MARK.search(cell[-_MAX_MARK_LENGTH:]) for cell in distinct]
    marks = np.array([match[0] if match else "" for match in matches], dtype=object)[codes]
    is_marked = marks != ""
    if not is_marked.any() or is_marked.all() or times[is_marked].min() <= times[~is_marked].max():
        return
    last = str(np.datetime_as_string(times[~is_marked].max(), "D"))
    count = np.unique(times[is_marked]).size
    mark = marks[is_marked][0]
    subject = "The last date is" if count == 1 else f"The last {count} dates are"
    text = f"{subject} marked “{mark}”, and read like the others."
    suggestion = suggest_until(last, "If they are plans")
    reading.add_remark("marked_dates", text, suggestion=suggestion)


def _ask_until(described: str, is_planned: BoolArray, times: TimeArray, reading: Reading) -> None:
    last, ahead = times[~is_planned].max(), np.unique(times[is_planned])
    if ahead[0] <= last:
        count = int(is_planned.sum())
        verb, subject = ("is", "it counts") if count == 1 else ("are", "they count")
        text = f"{count_of(count, 'row')} {verb} {described}: {subject} like the others."
        reading.add_remark("rows_of_a_kind", f"{text} {_REMEDY}")
        return
    offer_until(*leave_out_question("date", ahead.size, described), last, ahead[-1], reading)


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
