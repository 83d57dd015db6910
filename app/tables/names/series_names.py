"""Find the columns that name the series of each row, in tables with several series."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.codes.key_names import are_lettered_codes, is_named_identifier, is_named_key
from app.tables.dated_table import DatedTable
from app.tables.header.heading import Heading
from app.tables.header.number_columns import value_columns
from app.tables.messages import list_first, shorten
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.table import NAME_SEPARATOR, free_columns, is_mostly
from app.tables.values.running_balances import has_running_balance
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import IntArray

_MAX_CANDIDATES = 40
_MAX_LISTED_NAMES = 3
_MAX_SCORED = 100  # columns, or pairs of them
_MAX_NAMES = 50_000
# At most this many names may lack many of the dates, unless the table is known to be long.
_MAX_PARTIAL_NAMES = 500
# Names that share dates.
_MAX_REPEATED_NAMES = 50
_MIN_NAME_ROWS = 10  # of each
_SAMPLE_ROWS = 2_000
# In a table with names, several rows have one date: there are fewer dates than rows.
_MAX_DISTINCT_DATE_FRACTION = 0.8
# Nearly all rows differ in name and date; a few rows may be there twice.
_MIN_SAMPLE_UNIQUE_FRACTION = 0.9
_MIN_UNIQUE_FRACTION = 0.98
# Numbers are names if each has about as many rows as there are dates.
_MAX_INCOMPLETE_FRACTION = 0.2
# Each sensor has about the same number of readings.
_MAX_ROWS_PER_KEY_RATIO = 1.5
# Texts name series if each has at least this fraction of the dates from its first to its last.
_MIN_RECURRING_FRACTION = 0.25
_MIN_ROWS_PER_DATE = 2  # or if a date has this many rows: others may be the texts of payments
_DIGIT = re.compile(r"\d")
# The end of the name of a column that has the key or the name of a thing: store_id, store_name.
_KEY_OR_NAME = re.compile(
    r"[\s_.-](?:ids?|codes?|keys?|no\.?|nr\.?|num|number|names?|title|label|value|bezeichnung)$"
    r"|(?-i:(?<=[a-z])(?:Id|ID|Code|No|Nr|Name)$)",
    re.IGNORECASE,
)
_PLAIN_NAME = re.compile(r"[\w ·-]+", re.ASCII)


def list_names(names: Sequence[str]) -> str:
    """Return the names of the first series, and how many there are more."""
    return list_first(names, _MAX_LISTED_NAMES, shorten)


def row_names(rows: pd.DataFrame, columns: Iterable[int]) -> pd.Series:
    """Return the name of each row's series: those of two columns, or of the one that is filled."""
    first, *others = (rows[column] for column in columns)
    joined = first.str.cat(others, sep=NAME_SEPARATOR)
    return joined.str.removeprefix(NAME_SEPARATOR).str.removesuffix(NAME_SEPARATOR)


def find_name_columns(dated_table: DatedTable, *, is_long: bool) -> tuple[int, ...]:
    """Return the one or two columns that, with the date, identify a row; () for one series.

    ``is_long``: the table is known to have names.
    """
    rows, times = dated_table.body, dated_table.times
    if not is_long and pd.unique(times).size > _MAX_DISTINCT_DATE_FRACTION * len(rows):
        return ()
    taken = dated_table.dates.columns
    free = [column for column in rows if column not in taken][:_MAX_CANDIDATES]
    if len(free) < 2:  # names need a column of values as well
        return ()
    candidates = _NameCandidates(rows[free], times, dated_table.heading, is_long=is_long)
    scored: list[_NameScore] = []
    for size in (1, 2):
        likely = filter(candidates.can_be_names, combinations(candidates.columns, size))
        scores = map(candidates.score, islice(likely, _MAX_SCORED))
        scored = sorted([*scored, *filter(None, scores)])
        if scored and not scored[0].is_number:  # numbers may be values that repeat
            break
    return scored[0].columns if scored else ()


