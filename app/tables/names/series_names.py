"""Find the columns that name the series of each row, in tables with several series."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.answers import TableBounds
from app.tables.codes.key_names import is_named_identifier, is_named_key
from app.tables.codes.lettered_codes import are_lettered_codes
from app.tables.header.heading import Heading
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.results import NotATableError
from app.tables.samples import free_columns, is_mostly
from app.tables.table import list_first, shorten
from app.tables.values.running_balances import has_running_balance
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import IntArray

NAME_SEPARATOR = " · "
_MAX_COLUMNS = 40
_MAX_LISTED_NAMES = 3
_MAX_COLUMNS_SCORED = 100  # columns, or pairs of them, that are scored on all rows
_MAX_NAMES = 50_000  # names that a column may have
# At most this many names may lack many of the dates, unless the table is known to be long.
_MAX_PARTIAL_NAMES = 500
# Names that share dates: at most this many, with this many rows each.
_MAX_REPEATED_NAMES, _MIN_NAME_ROWS = 50, 10
_SAMPLE = 2_000
_MAX_DISTINCT_DATE_FRACTION, _MIN_SAMPLE_UNIQUE_FRACTION, _MIN_UNIQUE_FRACTION = 0.8, 0.9, 0.98
_MAX_KEY_RATIO = 1.5
# Texts name series if each has at least this fraction of the dates from its first to its last, or
# if a date has this many rows: others may be the texts of payments.
_MIN_RECURRING_FRACTION, _MIN_ROWS_PER_DATE = 0.25, 2
_DIGIT = re.compile(r"\d")
# The end of the name of a column that has the key or the name of a thing: store_id, store_name.
_KEY_OR_NAME = re.compile(
    r"[\s_.-](?:ids?|codes?|keys?|no\.?|nr\.?|num|number|names?|title|label|value|bezeichnung)$"
    r"|(?-i:(?<=[a-z])(?:Id|ID|Code|No|Nr|Name)$)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[\w ·-]+", re.ASCII)


def too_many_points_error(bounds: TableBounds) -> NotATableError:
    """Return the error for a table with more points than one request may have."""
    most = f"at most {bounds.max_series:,} series and {bounds.max_total_points:,} points"
    issue = f"these are too many points, with those that are missing: send {most} at once"
    return NotATableError(issue, is_too_large=True)


def list_names(names: Sequence[str]) -> str:
    """Return the names of the first series, and how many there are more."""
    return list_first(names, _MAX_LISTED_NAMES, shorten)


def row_names(rows: pd.DataFrame, columns: Iterable[int]) -> pd.Series:
    """Return the name of each row's series."""
    first, *others = (rows[column] for column in columns)
    return first.str.cat(others, sep=NAME_SEPARATOR)


def find_name_columns(
    rows: pd.DataFrame, times: TimeArray, taken: Collection[int], heading: Heading, *, is_long: bool
) -> tuple[int, ...]:
    """Return the one or two columns that, with the date, identify a row; () for one series.

    ``times`` are the dates of ``rows``; ``taken`` are the columns of the dates. ``is_long``: the
    table is known to have names.
    """
    moments, distinct = pd.factorize(times)
    if len(distinct) > _MAX_DISTINCT_DATE_FRACTION * len(rows):
        return ()
    free = [column for column in rows if column not in taken][:_MAX_COLUMNS]
    if len(free) < 2:  # names need a column of values as well
        return ()
    keys = {column for column in free if is_named_identifier(heading.written[column])}
    codes = {
        column
        for column in free
        if are_lettered_codes(heading.written[column], rows[column].iloc[:_SAMPLE].tolist())
    }
    things = {column: _KEY_OR_NAME.sub("", heading.written[column]).casefold() for column in free}
    counts = Counter(things.values())
    named = [c for c in free if counts[things[c]] > 1 and is_named_key(heading.written[c])]
    ranks = np.argsort(np.argsort(distinct))
    candidates = _NameColumns(rows, moments, ranks, free, keys, codes, named, is_long)
    scored: list[_NameScore] = []
    for size in (1, 2):
        likely = filter(candidates.can_be_names, combinations(candidates.columns, size))
        scores = map(candidates.score, islice(likely, _MAX_COLUMNS_SCORED))
        scored = sorted([*scored, *filter(None, scores)])
        if scored and not scored[0].is_number:  # numbers may be values that repeat
            break
    return scored[0].columns if scored else ()


