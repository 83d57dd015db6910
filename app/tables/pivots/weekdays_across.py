"""Tables with the days of a week across: their labels as dates."""

from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter

import numpy as np
import pandas as pd

from app.tables.dates.cells import date_reader
from app.tables.dates.columns.finders import find_dates
from app.tables.dates.month_names import WEEKDAY_NAMES, fold_text
from app.tables.dates.rows import read_dates
from app.tables.dates.weekdays import DAYS_BY_BEGINNING, MAX_WEEKDAY_LETTERS
from app.tables.messages import shorten
from app.tables.pivots.melt import FoundPivot, Pivot
from app.tables.reading import Reading
from app.tables.table import Table
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.calendar.weekdays import weekdays_of
from app.timeseries.seconds import DAY_SECONDS, DAYS_PER_WEEK

_MIN_WEEKDAYS = 5  # the week of a school or an office
_MIN_LETTERS = 2  # letters of a name, unless all seven are there
_MAX_COLUMNS_SEARCHED = 200
_MIN_SAME_FRACTION = 0.9  # of the labels, which are on one day of the week


def find_weekdays(header: list[str]) -> tuple[list[int], int]:
    """Return the columns of the days of a week, side by side and in order, and the first day.

    The day is 0 for Monday; the columns are [] if there are none.
    """
    names = [
        fold_text(cell).rstrip(".") if len(cell) <= MAX_WEEKDAY_LETTERS else ""
        for cell in header[:_MAX_COLUMNS_SEARCHED]
    ]
    names = [name if name in DAYS_BY_BEGINNING else "" for name in names]
    for count in range(DAYS_PER_WEEK, _MIN_WEEKDAYS - 1, -1):
        letters = 1 if count == DAYS_PER_WEEK else _MIN_LETTERS
        for start in range(len(names) - count + 1):
            cells = names[start : start + count]
            if min(map(len, cells)) >= letters and (first_day := _first_day(cells)) is not None:
                return [*range(start, start + count)], first_day
    return [], 0


def _first_day(cells: list[str]) -> int | None:
    """Return the day of the week from which the cells name the days in a language."""
    for names in WEEKDAY_NAMES:
        for first in range(DAYS_PER_WEEK):
            days = (names[first:] + names[:first])[: len(cells)]
            if all(map(str.startswith, days, cells)):
                return first
    return None


def find_weeks(table: Table, rows: Iterable[int], reading: Reading) -> FoundPivot | None:
    """Return the pivot with the days of a week across in the first of ``rows`` that has them.

    The labels of its table's rows are the dates of the first column of days; its header has the
    number of days after that. None if no days are across, or the rows below are not weeks.
    """
    weeks = ((row, *find_weekdays(table.cells.iloc[row].tolist())) for row in rows)
    row, columns, first_day = next(filter(itemgetter(1), weeks), (0, [], 0))
    dates, _ = find_dates(table.cells.iloc[row:]) if columns else (None, [])
    if dates is None or {*dates.columns} & {*columns}:
        return None
    body = table.cells.iloc[row + 1 :]
    dated = read_dates(dates.join(body), dates.kind, reading)
    is_known = ~np.isnat(dated.times)
    starts = _starts_of_weeks(dated.times[is_known].astype("datetime64[D]"), first_day)
    if starts is None:
        return None
    labels = dated.cells.to_numpy().astype(object)
    example = labels[is_known][0]
    labels[is_known] = np.datetime_as_string(starts)
    cells = table.cells.copy()
    for column in dates.columns:
        cells.iloc[row + 1 :, column] = labels if column == dates.columns[0] else ""
    cells.iloc[row, columns] = [*map(str, range(len(columns)))]
    text = f"The days of a week are side by side: read as days; those of {shorten(example)} begin "
    reading.add_remark("weekdays_across", text + f"on {starts[0]}.")
    pivot = Pivot(row, columns, dates.columns[0], join=_join_weekdays)
    return FoundPivot(replace(table, cells=cells), pivot)


def _starts_of_weeks(days: TimeArray, first_day: int) -> TimeArray | None:
    """Return the first days of the weeks of days; None if these are on several days of the week."""
    weekdays = weekdays_of(days)
    if not days.size or np.bincount(weekdays).max() < _MIN_SAME_FRACTION * days.size:
        return None
    return days - ((weekdays - first_day) % DAYS_PER_WEEK).astype("timedelta64[D]")


def _join_weekdays(labels: pd.Series, offsets: pd.Series) -> pd.Series:
    """Return the dates of labels and numbers of days after them; other labels stay."""
    read = date_reader()
    starts = {label: read(label) for label in labels.unique()}

    def day(label: str, offset: str) -> str:
        start = starts[label]
        if start is None:
            return label
        return str(np.datetime64(start.seconds // DAY_SECONDS + int(offset), "D"))

    return pd.Series([*map(day, labels, offsets)], index=labels.index, dtype=object)
