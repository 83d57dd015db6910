"""What the days of a week, within dates or in another column, say about their order and year."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from app.tables.dates.cells import ParsedDate, match_form
from app.tables.dates.forms import FORMS, YEARLESS_FORMS
from app.tables.dates.month_names import MIN_WEEKDAY_LETTERS, WEEKDAY_NAMES, fold_text
from app.tables.table import SAMPLE_CELLS, free_columns, is_mostly
from app.timeseries.calendar.weekdays import weekday_numbers
from app.timeseries.seconds import DAY_SECONDS

_MAX_COLUMNS_SEARCHED = 20
MAX_WEEKDAY_LETTERS = 20
# In a wrong order or year, one date in seven fits its weekday; in the right one, all but slips fit.
_MIN_FITTING_FRACTION = 0.95


def _days_by_beginning() -> dict[str, set[int]]:
    """Return the days of the week whose name in any language has a beginning, 0 for Monday."""
    days: dict[str, set[int]] = {}
    for names in WEEKDAY_NAMES:
        for day, name in enumerate(names):
            for length in range(1, len(name) + 1):
                days.setdefault(name[:length], set()).add(day)
    return days


DAYS_BY_BEGINNING = _days_by_beginning()


def sample_weekdays(dates: pd.Series, other_columns: pd.DataFrame) -> dict[str, int]:
    """Return the days of the week that a sample of dates has, 0 for Monday, {} for none."""
    cells = dates.iloc[:SAMPLE_CELLS].tolist()
    days_of_cells = {cell: day for cell in {*cells} if (day := _day_within(cell)) is not None}
    if days_of_cells:
        return days_of_cells
    rows = other_columns.iloc[:SAMPLE_CELLS]
    for column in free_columns(rows, (), _MAX_COLUMNS_SEARCHED):
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
        date is not None and weekday_numbers(date.seconds // DAY_SECONDS) == weekdays[cell]
        for cell, date in zip(cells, dates, strict=True)
        if cell in weekdays
    ]
    return bool(fits) and float(np.mean(fits)) >= _MIN_FITTING_FRACTION


def _day_within(cell: str) -> int | None:
    match = match_form(cell, FORMS) or match_form(cell, YEARLESS_FORMS)
    parts = match[1] if match else {}
    return _day_of((parts.get("weekday") or parts.get("weekday_after") or "").strip(" ,"))


def _day_of(name: str) -> int | None:
    """Return the day of a name or an abbreviation, None if it may be several."""
    beginning = fold_text(name).strip("().") if len(name) <= MAX_WEEKDAY_LETTERS else ""
    days = DAYS_BY_BEGINNING.get(beginning, ())
    return next(iter(days)) if len(days) == 1 and len(beginning) >= MIN_WEEKDAY_LETTERS else None
