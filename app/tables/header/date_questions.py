"""Report the columns of dates, and ask which they are if several could be."""

import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pandas as pd

from app.tables.answers import DateOrder
from app.tables.dates.cells import (
    DateNotation,
    DateReader,
    date_reader,
    has_last_day,
    readers_in_any_order,
)
from app.tables.dates.columns.date_columns import DateColumns
from app.tables.dates.columns.finders import find_dates
from app.tables.errors import WrongAnswerError
from app.tables.header.heading import Heading, split_header
from app.tables.messages import shorten
from app.tables.reading import Choice, Reading, cut_name
from app.tables.table import SAMPLE_CELLS, Table, is_mostly
from app.tables.words import DATE, DAY
from app.timeseries.seconds import DAY_SECONDS

_MAX_HEADER_ROWS = 20
_DATE_NAMES = re.compile(
    rf"timestamps?|datetime|date_time|time|ds|zeit|zeitpunkt|{DATE}|{DAY}", re.IGNORECASE
)
# When an entry was made, and what happened to it later.
_CREATED = re.compile(r"\bcreated|\bcreation|created\b", re.IGNORECASE)
_LATER = re.compile("available|transfer|payout|settle|updated|modified", re.IGNORECASE)
_MAX_SECONDS_APART = 60  # two times of one row that are the same for days and hours


def find_date_column(table: Table, name: str, header: int | None, reading: Reading) -> int:
    """Return the column of a name, which may be the first of several, as in "year, month"."""
    for searched in (name, name.split(", ", maxsplit=1)[0]):
        position = re.fullmatch(r"Column (\d{1,4})", searched)
        if position and 0 < int(position[1]) <= table.cells.shape[1]:
            return int(position[1]) - 1
        for row in table.cells.iloc[:_MAX_HEADER_ROWS].to_numpy().tolist():
            names = list(map(cut_name, row))
            if searched in names:
                return names.index(searched)
    dates, _ = find_dates(table.cells)
    names = split_header(table, dates, header, reading).names if dates else []
    for searched in (name, name.split(", ", maxsplit=1)[0]):  # of two rows, or made unique
        if searched in names:
            return names.index(searched)
    raise WrongAnswerError("dates", "there is no such column; send a name from the header")


def report_dates(
    dates: DateColumns, candidates: list[int], heading: Heading, reading: Reading
) -> None:
    """Report the columns of the dates; ask if several single columns could be the dates."""
    names = heading.names
    chosen_names = ", ".join(names[column] for column in dates.columns)
    others = [column for column in candidates if column not in dates.columns]
    are_asked = bool(others) and reading.answers.dates is None
    needs_answer = are_asked and not any(
        is_reason(heading, candidates, dates) for is_reason in _OBVIOUS_DATE_REASONS
    )
    if others:
        body = heading.body.iloc[0] if len(heading.body) else heading.written
        choices = [
            Choice(names[column], "the dates", shorten(body[column])) for column in candidates
        ]
        text = f"{len(candidates)} columns have dates. Which are those of the values?"
        reading.ask("dates", text, choices, required=needs_answer)
    reading.chosen.dates = None if needs_answer else chosen_names
    reading.chosen.header = heading.row
    if len(dates.columns) > 1:
        reading.add_remark(
            "date_columns", f"Dates are in {len(dates.columns)} columns: {chosen_names}."
        )


def _has_single_date_name(heading: Heading, candidates: list[int], _: DateColumns) -> bool:
    names = [heading.names[column] for column in candidates]
    return sum(_DATE_NAMES.fullmatch(name) is not None for name in names) == 1


