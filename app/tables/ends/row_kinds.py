"""Report rows that may not count: failed payments, and plans among actual values."""

import re
from collections.abc import Collection

import numpy as np
import pandas as pd

from app.tables.dated_table import DatedTable
from app.tables.ends.series_end import leave_out_question, offer_until, suggest_until
from app.tables.messages import quote, shorten
from app.tables.reading import Reading
from app.tables.samples import free_columns
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
    r"[ -](?:data|values|figures|period|section|daten|werte|(?:19|20)\d{2})", re.IGNORECASE
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
