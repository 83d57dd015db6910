"""Parse the dates of the rows, and ask what is ambiguous about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from app.tables.answers import DateOrder
from app.tables.dates.cells import (
    LEAP_YEAR,
    ParsedDate,
    date_reader,
    possible_orders,
    read_serial,
    read_split_year,
)
from app.tables.dates.columns.date_columns import DateKind
from app.tables.dates.counted_periods import read_counted
from app.tables.dates.fiscal import join_fiscal_months, read_fiscal_years
from app.tables.dates.forms import LAST_MONTH_GROUPS, DateForm
from app.tables.dates.notation import find_last_century, read_column
from app.tables.dates.time_zones import read_zone_names
from app.tables.dates.weekdays import fits_weekdays, sample_weekdays
from app.tables.dates.year_labels import report_calendar
from app.tables.dates.yearless import has_short_years, read_short_years, read_yearless, years_passed
from app.tables.errors import UnreadableTableError
from app.tables.messages import quote
from app.tables.reading import Choice, Reading
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.seconds import DAY_SECONDS
from app.timeseries.types import BoolArray

_MAX_YEARS_OFFERED = 12
# Jan-Feb and Jan-Mar may be a slip; with Jan-Apr as well they are totals of the year so far.
_MIN_RUNNING_TOTALS = 3
# Consecutive days are a month apart if they are read in the wrong order.
_MIN_TIMES_A_DAY = 3
_MIN_DAYS = 3
_MAX_DAYS_APART = 3
_MIN_REGULAR_DATES = 5  # 01/02, 02/02 and 03/02 may be regular in one order by chance
# 01/02/24 to 10/02/24 with the year first would be the 24th of ten years: 24 is the year.
_MIN_YEARS_OF_ONE_DAY = 10
_MIN_OF_EACH_ORDER = 3  # fewer dates in another order are slips
_MIN_ORDER_FRACTION = 0.1  # and so is a smaller fraction of the others
_FIRST_COMES = {DateOrder.DAY: "the day", DateOrder.MONTH: "the month", DateOrder.YEAR: "the year"}
_NOT_A_TIME = np.datetime64("NaT", "s")


@dataclass(frozen=True)
class RowDates:
    """The dates of rows, shape (n,) each.

    Attributes:
        times: The dates, NaT where a cell is not a date.
        suffixes: "", ``Z`` or an offset.
        is_coarse: Whether a date is a longer period than most, such as 2024 among months.
        forms: The forms of the dates, None where a cell is not a date.
        months_later: How many months periods of fiscal years begin after those of the calendar year
            with the same number; None if they begin within a month.
    """

    times: TimeArray
    suffixes: np.ndarray
    is_coarse: BoolArray
    cells: pd.Series
    forms: list[DateForm | None]
    order: DateOrder
    months_later: int | None = None


def read_dates(
    column: pd.Series,
    kind: DateKind,
    reading: Reading,
    *,
    notes: Sequence[str] = (),
    title_year: int | None = None,
    other_columns: pd.DataFrame | None = None,
) -> RowDates:
    """Parse the dates of rows; ask for the order of day and month, and for the year.

    Args:
        notes: Comments, which may say from when periods are counted.
        title_year: The year in a title, for dates without one.
        other_columns: They may have the days of the week.
    """
    if kind is DateKind.FISCAL_MONTH:
        column, kind = join_fiscal_months(column, reading), DateKind.FULL
    if kind in (DateKind.FULL, DateKind.YEARLESS):
        weekdays = {} if other_columns is None else sample_weekdays(column, other_columns)
        order = _choose_order(column, kind, weekdays, reading)
        if kind is DateKind.FULL:
            return _read_full(column, order, reading)
        return _read_without_year(column, order, title_year, weekdays, reading)
    codes, distinct = pd.factorize(column)
    months_later = None
    if kind is DateKind.SERIAL:
        reading.add_remark("serial_dates", "Dates are Excel's serial numbers.")
        dates = [read_serial(cell) for cell in distinct]
    elif kind is DateKind.FISCAL:
        dates, months_later = read_fiscal_years(distinct, reading)
    elif kind is DateKind.COUNTED:
        dates = read_counted(distinct, notes, reading)
    else:
        read = date_reader()  # of slips such as 2020 among 2019/20
        dates = [read_split_year(cell) or read(cell) for cell in distinct]
    rows = _dated_rows(column, dates, codes, DateOrder.MONTH)
    return replace(rows, months_later=months_later)


def _read_full(column: pd.Series, order: DateOrder, reading: Reading) -> RowDates:
    codes, distinct = pd.factorize(column)
    report_calendar(distinct, reading)
    dates = read_column(distinct, order)
    if moved := find_last_century(distinct, dates):
        year = np.datetime64(moved[1].seconds, "s").astype("datetime64[Y]")
        reading.add_remark("last_century", f"{quote(moved[0])} is read as a date of {year}.")
    _reject_running_totals(distinct, dates)
    return _dated_rows(column, [*read_zone_names(distinct, dates, reading)], codes, order)


def _read_without_year(
    column: pd.Series,
    order: DateOrder,
    title_year: int | None,
    weekdays: Mapping[str, int],
    reading: Reading,
) -> RowDates:
    """Return the rows of dates without a year, or with one of two digits that looks like a day."""
    cells = column.tolist()
    if has_short_years(cells):
        dates = read_short_years(cells)
    else:
        first_year = _first_year(cells, order, title_year, weekdays, reading)
        dates = read_yearless(cells, order, first_year)
    return _dated_rows(column, dates, np.arange(len(cells)), order)


def _reject_running_totals(cells: Sequence[str], dates: Sequence[ParsedDate | None]) -> None:
    """Raise UnreadableTableError if most periods, such as Jan-Feb and Jan-Mar, include others."""
    by_first: dict[int, list[str]] = {}
    forms = {date.form for date in dates if date}
    of_ranges = {form for form in forms if form.pattern.groupindex.keys() & LAST_MONTH_GROUPS}
    for cell, date in zip(cells, dates, strict=True) if of_ranges else ():
        if date and date.form in of_ranges:
            by_first.setdefault(date.seconds, []).append(cell)
    longest = max(by_first.values(), key=len, default=[])
    including = sum(len(periods) - 1 for periods in by_first.values())
    if len(longest) >= _MIN_RUNNING_TOTALS and 2 * including > len(cells):
        raise UnreadableTableError(
            f"periods such as “{longest[0]}” and “{longest[1]}” begin on the same day, so that "
            "their values are totals of the year so far: send the value of each single month, "
            "which is its total less that of the month before"
        )


def _choose_order(
    column: pd.Series, kind: DateKind, weekdays: Mapping[str, int], reading: Reading
) -> DateOrder:
    """Return the order of day and month, as the dates show it or as was answered.

    If several orders are possible and only one fits the days of the week, or gives regular dates,
    it is that one.
    """
    cells = column.unique()
    ambiguous = possible_orders(cells)
    possible, example = ambiguous.orders, ambiguous.example
    if not possible:
        return DateOrder.MONTH
    _reject_both_orders(column, ambiguous.decided, reading)
    readings = {
        order: read_column(cells, order)
        if kind is DateKind.FULL
        else read_yearless(cells, order, LEAP_YEAR)
        for order in possible
    }
    fitting = [order for order in possible if fits_weekdays(cells, readings[order], weekdays)]
    ranked, is_shown = _rank_orders({order: readings[order] for order in fitting or possible})
    answered = reading.answers.date_order
    is_answered = answered in (fitting or possible)
    if len(ranked) > 1:
        days = {order: _dated_example(example, readings[order], cells) for order in ranked}
        _ask_order(example, days, reading, is_required=not (is_answered or is_shown))
    else:
        reading.add_remark("date_order", f"In {example}, first comes {_FIRST_COMES[ranked[0]]}.")
    order = answered if answered and is_answered else ranked[0]
    reading.chosen.date_order = order if is_answered or is_shown else None
    return order


def _reject_both_orders(
    column: pd.Series, decided: Mapping[DateOrder, list[str]], reading: Reading
) -> None:
    """Raise UnreadableTableError if some dates have the day first and others the month.

    What those mean that could be both is open.
    """
    days, months = (decided.get(order, []) for order in (DateOrder.DAY, DateOrder.MONTH))
    fewer, more = sorted((len(days), len(months)))
    if fewer < max(_MIN_OF_EACH_ORDER, _MIN_ORDER_FRACTION * more):
        return
    first, second = (int((column == cells[0]).idxmax()) for cells in (days, months))
    raise UnreadableTableError(
        f"{reading.row_label(first)} has “{days[0]}”, with the day first, and "
        f"{reading.row_label(second)} “{months[0]}”, with the month first: write all dates in one "
        "order, such as 2024-01-31",
        max(first, second),
    )


def _rank_orders(
    readings: Mapping[DateOrder, Sequence[ParsedDate | None]],
) -> tuple[list[DateOrder], bool]:
    """Return the likely orders, the most regular first, and whether the dates show that one."""
    defects = {order: _count_defects(dates) for order, dates in readings.items()}
    ranked = sorted(readings, key=defects.__getitem__)
    if defects.get(DateOrder.YEAR) and _are_of_one_day(readings[DateOrder.YEAR]):
        ranked = [order for order in ranked if order is not DateOrder.YEAR] or ranked
    regular = [order for order in ranked if not defects[order]]
    if DateOrder.YEAR in ranked and regular:
        ranked = regular
    count = len(next(iter(readings.values())))
    is_regular = len(regular) == 1 and count >= _MIN_REGULAR_DATES
    with_neighbors = [order for order in ranked if _has_times_of_near_days(readings[order])]
    if len(with_neighbors) == 1 and not regular:
        ranked, is_regular = sorted(ranked, key=with_neighbors.__contains__, reverse=True), True
    return ranked, len(ranked) == 1 or is_regular


def _ask_order(
    example: str, days: Mapping[DateOrder, str], reading: Reading, *, is_required: bool
) -> None:
    """Ask which order dates have; ``days`` says for each what the ``example`` would be."""
    text = f"Dates such as {example} can be read in {len(days)} ways. What comes first?"
    choices = [
        Choice(order, f"{_FIRST_COMES[order]} comes first", day) for order, day in days.items()
    ]
    reading.ask("date_order", text, choices, required=is_required)


def _has_times_of_near_days(dates: Sequence[ParsedDate | None]) -> bool:
    """Return whether days that are close together have several times each, as of working hours."""
    times = np.unique(np.array([date.seconds for date in dates if date], dtype=np.int64))
    days = np.unique(times // DAY_SECONDS)
    is_often = times.size >= _MIN_TIMES_A_DAY * days.size
    return bool(
        is_often and days.size >= _MIN_DAYS and days[-1] - days[0] < _MAX_DAYS_APART * days.size
    )


def _are_of_one_day(dates: Sequence[ParsedDate | None]) -> bool:
    """Return whether dates of many years are all of one day of the month: that is their year."""
    seconds = np.array([date.seconds for date in dates if date], dtype=np.int64)
    index = pd.DatetimeIndex(seconds.astype("datetime64[s]"))
    return index.day.nunique() == 1 and index.year.nunique() >= _MIN_YEARS_OF_ONE_DAY


def _dated_example(example: str, dates: Sequence[ParsedDate | None], cells: Sequence[str]) -> str:
    date = dates[list(cells).index(example)]
    day = np.datetime64(date.seconds if date else 0, "s").astype("datetime64[D]")
    return f"{example} is {day}"


def _count_defects(dates: Sequence[ParsedDate | None]) -> float:
    seconds = np.unique(np.array([date.seconds for date in dates if date], dtype=np.int64))
    spacing = find_spacing(seconds.astype("datetime64[s]"))
    return spacing.defect_count if spacing else float("inf")


def _first_year(
    cells: Sequence[str],
    order: DateOrder,
    title_year: int | None,
    weekdays: Mapping[str, int],
    reading: Reading,
) -> int:
    """Return the year of the first date: as answered, or from a title if all dates are of one year.

    Otherwise it is the last year that fits the days of the week, or else the year in which the last
    date is in this year.
    """
    passed = years_passed(cells, order)
    last = max((years for years in passed if years is not None), default=0)
    dated = (cell for cell, years in zip(cells, passed, strict=True) if years is not None)
    example = next(dated, "")
    offered = [reading.bounds.today.year - last - back for back in range(_MAX_YEARS_OFFERED)]
    fitting = [
        year
        for year in (offered if weekdays else [])
        if fits_weekdays(cells, read_yearless(cells, order, year), weekdays)
    ]
    answered, is_of_title = reading.answers.year, title_year is not None and not last
    offered = fitting or offered
    if title_year is not None:
        offered = [title_year, *(year for year in offered if year != title_year)]
    is_known = answered is not None or is_of_title or bool(fitting)
    if answered is None and fitting and not is_of_title:
        text = f"The dates have no year: {fitting[0]} is the last that fits their days of the week."
        reading.add_remark("year_of_weekdays", text)
    elif answered is None and is_known:
        text = f"The dates have no year: {title_year} is that of a title or of the sheet's name."
        reading.add_remark("year_of_title", text)
    reading.ask(
        "year",
        f"The dates have no year. Which year is {example} of?",
        [Choice(str(year), f"{example} is of {year}", f"{example} {year}") for year in offered],
        required=not is_known,
    )
    reading.chosen.year = offered[0] if is_known and answered is None else answered
    return answered or offered[0]


def _dated_rows(
    cells: pd.Series, dates: Sequence[ParsedDate | None], codes: np.ndarray, order: DateOrder
) -> RowDates:
    """Return the dates of rows; ``codes`` are their indices in ``dates``."""
    times = [_NOT_A_TIME if date is None else np.datetime64(date.seconds, "s") for date in dates]
    granularity = np.array([-1 if date is None else date.granularity for date in dates])[codes]
    counts = np.bincount(granularity[granularity >= 0], minlength=1)
    suffixes = np.array(["" if date is None else date.suffix for date in dates], dtype=object)
    forms = [date and date.form for date in dates]
    return RowDates(
        np.array(times, dtype="datetime64[s]")[codes],
        suffixes[codes],
        granularity > counts.argmax(),
        cells,
        [forms[code] for code in codes],
        order,
    )