def _are_same_times(heading: Heading, candidates: list[int], _: DateColumns) -> bool:
    """Return whether the dates of a row differ only in how they are written.

    Some of them may lack the time of day.
    """
    body = heading.body[candidates]
    rows = body.iloc[:: len(body) // SAMPLE_CELLS + 1].to_numpy().tolist()

    def are_same(read: DateReader) -> bool:
        read_rows = ([date.seconds for cell in row if (date := read(cell))] for row in rows)
        dates = [*filter(None, read_rows)]
        return bool(dates) and all(
            len(row) == len(candidates)
            and len({second // DAY_SECONDS for second in row}) == 1
            and len({second % DAY_SECONDS for second in row} - {0}) <= 1
            for row in dates
        )

    return any(map(are_same, readers_in_any_order()))


def _are_close(heading: Heading, candidates: list[int], _: DateColumns) -> bool:
    """Return whether the times of a row are seconds apart, as of a payment that begins and ends."""
    body = heading.body[candidates]
    rows = body.iloc[:: len(body) // SAMPLE_CELLS + 1].to_numpy()
    read = date_reader(DateNotation(DateOrder.DAY))
    times = [[date.seconds for cell in row if (date := read(cell))] for row in rows]
    complete_rows = [seconds for seconds in times if len(seconds) == len(candidates)]
    have_times = any(first % DAY_SECONDS for first, *_ in complete_rows)
    return have_times and all(
        max(seconds) - min(seconds) <= _MAX_SECONDS_APART for seconds in complete_rows
    )


def _is_creation(heading: Heading, candidates: list[int], dates: DateColumns) -> bool:
    """Return whether the chosen column says when entries were made, the others what followed."""
    names, first = heading.names, dates.columns[0]
    others = [names[column] for column in candidates if column != first]
    return bool(_CREATED.search(names[first])) and all(map(_LATER.search, others))


def _is_only_ordered(heading: Heading, candidates: list[int], dates: DateColumns) -> bool:
    """Return whether only the chosen one of several columns is in order, as days of booking are."""
    top = heading.body.iloc[:SAMPLE_CELLS]
    return [column for column in candidates if _is_ordered(top[column])] == [dates.columns[0]]


def _begins_periods(heading: Heading, candidates: list[int], dates: DateColumns) -> bool:
    """Return whether the chosen column says when a period begins, with or without its last day."""
    top = heading.body.iloc[:SAMPLE_CELLS]
    cells = top[dates.columns[0]]
    if is_mostly(cells.tolist(), has_last_day):
        return True
    others = [column for column in candidates if column != dates.columns[0]]
    if len(others) != 1:
        return False
    ends = top[others[0]]
    return any(_are_periods(cells, ends, read) for read in readers_in_any_order())


def _are_periods(first_days: pd.Series, last_days: pd.Series, read: DateReader) -> bool:
    """Return whether each last day is on or after its first, and not after the next first day."""
    dated = [
        (first.seconds, last.seconds)
        for first, last in zip(map(read, first_days), map(read, last_days), strict=True)
        if first and last
    ]
    pairs = [*dict.fromkeys(dated)]  # those of a long table repeat
    return (
        len(pairs) > 1
        and 2 * len(dated) > len(first_days)
        and all(first <= last for first, last in pairs)
        and all(last <= next_first for (_, last), (next_first, _) in pairwise(pairs))
        and any(first < last for first, last in pairs)
    )


def _is_ordered(cells: pd.Series) -> bool:
    """Return whether days rise or fall from row to row, whichever of day and month is first."""
    notations = map(DateNotation, (DateOrder.DAY, DateOrder.MONTH))
    days_by_order = [
        [date.seconds // DAY_SECONDS for date in map(read, cells) if date]
        for read in map(date_reader, notations)
    ]
    steps = map(np.diff, days_by_order)
    return any((step >= 0).all() or (step <= 0).all() for step in steps)


# Why the first of several columns of dates is that of the values.
_OBVIOUS_DATE_REASONS: tuple[Callable[[Heading, list[int], DateColumns], bool], ...] = (
    _has_single_date_name,
    _are_same_times,
    _are_close,
    _is_creation,
    _is_only_ordered,
    _begins_periods,
)
