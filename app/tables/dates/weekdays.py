"""What the days of a week, within dates or beside them, say about their order and year."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from app.tables.dates.cells import ParsedDate, match_form
from app.tables.dates.forms import FORMS, YEARLESS_FORMS
from app.tables.dates.languages import WEEKS
from app.tables.dates.month_names import fold_text
from app.tables.samples import SAMPLE_CELLS, free_columns, is_mostly
from app.timeseries.calendar.frequency import DAY_SECONDS

_MAX_COLUMNS = 20
_MIN_LETTERS, _MAX_LETTERS = 2, 20
_THURSDAY = 3  # the first day of 1970
_MIN_FITTING = 0.95  # fraction of dates: others are slips


def _days_by_name() -> dict[str, int]:
    """Return the day of each name and abbreviation of a day of the week that has only one."""
    days: dict[str, set[int]] = {}
    for names in WEEKS.splitlines():
        for day, name in enumerate(map(fold_text, names.split())):
            for length in range(_MIN_LETTERS, len(name) + 1):
                days.setdefault(name[:length], set()).add(day)
    return {name: numbers.pop() for name, numbers in days.items() if len(numbers) == 1}


_DAYS = _days_by_name()


def sample_weekdays(dates: pd.Series, beside: pd.DataFrame) -> dict[str, int]:
    """Return the days of the week that a sample of dates has, 0 for Monday, {} for none."""
    cells = dates.iloc[:SAMPLE_CELLS].tolist()
    written = {cell: day for cell in {*cells} if (day := _day_within(cell)) is not None}
    if written:
        return written
    rows = beside.iloc[:SAMPLE_CELLS]
    for column in free_columns(rows, (), _MAX_COLUMNS):
        names = rows[column].tolist()
        days = [*map(_day_of, names)]
        is_named = is_mostly(names, lambda name: _day_of(name) is not None, 0.9)
        if is_named and len({*days}) > 1:
            pairs = zip(cells, days, strict=True)
            return {cell: day for cell, day in pairs if cell and day is not None}
    return {}


def fits_weekdays(
    cells: Sequence[str], dates: Sequence[ParsedDate | None], weekdays: Mapping[str, int]
) -> bool:
    """Return whether nearly all dates are on the days of the week that are known of them."""
    fits = [
        date is not None and (date.seconds // DAY_SECONDS + _THURSDAY) % 7 == weekdays[cell]
        for cell, date in zip(cells, dates, strict=True)
        if cell in weekdays
    ]
    return bool(fits) and float(np.mean(fits)) >= _MIN_FITTING


def _day_of(name: str) -> int | None:
    return _DAYS.get(fold_text(name).strip("().")) if len(name) <= _MAX_LETTERS else None


def _day_within(cell: str) -> int | None:
    match = match_form(cell, (*FORMS, *YEARLESS_FORMS))
    parts = match[1] if match else {}
    return _day_of((parts.get("weekday") or parts.get("weekday_behind") or "").strip(" ,"))