def find_repeated_names(
    rows: pd.DataFrame, taken: Collection[int], heading: Heading
) -> tuple[int, ...]:
    """Return the first column of few names that rows of one date share, such as shops of bills."""
    for column in free_columns(rows, taken, _MAX_COLUMNS):
        counts = rows[column].value_counts()
        names = rows[column].iloc[:_SAMPLE].tolist()
        if _are_few(counts) and (
            are_lettered_codes(heading.written[column], names)
            or not any(is_numeric(n) or is_missing(n) for n in counts.index)
        ):
            return (column,)
    return ()


def find_account_names(
    rows: pd.DataFrame, taken: Collection[int], numeric: Collection[int]
) -> tuple[int, ...]:
    """Return the column of the accounts whose running balances alternate in a ledger.

    ``numeric``: columns of numbers. The balance changes by an amount from row to row of each
    account, and not from row to row of the ledger.
    """
    top = rows.iloc[:_SAMPLE]
    for column in free_columns(rows, taken, _MAX_COLUMNS):
        if _are_few(rows[column].value_counts()):
            codes = pd.factorize(top[column])[0]
            numbers = [top[other] for other in numeric if other != column]
            if has_running_balance(numbers, codes) and not has_running_balance(numbers, 0 * codes):
                return (column,)
    return ()


def find_single_name(rows: pd.DataFrame, taken: Collection[int]) -> tuple[int, ...]:
    """Return the first column that has the same name in all rows, which name a single series."""
    for column in free_columns(rows, taken, _MAX_COLUMNS):
        name = rows[column].iloc[0] if len(rows) else ""
        is_name = not (is_numeric(name) or is_missing(name))
        if is_name and (rows[column] == name).all():
            return (column,)
    return ()


def find_key_column(
    rows: pd.DataFrame, times: TimeArray, taken: Collection[int], heading: Heading
) -> tuple[int, ...]:
    """Return the column of the numbers of sensors or the like, whose readings alternate.

    It is named like a key, and has about the same number of rows for each number.
    """
    if not (times != times.astype("datetime64[D]")).any():
        return ()
    for column in free_columns(rows, taken, _MAX_COLUMNS):
        if is_named_key(heading.written[column]):
            counts = rows[column].value_counts()
            is_even = counts.max() <= _MAX_KEY_RATIO * counts.min()
            if _are_few(counts) and is_even and all(map(str.isdecimal, counts.index)):
                return (column,)
    return ()


def _are_few(counts: pd.Series) -> bool:
    """Return whether there are a few names, each in enough rows."""
    return 2 <= len(counts) <= _MAX_REPEATED_NAMES and bool(counts.min() >= _MIN_NAME_ROWS)


class _NameScore(NamedTuple):
    is_number: bool
    is_value: bool  # not named like a key
    size: int  # columns
    names: int
    are_keys: bool  # of things whose names are in another column
    columns: tuple[int, ...]


