"""Tables with the hours of a day or the days of a month across, or these down and months across."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise

import pandas as pd

from app.tables.dates.cells import DateGranularity, date_reader, is_written_date
from app.tables.dates.day_clock import DayClock
from app.tables.numbers.parsing import is_missing
from app.tables.pivots.melt import (
    CellKind,
    FoundPivot,
    Pivot,
    are_numbers,
    has_values,
    other_columns,
)
from app.tables.table import Table, is_mostly

_DAY = re.compile(r"\d{1,2}", re.ASCII)
_DAY_ROW = re.compile(r"\d{1,2}\.?", re.ASCII)
_MIN_PARTS = 12  # hours, or days of a month, side by side
_MIN_WORK_PARTS = 6  # fewer times side by side may be those of measurements
_MAX_STEP_MINUTES = 60  # times that are farther apart may also be those of measurements
_DASH = " ?[-\u2013] ?"
_HOUR = re.compile(
    rf"(?:h|he|hour|stunde|std\.?)? ?(\d{{1,2}})(?:[:h]00)?(?:{_DASH}\d{{1,2}})?",
    re.ASCII | re.IGNORECASE,
)
_CLOCK = r"([01]?\d|2[0-4])[:h]([0-5]\d)"
_TIME = re.compile(rf"{_CLOCK}(?:{_DASH}{_CLOCK})?", re.ASCII)  # with its end, such as 00:00–01:00
_MAX_SAMPLE_ROWS = 50
_MAX_LABELS_TRIED = 20
_MIN_MONTHS = 3  # side by side, above the days of a month
_ELAPSED_HOURS = [*range(1, 26)]  # the last one is of the day on which clocks go back
_LAST_HOURS = (23, 24)
_LAST_DAYS = (28, 29, 30, 31)


def find_clock_pivot(
    cells: pd.DataFrame, row: int, kind_of: Callable[[str], CellKind]
) -> Pivot | None:
    """Return the pivot with the hours of a day, or the days of a month, across."""
    header = cells.iloc[row].tolist()
    for parts, fits, join in (
        (_find_hours(header), is_written_date, _join_hours),
        (find_days(header), _is_month_label, _join_days),
    ):
        if parts and row + 1 < len(cells):
            columns = cells.iloc[row + 1 : row + 1 + _MAX_SAMPLE_ROWS].to_numpy().T.tolist()
            if len(parts) == len(_ELAPSED_HOURS) and sum(map(bool, columns[parts[-1]])) > 1:
                continue
            labels = islice(other_columns(parts, len(header)), _MAX_LABELS_TRIED)
            label = next((i for i in labels if is_mostly(columns[i], fits)), None)
            if label is not None and any(has_values(columns[i], kind_of) for i in parts):
                return Pivot(row, parts, label, join=join)
    return None


def find_day_rows(cells: pd.DataFrame, row: int, _: Callable[[str], CellKind]) -> Pivot | None:
    """Return the pivot with months across and the days of a month down.

    Cells of days that a month does not have must be empty; otherwise the column numbers the rows.
    """
    header = cells.iloc[row].tolist()
    months = [i for i, cell in enumerate(header) if _is_month_label(cell)]
    if len(months) < _MIN_MONTHS:
        return None
    below = cells.iloc[row + 1 : row + 1 + _MAX_SAMPLE_ROWS]
    for label in islice(other_columns(months, len(header)), _MAX_LABELS_TRIED):
        count = _count_day_rows(below[label].tolist())
        if not count:
            continue
        rows = below[below[label] != ""].iloc[:count]
        missing_days = [rows[i].iloc[_days_in_month(header[i]) :] for i in months]
        no_days = {cell for column in missing_days for cell in column}
        has_counts = any(are_numbers(rows[i].tolist()) for i in months)
        if has_counts and no_days and all(map(is_missing, no_days - {"0"})):
            return Pivot(row, months, label, are_years=True, join=_join_day_rows)
    return None


def clear_missing_days(dated_pivot: FoundPivot) -> Table:
    """Return a table of day rows with empty cells for days that do not exist, such as 31 April."""
    table, pivot = dated_pivot
    if pivot.join is not _join_day_rows:
        return table
    cells = table.cells.copy()
    days = pd.to_numeric(cells[pivot.down].str.rstrip("."), errors="coerce")
    for column in pivot.across:
        cells.loc[days > _days_in_month(cells[column].iloc[pivot.row]), column] = ""
    return replace(table, cells=cells)


def _find_hours(header: list[str]) -> list[int]:
    timed = [i for i, name in enumerate(header) if _TIME.fullmatch(name)]
    if len(timed) >= _MIN_PARTS or _are_working_hours([header[i] for i in timed]):
        return timed
    hours = [
        (i, int(match[1])) for i, name in enumerate(header) if (match := _HOUR.fullmatch(name))
    ]
    numbers = [hour for _, hour in hours]
    is_day = bool(numbers) and numbers == [*range(numbers[0], numbers[0] + 24)]
    is_day = is_day and numbers[-1] in _LAST_HOURS
    return [i for i, _ in hours] if is_day or numbers == _ELAPSED_HOURS else []


def _are_working_hours(names: list[str]) -> bool:
    """Return whether times follow each other within some hours of a day, such as 08:00 to 17:00."""
    clocks = (match for name in names if (match := _TIME.fullmatch(name)))
    minutes = [60 * int(match[1]) + int(match[2]) for match in clocks]
    steps = {later - earlier for earlier, later in pairwise(minutes)}
    return len(names) >= _MIN_WORK_PARTS and len(steps) == 1 and 0 < min(steps) <= _MAX_STEP_MINUTES


def find_days(header: list[str]) -> list[int]:
    """Return the columns 1, 2, … of the days of a month; [] if there are none."""
    days = [i for i, name in enumerate(header) if _DAY.fullmatch(name)]
    numbers = [int(header[i]) for i in days]
    is_month = numbers == [*range(1, len(numbers) + 1)] and len(numbers) in _LAST_DAYS
    return days if is_month else []


def _count_day_rows(cells: list[str]) -> int:
    """Return how many cells are the days 1, 2, … of a month; 0 if there are too few."""
    days = [cell.rstrip(".").lstrip("0") for cell in cells if cell]
    count = next((i for i, day in enumerate(days) if day != str(i + 1)), len(days))
    return count if count in _LAST_DAYS else 0


def _days_in_month(label: str) -> int:
    date = date_reader()(label)
    return pd.Timestamp(date.seconds, unit="s").days_in_month if date else 0


@lru_cache(maxsize=16_384)
def _is_month_label(cell: str) -> bool:
    date = date_reader()(cell) if is_written_date(cell) or "." in cell else None
    return date is not None and date.granularity is DateGranularity.MONTH


def _join_hours(days: pd.Series, hours: pd.Series) -> pd.Series:
    """Return the times of days and of hours across; H1 to H24 are numbered by their ends."""
    labels = {
        name: match
        for name in hours.unique()
        if (match := _TIME.fullmatch(name) or _HOUR.fullmatch(name))
    }
    written = {int(match[1]) for match in labels.values()}
    shift = 1 if 24 in written and 0 not in written else 0

    def clock(name: str) -> str:
        match = labels[name]
        minutes = match[2] if match.re is _TIME else "00"
        return f" {int(match[1]) - shift:02}:{minutes}"

    numbers = hours.map({name: int(match[1]) for name, match in labels.items()})
    if numbers.max() == _ELAPSED_HOURS[-1]:
        return days + " " + DayClock(1, 24).times(days, numbers)
    return days + hours.map(clock)


def _join_day_rows(days: pd.Series, months: pd.Series) -> pd.Series:
    is_day = days.str.fullmatch(_DAY_ROW)
    return days.where(~is_day, _join_days(months, days.str.rstrip(".").str.lstrip("0")))


def _join_days(months: pd.Series, days: pd.Series) -> pd.Series:
    starts = {}
    for label in months.unique():
        date = date_reader()(label)
        start = pd.Timestamp(date.seconds, unit="s") if date else None
        starts[label] = f"{start:%Y-%m}-" if start is not None else ""
    return months.map(starts) + days.str.zfill(2)