def find_repeated_names(dated_table: DatedTable) -> tuple[int, ...]:
    """Return the first column of few names that rows of one date share, such as shops of bills."""
    rows = dated_table.body
    for column in free_columns(rows, dated_table.dates.columns, _MAX_CANDIDATES):
        counts = rows[column].value_counts()
        names = rows[column].iloc[:_SAMPLE_ROWS].tolist()
        if _are_few(counts) and (
            are_lettered_codes(dated_table.heading.written[column], names)
            or not any(is_numeric(n) or is_missing(n) for n in counts.index)
        ):
            return (column,)
    return ()


def find_account_names(dated_table: DatedTable) -> tuple[int, ...]:
    """Return the column of the accounts whose running balances alternate in a ledger.

    The balance changes by an amount from row to row of each account, and not from row to row of
    the ledger.
    """
    rows, taken = dated_table.body, dated_table.dates.columns
    numeric = value_columns(dated_table.heading, taken)
    top = rows.iloc[:_SAMPLE_ROWS]
    for column in free_columns(rows, taken, _MAX_CANDIDATES):
        if _are_few(rows[column].value_counts()):
            codes = pd.factorize(top[column])[0]
            numbers = [top[other] for other in numeric if other != column]
            if has_running_balance(numbers, codes) and not has_running_balance(numbers, 0 * codes):
                return (column,)
    return ()


def find_single_name(dated_table: DatedTable) -> tuple[int, ...]:
    """Return the first column that has the same name in all rows, which name a single series."""
    rows = dated_table.body
    for column in free_columns(rows, dated_table.dates.columns, _MAX_CANDIDATES):
        name = rows[column].iloc[0] if len(rows) else ""
        is_name = not (is_numeric(name) or is_missing(name))
        if is_name and (rows[column] == name).all():
            return (column,)
    return ()


def find_key_column(dated_table: DatedTable) -> tuple[int, ...]:
    """Return the column of the numbers of sensors or the like, whose readings alternate.

    It is named like a key, and has about the same number of rows for each number.
    """
    rows, times = dated_table.body, dated_table.times
    if not (times != times.astype("datetime64[D]")).any():
        return ()
    for column in free_columns(rows, dated_table.dates.columns, _MAX_CANDIDATES):
        if is_named_key(dated_table.heading.written[column]):
            counts = rows[column].value_counts()
            is_even = counts.max() <= _MAX_ROWS_PER_KEY_RATIO * counts.min()
            if _are_few(counts) and is_even and all(map(str.isdecimal, counts.index)):
                return (column,)
    return ()


def _are_few(counts: pd.Series) -> bool:
    return 2 <= len(counts) <= _MAX_REPEATED_NAMES and bool(counts.min() >= _MIN_NAME_ROWS)


class _NameScore(NamedTuple):
    is_number: bool
    is_value: bool  # not named like a key
    size: int  # columns
    names: int
    are_keys: bool  # of things whose names are in another column
    columns: tuple[int, ...]


