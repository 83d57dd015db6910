"""Tables without dates: read columns of numbers, and describe why others cannot be read."""

import datetime as dt
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.tables.answers import DecimalMark, Layout
from app.tables.codes.missing_codes import drop_missing_codes
from app.tables.dated_values import DatedValues
from app.tables.dates.cells import date_reader, is_date, is_written_date, is_yearless
from app.tables.dates.clocks import TIME_OF_DAY
from app.tables.dates.columns.sample import is_date_name
from app.tables.dates.month_names import month_of
from app.tables.errors import UnreadableTableError, too_many_points_error
from app.tables.header.heading import Heading
from app.tables.messages import quote
from app.tables.numbers.number_parts import MAX_NUMBER_LENGTH
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.reading import Choice, Reading
from app.tables.table import SAMPLE_CELLS, Table, sample_height, sample_rows
from app.tables.values.column_choice import choose_columns, read_columns
from app.tables.values.decimal_marks import FileMarks, has_point_language
from app.timeseries.calendar.axes import MonthAxis
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.timestamps import TimeArray

_REMEDY = "send a date and a number in each line, such as 2024-01-31, 112"
# The remedy for a list of events, which has at least this many rows.
_COUNT_REMEDY = "to count rows, such as tickets, add a column that is 1 in each row"
_MIN_EVENTS = 10
_MIN_COUNTED_ROWS = 5  # fewer numbers from 0 or 1 may be values
_MIN_DATES_IN_ROW = 3
_SAMPLE_ROWS = 50  # which are searched for dates
_MAX_COLUMNS_WITH_TIMES = 20
_MAX_LINES_WITH_NAMES = 20  # which are searched for names beside the values
_TWO_NUMBERS = re.compile(r"\t|\d +[-+(.\d]", re.ASCII)
_NAMED_VALUE = re.compile(r"[^=:\s]{1,60}(?:=\S|:$)")  # of logs, and of InfluxDB's lines
_SPACED_THOUSANDS = re.compile(r"[^\t\d]*\d{1,3}(?: \d{3})+(?![ \t\d])", re.ASCII)


def read_undated(table: Table, text: str | None, reading: Reading) -> DatedValues | None:
    """Return the numbers of a table without dates; None if their dates must be answered first."""
    undated = _find_undated_numbers(table, text) or _find_counted_numbers(table)
    if undated is None:
        error = _no_dates_error(table, reading)
        if any(remark.code == "encoding" for remark in reading.remarks):
            issue = f"{error.issue}. If its letters are wrong, save it as UTF-8"
            error = UnreadableTableError(issue, error.row, error.column)
        raise error
    body = undated.body
    if body.size > reading.bounds.max_total_points:
        raise too_many_points_error(reading.bounds)
    likely = DecimalMark.POINT
    marks = FileMarks(likely, has_point_language=has_point_language(table, [], likely))
    columns = choose_columns(undated, [*body], reading, required=False)
    values = read_columns(undated, columns, marks, reading)
    values = drop_missing_codes(values, body.index.to_numpy(), reading)
    reading.chosen.layout = Layout.COLUMNS
    times = _ask_dates(len(body), reading)
    if times is None:
        return None
    names = np.full(len(body), "", dtype=object)
    return DatedValues(times, "", body.index.to_numpy(), names, values)


def _find_counted_numbers(table: Table) -> Heading | None:
    """Return the columns of numbers after one that counts the rows from 0 or 1.

    That one is named after dates, such as ``Period``, or has no name, as an index of pandas.
    """
    cells = table.cells
    if len(cells) <= _MIN_COUNTED_ROWS or cells.shape[1] < 2:
        return None
    names, body = cells.iloc[0].tolist(), cells.iloc[1:]
    is_named = names[0] in ("", "t") or is_date_name(names[0])
    if not is_named or body.iloc[0, 0] not in ("0", "1"):
        return None
    first = int(body.iloc[0, 0])
    if body[0].tolist() != [str(first + i) for i in range(len(body))]:
        return None
    numbers = body.iloc[:, 1:].set_axis(range(cells.shape[1] - 1), axis=1)
    sample = sample_rows(numbers, sample_height(len(names), _SAMPLE_ROWS))
    distinct = pd.unique(sample.to_numpy().ravel())
    are_values = all(is_numeric(cell) or is_missing(cell) for cell in distinct)
    has_names = all(name and not is_numeric(name) for name in names[1:])
    return Heading(numbers, names[1:], 0) if are_values and has_names else None


