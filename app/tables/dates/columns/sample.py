"""A sample of each column of a table below its header: what its name and its cells show."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import islice

import numpy as np
import pandas as pd

from app.tables.dates.cells import is_date
from app.tables.dates.month_names import fold_text
from app.tables.dates.weekdays import DAYS_BY_BEGINNING, MAX_WEEKDAY_LETTERS
from app.tables.dates.year_patterns import FOUR_DIGITS
from app.tables.numbers.durations import are_durations, are_under_an_hour
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.table import SAMPLE_CELLS, is_mostly, sample_height, sample_rows
from app.tables.words import DATE, DAY, HOUR, MONTH, PERIOD, QUARTER, WEEK, YEAR

_MIN_SAMPLE_ROWS = 20
_MIN_HEADER_ROWS, _MAX_HEADER_ROWS = 3, 20  # that may be the header
_BODY_ROWS = 50  # whose cells show which row is the header
# Days from one date to the next, of weeks, months, quarters and years.
_STEPS_OF_DATES = (7, 14, 28, 29, 30, 31, 90, 91, 92, 365, 366)
# 1, 2, 3 or 7, 7, 7 may be values in a few rows; in more rows than this they are a count or a key.
_MAX_ROWS_BY_CHANCE = 5
_MIN_NEXT_FRACTION = 0.9  # of numbers that count rows: some rows may be missing
MAX_COLUMNS_TRIED = 200  # whether they have whole dates
_MAX_NAME_LENGTH = 300  # characters that are searched: a cell of megabytes may stand for a name
_MAX_COLUMNS_PAIRED = 20  # with the next one
_MIN_WEEKDAYS = 5  # fewer in a header may be chance
_MIN_FILLED_FRACTION = 0.1  # of the cells in the fullest column; others may be of a short table
_COUNT = re.compile(r"\d{1,3}", re.ASCII)
# Years are up to ten apart, as of censuses; values near 2000, such as 1874 and 2013, are farther
# apart. Outside the first column, half of the steps must be equal, as those of values differ.
_MAX_YEARS_APART = 10
_MIN_EVEN_YEARS_FRACTION = 0.5
_PART_NAMES = {
    part: re.compile(pattern, re.IGNORECASE)
    for part, pattern in {
        "year": rf"^(?:fiscal |calendar |geschäfts|kalender)?(?:{YEAR})$",
        "month": rf"^(?:fiscal |posting |calendar |kalender|buchungs)?(?:{MONTH}|{PERIOD})$",
        "week": rf"^(?:iso ?|calendar )?(?:{WEEK})$",
        "weeks": rf"week|woche|semaine|semana|settimana|\bkw|\bwk|\b(?:{WEEK})\b",
        "quarter": rf"^(?:{QUARTER})$",
        "day": rf"^(?:{DAY})$",
        "hour": rf"^(?:{HOUR})$",
        "day_of_year": r"^(?:doy|jday|julian(?:[ _]day)?|day[ _]?of[ _]?(?:the[ _])?year|yday)$",
        "clock": rf"^(?:[a-z]{{2,5}}[ _])?(?:{HOUR}|hhmm|zeit)$",
        "day_part": r"period|interval|hour|stunde|heure|hora|slot|block|\bptu\b|\bsp\b|mtu|^hh$"
        r"|(?:^|_)hr$",
        "date": r"date|datum|fecha|time|zeit|day\b|tag\b|month|monat|\bmois|\bmes\b|year|jahr"
        rf"|\ban\b|week|period|^(?:{YEAR})$",
    }.items()
}
_RANGES = {
    "month": (1, 12),
    "week": (1, 53),
    "quarter": (1, 4),
    "day": (1, 31),
    "day_of_year": (1, 366),
    "hour": (0, 24),
    "minute": (0, 59),
}

# Names that contain a word for dates; some words for years and months may be within others.
_DATE_WORD = re.compile(
    rf"\b(?:{YEAR}|{MONTH}|{DATE})\b|[年月년월]|연도|год|месяц|vuosi|kuukausi|mies", re.IGNORECASE
)


def is_date_name(name: str) -> bool:
    """Return whether a name says dates or parts of dates: ``Year``, ``Año/Mes``."""
    is_part = any(is_name_of(name, part) for part in _PART_NAMES)
    return is_part or _DATE_WORD.search(name[:_MAX_NAME_LENGTH]) is not None


def is_name_of(name: str, part: str) -> bool:
    """Return whether a name says a ``part`` of dates, such as ``month``."""
    return _PART_NAMES[part].search(name[:_MAX_NAME_LENGTH]) is not None


class _FittingColumns:
    """The columns that fit, found when they are needed: each column is tested once."""

    def __init__(self, fitting: Iterator[int]) -> None:
        self._fitting = fitting
        self._found: list[int] = []

    def has_others(self, taken: Collection[int]) -> bool:
        """Return whether a column that is not ``taken`` fits."""
        missing = len(taken) + 1 - len(self._found)
        self._found.extend(islice(self._fitting, max(missing, 0)))
        return any(index not in taken for index in self._found)


class ColumnSample:
    """A sample of the cells of each column, and the names of the columns.

    ``spread_cells`` are from rows all over the table, ``first_cells`` from its first rows.
    """

    def __init__(self, cells: pd.DataFrame) -> None:
        header = find_header(cells)
        body = cells.iloc[header + 1 :] if len(cells) > header + 1 else cells
        self.width = cells.shape[1]
        count = sample_height(self.width, SAMPLE_CELLS, min_rows=_MIN_SAMPLE_ROWS)
        self.rows = sample_rows(body, count)
        self.spread_cells: list[list[str]] = self.rows.to_numpy().T.tolist()
        self.first_cells: list[list[str]] = body.iloc[:count].to_numpy().T.tolist()
        self.names: list[str] = cells.iloc[header].tolist() if len(cells) else [""] * self.width
        self._numeric = _FittingColumns(
            i for i, column in enumerate(self.spread_cells) if any(map(is_numeric, column))
        )
        self._durations = _FittingColumns(
            i for i, column in enumerate(self.spread_cells) if are_durations(self.names[i], column)
        )

    def is_mostly(self, index: int, fits: Callable[[str], object], fraction: float = 0.5) -> bool:
        return is_mostly(self.spread_cells[index], fits, fraction)

    def is_filled_with(self, index: int, fits: Callable[[str], object]) -> bool:
        """Return whether nearly all filled cells fit, and most are filled: totals have no date."""
        filled = [cell for cell in self.spread_cells[index] if cell]
        return is_mostly(self.spread_cells[index], bool) and is_mostly(filled, fits, 0.9)

    def has_several_values(self, index: int) -> bool:
        """Return whether the cells below the header are not all the same."""
        return len({*self.spread_cells[index]} - {"", self.names[index]}) > 1

    def find_fitting(self, fits: Callable[[str], object]) -> list[int]:
        return [i for i in range(min(self.width, MAX_COLUMNS_TRIED)) if self.is_mostly(i, fits)]

    def singles_and_pairs(self) -> Iterator[tuple[int, ...]]:
        """Yield each column that may have dates, then pairs that may have years and their parts."""
        for index in range(min(self.width, MAX_COLUMNS_TRIED)):
            yield (index,)
        for index in range(min(self.width - 1, _MAX_COLUMNS_PAIRED)):
            yield index, index + 1

    def is_named(self, index: int, part: str) -> bool:
        return is_name_of(self.names[index], part)

    def is_number_of_part(self, index: int, part: str) -> bool:
        """Return whether a column has numbers in the range of a part: 1 to 12 for months."""
        low, high = _RANGES[part]

        def is_in_range(cell: str) -> bool:
            return _COUNT.fullmatch(cell) is not None and low <= int(cell) <= high

        return self.is_filled_with(index, is_in_range)

    def find_named(self, part: str) -> int | None:
        """Return the column that is named after a part of a date and could be it."""
        if part == "hour" and self._has_weekdays():
            return None
        candidates = (i for i in range(self.width) if self.is_named(i, part))
        return next((i for i in candidates if self.is_number_of_part(i, part)), None)

    def _has_weekdays(self) -> bool:
        """Return whether days of the week are side by side: ``Sat`` is an hour in Croatian."""
        names = {fold_text(name) for name in self.names if len(name) <= MAX_WEEKDAY_LETTERS}
        return len(names & DAYS_BY_BEGINNING.keys()) >= _MIN_WEEKDAYS

    def has_numbers_beside(self, *taken: int) -> bool:
        return self._numeric.has_others(taken)

    def is_time_of_day(self, index: int, date: int) -> bool:
        """Return whether cells such as 03:10 are times of day.

        They are not durations, and the table has other numbers or durations. Less than an hour for
        each day is a duration.
        """
        dates = self.first_cells[date]
        has_durations = are_durations(self.names[index], self.spread_cells[index]) or (
            are_under_an_hour(self.spread_cells[index]) and len({*dates}) == len(dates)
        )
        return not has_durations and (
            self.has_numbers_beside(index, date) or self._durations.has_others((index, date))
        )

    def is_row_counter(self, index: int) -> bool:
        """Return whether numbers begin with 0 or 1, and each is one more than the last."""
        numbers = pd.to_numeric(pd.Series(self.first_cells[index]), errors="coerce")
        is_next = (numbers.diff() == 1).sum() >= _MIN_NEXT_FRACTION * (len(numbers) - 1)
        return bool(len(numbers) > _MAX_ROWS_BY_CHANCE and numbers.iloc[0] in (0, 1) and is_next)

    def are_likely_years(self, index: int) -> bool:
        """Return whether numbers of four digits are years rather than values of about 2000.

        Years are a few years apart: all of them in the first column, in others most of them evenly.
        """
        cells = {cell for cell in self.first_cells[index] if FOUR_DIGITS.fullmatch(cell)}
        if self.is_named(index, "year") or not self.is_mostly(index, cells.__contains__):
            return True  # or other dates
        apart = np.diff(sorted(map(int, cells)))
        if index == 0:
            return bool(apart.size and apart.max() <= _MAX_YEARS_APART)
        [(usual, count)] = Counter(apart.tolist()).most_common(1) or [(0, 0)]
        min_count = _MIN_EVEN_YEARS_FRACTION * apart.size
        return count > max(1, min_count) and usual <= _MAX_YEARS_APART

    def is_steady(self, index: int) -> bool:
        """Return whether numbers rise or fall from row to row, and are not all the same."""
        numbers = self._first_numbers(index)
        steps = numbers.dropna().diff()
        if len(steps) > _MAX_ROWS_BY_CHANCE and not steps.iloc[1:].any():
            return False  # an account number
        return bool(min((steps > 0).sum(), (steps < 0).sum()) <= 0.1 * max(len(steps), 1))

    def has_steps_of_dates(self, index: int) -> bool:
        """Return whether days counted in a column are as far apart as dates.

        Numbers of followers are not.
        """
        numbers = self._first_numbers(index)
        steps = numbers.dropna().diff().abs()
        steps = steps[steps > 0]
        is_usual = (steps <= 1) | steps.isin(_STEPS_OF_DATES)
        return bool(2 * is_usual.sum() >= len(steps))

    def _first_numbers(self, index: int) -> pd.Series:
        cells = pd.Series(self.first_cells[index]).str.replace(",", ".")
        return pd.to_numeric(cells, errors="coerce")


def find_header(cells: pd.DataFrame) -> int:
    """Return the position of the row of names, 0 if no row has any.

    It has the most names over columns of dates and numbers; of several it is the last.
    """
    width = cells.shape[1]
    sample = sample_rows(cells, sample_height(width, _BODY_ROWS)).to_numpy()
    height = sample_height(width, _MAX_HEADER_ROWS, min_rows=_MIN_HEADER_ROWS)
    rows = cells.iloc[:height].to_numpy()
    distinct = {*sample.ravel().tolist(), *rows.ravel().tolist()}
    values = {cell for cell in distinct if cell and _is_value(cell)}
    names = {cell for cell in distinct - values if not is_missing(cell)}
    columns = [[*filter(None, column)] for column in sample.T.tolist()]
    most_filled = max(map(len, columns), default=0)
    value_columns = [
        index
        for index, column in enumerate(columns)
        if len(column) > _MIN_FILLED_FRACTION * most_filled
        and is_mostly(column, values.__contains__)
    ]
    counts = [sum(cell in names for cell in row) for row in rows[:, value_columns].tolist()]
    most = max(counts, default=0)
    return len(counts) - 1 - counts[::-1].index(most) if most else 0


def _is_value(cell: str) -> bool:
    return cell[0].isdigit() or is_date(cell) or is_numeric(cell)