class _NameColumns:
    """Scores columns of names: cells are factorized once, pairs of columns compared as codes.

    Args:
        moments: The dates of the rows as 0, 1, ….
        ranks: The rank in time of each of these dates.
        free: The columns that may have names.
        keys: The columns that are named like a key.
        codes: The columns of codes of digits and letters.
        named: The columns of keys beside a column of the names of the same things.
        is_long: Whether the table is known to have names.
    """

    def __init__(
        self,
        rows: pd.DataFrame,
        moments: np.ndarray,
        ranks: IntArray,
        free: Collection[int],
        keys: Collection[int],
        codes: Collection[int],
        named: Collection[int],
        is_long: bool,
    ) -> None:
        self._rows = len(rows)
        self._moments = moments.astype(np.int64)
        self._ranks = ranks
        self._dates = count = ranks.size
        self._is_long = is_long
        self._keys = {*keys}
        self._lettered = {*codes}
        self._named = {*named}
        self._max_partial_names = _MAX_NAMES if is_long else _MAX_PARTIAL_NAMES
        coded = {column: pd.factorize(rows[column]) for column in free}
        self._coded = {
            column: factorized
            for column, factorized in coded.items()
            if len(factorized[1]) <= _MAX_NAMES
        }
        self._can_be_values = {
            column
            for column, (_, names) in coded.items()
            if is_mostly(names[:_SAMPLE].tolist(), _DIGIT.search)
        }
        sampled = max(1, count * _SAMPLE // max(1, self._rows))
        self._sample = np.flatnonzero(moments < sampled)[:_SAMPLE]
        self.columns = [*self._coded]

    def can_be_names(self, columns: tuple[int, ...]) -> bool:
        """Return whether names and dates identify nearly all of the first rows."""
        codes = self._codes(columns, self._sample)
        return self._count_unique(codes, self._sample) >= _MIN_SAMPLE_UNIQUE_FRACTION * len(
            self._sample
        )

    def score(self, columns: tuple[int, ...]) -> _NameScore | None:
        """Return how well the columns name series; None if they do not."""
        everything = slice(None)
        codes = self._codes(columns, everything)
        count = len(pd.unique(codes))
        if self._can_be_values <= {*columns}:
            return None
        if not 2 <= count <= min(_MAX_NAMES, self._rows // 2):
            return None
        if self._count_unique(codes, everything) < _MIN_UNIQUE_FRACTION * self._rows:
            return None
        is_number = any(map(self._is_numeric_column, columns))
        # Values repeat, too: numbers are names only if each has a complete series.
        is_whole = abs(count * self._dates - self._rows) <= 0.2 * self._rows
        is_partial = count <= self._max_partial_names and self._are_recurring(columns, codes)
        if not (is_whole or is_partial):
            return None
        if is_number and not (is_whole and all(map(self._has_plain_names, columns))):
            return None
        is_value = is_number and not self._keys & {*columns}
        are_keys = not self._named.isdisjoint(columns)
        return _NameScore(is_number, is_value, len(columns), count, are_keys, columns)

    def _codes(self, columns: tuple[int, ...], rows: IntArray | slice) -> IntArray:
        codes: IntArray = np.zeros(1, dtype=np.int64)
        for column in columns:
            of_column, names = self._coded[column]
            codes = codes * len(names) + of_column[rows]
        return codes

    def _count_unique(self, codes: IntArray, rows: IntArray | slice) -> int:
        """Return the number of different pairs of date and name."""
        return len(pd.unique(self._moments[rows] * (_MAX_NAMES * _MAX_NAMES) + codes))

    def _are_recurring(self, columns: tuple[int, ...], codes: IntArray) -> bool:
        """Return whether names recur from date to date, as the names of series do."""
        are_known = self._is_long or {*columns} <= self._keys
        if are_known or self._rows >= _MIN_ROWS_PER_DATE * self._dates:
            return True
        places = pd.Series(self._ranks[self._moments]).groupby(codes)
        spans = (places.max() - places.min())[places.size() > 1] + 1
        recurring = places.size()[spans.index]
        return bool(recurring.sum() >= _MIN_RECURRING_FRACTION * spans.sum())

    def _is_numeric_column(self, column: int) -> bool:
        if column in self._lettered:
            return False
        codes, names = self._coded[column]
        alike = np.array([is_numeric(cell) or is_missing(cell) for cell in names])
        return bool(alike[codes].sum() > 0.5 * self._rows)

    def _has_plain_names(self, column: int) -> bool:
        return all(map(_NAME.fullmatch, self._coded[column][1]))