class _NameCandidates:
    """Scores columns of names: cells are factorized once, pairs of columns compared as codes.

    Args:
        cells: The columns that may have names.
        times: The dates of the rows.
        is_long: Whether the table is known to have names.
    """

    def __init__(
        self, cells: pd.DataFrame, times: TimeArray, heading: Heading, *, is_long: bool
    ) -> None:
        dates, distinct_dates = pd.factorize(times)
        self._dates = dates.astype(np.int64)  # as 0, 1, …
        self._ranks = np.argsort(np.argsort(distinct_dates))  # of these dates in time
        self._row_count, self._date_count = len(cells), len(distinct_dates)
        self._is_long = is_long
        coded = {column: pd.factorize(cells[column]) for column in cells}
        self._coded = {
            column: factorized
            for column, factorized in coded.items()
            if len(factorized[1]) <= _MAX_NAMES
        }
        self.columns = [*self._coded]
        self._can_be_values = {
            column
            for column, (_, names) in coded.items()
            if is_mostly(names[:_SAMPLE_ROWS].tolist(), _DIGIT.search)
        }
        self._find_keys(cells, heading)
        sampled = max(1, self._date_count * _SAMPLE_ROWS // max(1, self._row_count))
        self._sample = np.flatnonzero(self._dates < sampled)[:_SAMPLE_ROWS]

    def _find_keys(self, cells: pd.DataFrame, heading: Heading) -> None:
        headers = {column: heading.written[column] for column in cells}
        self._identifiers = {c for c, header in headers.items() if is_named_identifier(header)}
        self._codes = {
            column
            for column, header in headers.items()
            if are_lettered_codes(header, cells[column].iloc[:_SAMPLE_ROWS].tolist())
        }
        things = {c: _KEY_OR_NAME.sub("", header).casefold() for c, header in headers.items()}
        counts = Counter(things.values())
        self._keys_of_names = {
            c for c, header in headers.items() if counts[things[c]] > 1 and is_named_key(header)
        }

    def can_be_names(self, columns: tuple[int, ...]) -> bool:
        """Return whether names and dates identify nearly all of the first rows."""
        codes = self._codes_of(columns, self._sample)
        return self._count_unique(codes, self._sample) >= _MIN_SAMPLE_UNIQUE_FRACTION * len(
            self._sample
        )

    def score(self, columns: tuple[int, ...]) -> _NameScore | None:
        """Return how well the columns name series; None if they do not."""
        everything = slice(None)
        codes = self._codes_of(columns, everything)
        count = len(pd.unique(codes))
        if self._can_be_values <= {*columns}:
            return None
        if not 2 <= count <= min(_MAX_NAMES, self._row_count // 2):
            return None
        if self._count_unique(codes, everything) < _MIN_UNIQUE_FRACTION * self._row_count:
            return None
        is_number = any(map(self._is_numeric_column, columns))
        # Values repeat, too: numbers are names only if each has a complete series.
        is_whole = (
            abs(count * self._date_count - self._row_count)
            <= _MAX_INCOMPLETE_FRACTION * self._row_count
        )
        max_partial = _MAX_NAMES if self._is_long else _MAX_PARTIAL_NAMES
        is_partial = count <= max_partial and self._are_recurring(columns, codes)
        if not (is_whole or is_partial):
            return None
        names = (name for column in columns for name in self._coded[column][1])
        if is_number and not (is_whole and all(map(_PLAIN_NAME.fullmatch, names))):
            return None
        is_value = is_number and not self._identifiers & {*columns}
        are_keys = not self._keys_of_names.isdisjoint(columns)
        return _NameScore(is_number, is_value, len(columns), count, are_keys, columns)

    def _codes_of(self, columns: tuple[int, ...], rows: IntArray | slice) -> IntArray:
        codes: IntArray = np.zeros(1, dtype=np.int64)
        for column in columns:
            of_column, names = self._coded[column]
            codes = codes * len(names) + of_column[rows]
        return codes

    def _count_unique(self, codes: IntArray, rows: IntArray | slice) -> int:
        return len(pd.unique(self._dates[rows] * (_MAX_NAMES * _MAX_NAMES) + codes))

    def _are_recurring(self, columns: tuple[int, ...], codes: IntArray) -> bool:
        """Return whether names recur from date to date, as the names of series do."""
        are_known = self._is_long or {*columns} <= self._identifiers
        if are_known or self._row_count >= _MIN_ROWS_PER_DATE * self._date_count:
            return True
        ranks = pd.Series(self._ranks[self._dates]).groupby(codes)
        spans = (ranks.max() - ranks.min())[ranks.size() > 1] + 1
        recurring = ranks.size()[spans.index]
        return bool(recurring.sum() >= _MIN_RECURRING_FRACTION * spans.sum())

    def _is_numeric_column(self, column: int) -> bool:
        if column in self._codes:
            return False
        codes, names = self._coded[column]
        are_numeric = np.array([*map(is_numeric, names)])
        are_filled = np.array([not is_missing(name) for name in names])
        return bool(are_numeric[codes].sum() > 0.5 * are_filled[codes].sum())