def _find_undated_numbers(table: Table, text: str | None) -> Heading | None:
    """Return a column of numbers without dates; None for any other table.

    ``text`` is None for a workbook. Commas in it may be part of the numbers.
    """
    if text is None:
        lines = table.cells[0] if table.cells.shape[1] == 1 else pd.Series(dtype=object)
    else:
        text_lines = text.removeprefix("\ufeff").splitlines()
        sample = map(str.strip, text_lines[1 :: max(1, len(text_lines) // SAMPLE_CELLS)])
        if not all(_is_number(line) or is_missing(line) for line in sample):
            return None  # found early for most tables
        lines = pd.Series(
            map(str.strip, text_lines), index=range(1, len(text_lines) + 1), dtype=object
        )
    lines = lines[lines != ""]
    name = ""
    if len(lines) > 1 and not _is_number(lines.iloc[0]):
        name, lines = lines.iloc[0], lines.iloc[1:]
    if "," in name or len(lines) < 2:
        return None
    distinct = lines.unique()
    numbers = {line for line in distinct if _is_number(line)}
    is_column = numbers and all(line in numbers or is_missing(line) for line in distinct)
    return Heading(pd.DataFrame({0: lines}), [name], 0) if is_column else None


def _is_number(line: str) -> bool:
    if len(line) > MAX_NUMBER_LENGTH:
        return False
    is_one = not _TWO_NUMBERS.search(line) or _SPACED_THOUSANDS.match(line)
    return bool(is_numeric(line) and is_one)


def _ask_dates(count: int, reading: Reading) -> TimeArray | None:
    reason = "These are numbers without dates."
    start, frequency = reading.answers.start, reading.answers.data_frequency
    reading.ask("start", f"{reason} When was the first?", [], required=start is None)
    reading.ask(
        "data_frequency",
        f"{reason} How far apart are they?",
        FREQUENCY_CHOICES,
        required=frequency is None,
    )
    reading.chosen.start, reading.chosen.data_frequency = start, frequency
    if start is None or frequency is None:
        return None
    return _regular_times(start, frequency, count)


def _regular_times(start: dt.date, frequency: Frequency, count: int) -> TimeArray:
    start_time = np.datetime64(start, "s")
    unit = UNITS[frequency]
    steps = np.arange(count)
    if unit.seconds:
        return start_time + unit.seconds * steps
    axis = MonthAxis(start.day, 0)
    return axis.times(axis.positions(np.array([start_time]))[0] + unit.months * steps)


def _frequency_choice(frequency: Frequency) -> Choice:
    second = str(_regular_times(dt.date(2024, 1, 1), frequency, 2)[1]).removesuffix("T00:00:00")
    apart = f"1 {UNITS[frequency].noun} apart"
    return Choice(frequency, apart, f"after 2024-01-01 comes {second}")


FREQUENCY_CHOICES = [_frequency_choice(frequency) for frequency in Frequency]


def _no_dates_error(table: Table, reading: Reading) -> UnreadableTableError:
    if table.cells.empty:
        return UnreadableTableError(f"there is nothing in the table: {_REMEDY}", 1, 1)
    searched = table.cells.iloc[: sample_height(table.cells.shape[1], _SAMPLE_ROWS)]
    for row, cells in zip(searched.index.tolist(), searched.to_numpy(), strict=True):
        periods = _periods_in(cells)
        if len(periods) >= _MIN_DATES_IN_ROW and 2 * len(periods) > np.count_nonzero(cells != ""):
            has_year = any(is_date(cells[i]) for i in periods)
            dates = "the dates" if has_year else "dates without a year"
            return UnreadableTableError(
                f"{dates} are side by side in {reading.row_label(row)}, and the cells below them "
                f"were not understood: put the dates into a column, with the year, or {_REMEDY}",
                row,
                periods[0] + 1,
            )
    return _no_days_error(searched, reading) or _no_column_error(table, reading)


def _no_days_error(searched: pd.DataFrame, reading: Reading) -> UnreadableTableError | None:
    for column in [*searched][:_MAX_COLUMNS_WITH_TIMES]:
        cells = searched[column]
        times = cells[cells.str.fullmatch(TIME_OF_DAY)]
        if 2 * len(times) > len(cells):
            return UnreadableTableError(
                f"{reading.row_label(int(times.index[0]))}, column {column + 1} has "
                f"{quote(times.iloc[0])}, a time without a day: put the day before it, as in "
                f"{quote('2024-01-31 ' + times.iloc[0])}, or into another column",
                int(times.index[0]),
                column + 1,
            )
    return None


def _no_column_error(table: Table, reading: Reading) -> UnreadableTableError:
    position = min(1, len(table.cells) - 1)  # below a header
    row = table.cells.index[position]
    cells = table.cells.iloc[position].tolist()
    column = next((i for i, cell in enumerate(cells) if cell), 0)
    cell = cells[column]
    lines = table.cells.to_numpy()[:_MAX_LINES_WITH_NAMES]
    have_names = [any(map(_NAMED_VALUE.match, line)) for line in lines]
    if 2 * sum(have_names) > len(have_names):
        return UnreadableTableError(
            f"{reading.row_label(row)} has {quote(cell)}, and other lines have names beside their "
            "values, too: write the names once, in the first line, and only values below them",
            int(row),
            column + 1,
        )
    return UnreadableTableError(
        f"no column of dates was found; {reading.row_label(row)}, column {column + 1} has "
        f"{quote(cell)}: {_REMEDY}",
        int(row),
        column + 1,
    )


def _periods_in(cells: Sequence[str]) -> list[int]:
    """Return the positions of periods in a row.

    Numbers such as 2024 are years if they are regular; others are values.
    """
    tests = (is_written_date, is_yearless, month_of)
    named_periods = [i for i, cell in enumerate(cells) if any(fits(cell) for fits in tests)]
    years = [i for i, cell in enumerate(cells) if is_date(cell)]
    read = date_reader()
    times = np.array([date.seconds for i in years if (date := read(cells[i]))], "datetime64[s]")
    steps = {*np.diff(times.astype("datetime64[M]")).astype(int).tolist()}
    return years if len(steps) == 1 and len(years) > len(named_periods) else named_periods


def no_numbers_error(
    heading: Heading, taken: tuple[int, ...], ids: Sequence[int], reading: Reading
) -> UnreadableTableError:
    """Return why a table with dates has no values: it has no numbers, or only ``ids``."""
    body = heading.body
    column = next((i for i in body if i not in taken), len(taken))
    row = int(body.index[0]) if len(body) else 1
    if ids:
        names_text = " and ".join(f"{quote(heading.names[i])}" for i in ids)
        verb = "have" if len(ids) > 1 else "has"
        only_ids = f"beside the dates, only {names_text} {verb} numbers, which number the rows"
        issue = f"{only_ids}: {_COUNT_REMEDY}; to read these numbers, send columns"
        return UnreadableTableError(issue, row, ids[0] + 1)
    cell = body.iloc[0].get(column, "") if len(body) else ""
    remedy = f"{_REMEDY}; {_COUNT_REMEDY}" if len(body) >= _MIN_EVENTS else _REMEDY
    return UnreadableTableError(
        f"no column of numbers was found beside the dates; {reading.row_label(row)}, column "
        f"{column + 1} has {quote(cell)}: {remedy}",
        row,
        column + 1,
    )
