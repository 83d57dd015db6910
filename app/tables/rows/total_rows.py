"""Find rows that are totals of other rows: of all, of rows above, or of a section."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

import numpy as np
import pandas as pd

from app.tables.amounts.direction_words import signs_of_words
from app.tables.dated_table import DatedTable
from app.tables.messages import quote
from app.tables.numbers.parsing import is_numeric, read_likely_numbers
from app.tables.reading import Reading
from app.tables.table import free_columns, is_mostly
from app.tables.values.running_balances import BALANCE_NAME
from app.tables.words import JOINED_TOTAL, TOTAL
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MAX_LABEL_COLUMNS = 20  # leftmost columns that are searched for names of totals
_MAX_LABEL_LENGTH = 60
_MAX_LABELS = 200
_MAX_BALANCES = 2  # labels: of the first and the last row
_MAX_WORDS = 10  # different ones, for directions
_MAX_TOTAL_ROW_FRACTION = 0.5
_MAX_NUMBER_COLUMNS = 50  # one of them must show the sums
# The fraction of the rows of a label that must be sums: the rest may have been typed.
_MIN_SUM_FRACTION = 0.9
TOTAL_TOLERANCE_FRACTION = 1e-3
# Rounded parts may add up to more or less than their total, but not by a larger fraction of it.
_MAX_ROUNDING_FRACTION = 0.05
_MAX_DECIMALS = 6
_MAX_SECTION_PARTS = 100
_MAX_DATES_CHECKED = 500
_MIN_NONZERO_TOTALS = 3
# With fewer different totals, a single part may be equal to them by chance.
_MIN_DISTINCT_TOTALS = 5
TOTAL_LABEL = re.compile(
    r"(?:(?:grand|overall|sub|sous|net|all)[ -]?)?(?:totals?|results?|sum)"
    r"|(?:gesamt|zwischen|end)?summe|(?:gesamt|teil)?ergebnis|total (?:g[ée]n[ée]ral|geral)"
    rf"|genel toplam|計|{TOTAL}|{JOINED_TOTAL}",
    re.IGNORECASE,
)

_BALANCE = re.compile(
    r"(?:anfangs|schluss|end|begin|eind)saldo|saldovortrag|(?:kontostand|solde)\b.{0,30}"
    r"|(?:opening|closing|beginning|starting|ending|previous) balance\b.{0,30}"
    r"|balance (?:brought|carried) forward|saldo (?:inicial|final|anterior|iniziale|finale)"
    "|saldo (?:początkowe|końcowe)|(?:in|ut)gående saldo|(?:期首|期末)残高|前?(?:期|月)?繰越",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"(?:{TOTAL_LABEL.pattern})(?:$|[\s:：])", re.IGNORECASE)
# A total after or in one word with its parts, such as “Kosten gesamt”, or a total of all.
_COMPOUND = re.compile(
    rf".*[\s:：_-](?:{TOTAL})|.*(?:{JOINED_TOTAL})[金数數]?[额額]?"
    r"|gesamt\w+|\w+summe|overall|(?:all|alle|tous|toutes|todos|todas|tutti|tutte) .+",
    re.IGNORECASE,
)


def find_balances(dated_table: DatedTable, reading: Reading) -> BoolArray:
    """Return which rows have the balance before all bookings, or after them; report these.

    In a list of balances or levels, which has no rows for money or goods that went out, these are
    values like the others.
    """
    body, times = dated_table.body, dated_table.times
    is_balance = np.zeros(len(body), dtype=bool)
    if any(map(BALANCE_NAME.search, dated_table.heading.written)):
        return is_balance  # such a row has no amount
    ends = np.flatnonzero(np.isin(times, [times.min(), times.max()])).tolist() if times.size else []
    columns = free_columns(body, dated_table.dates.columns, _MAX_LABEL_COLUMNS)
    labels = {}
    for position, column in product(sorted({*ends[:2], *ends[-2:]}), columns):
        cell = body[column].iloc[position]
        if _is_balance(cell) and sum(map(_is_balance, body[column].unique())) <= _MAX_BALANCES:
            is_balance[position] = (body[column] == cell).sum() == 1
            labels[position] = cell
    if not is_balance.any() or not any(
        _has_outflows(body[column][~is_balance], dated_table.heading.written[column])
        for column in columns[:_MAX_NUMBER_COLUMNS]
    ):
        return np.zeros(len(body), dtype=bool)
    for position in np.flatnonzero(is_balance).tolist():
        text = f"Left out {quote(labels[position])}: a balance, and no change of it."
        reading.add_remark("total", text, [int(body.index[position])])
    return is_balance


def _is_balance(cell: str) -> bool:
    return len(cell) <= _MAX_LABEL_LENGTH and _BALANCE.fullmatch(cell) is not None


def _has_outflows(cells: pd.Series, name: str) -> bool:
    """Return whether a column has negative numbers, or words for amounts in and out."""
    kinds = cells.unique().tolist()
    if len(kinds) <= _MAX_WORDS and signs_of_words(kinds, name, are_money=True):
        return True
    return bool((read_likely_numbers(cells) < 0).any())


def find_totals(
    body: pd.DataFrame, times: TimeArray, taken: Collection[int], reading: Reading
) -> BoolArray:
    """Return which rows are totals of the other rows of their date; report them.

    A row named as a total is one if it has the sum of the rows above it, of the rows since the last
    total, or of all other rows. The total of something, such as “Total headcount”, must have the
    sum of all other rows, or of the same number of rows next to it on each date. Rows that are
    named as totals and have no such sum are kept and reported.
    """
    labels = _total_labels(body, taken)
    is_named = labels != ""
    distinct = pd.unique(labels[is_named]).tolist()
    is_total = np.zeros(len(body), dtype=bool)
    if not distinct or len(distinct) > _MAX_LABELS:
        return is_total
    if is_named.sum() > _MAX_TOTAL_ROW_FRACTION * len(body):
        return is_total
    numeric = (
        column
        for column in body
        if column not in taken and is_mostly(body[column][is_named].iloc[:50].tolist(), is_numeric)
    )
    columns = [
        _NamedTotals(read_likely_numbers(body[column]), is_named, times)
        for column in islice(numeric, _MAX_NUMBER_COLUMNS)
    ]
    for label in distinct:
        has_label = labels == label
        is_plain = TOTAL_LABEL.fullmatch(label) is not None or _group_of(label) != ""
        fractions = [
            fraction
            for column in columns
            if (fraction := column.sum_fraction(has_label, of_all=not is_plain)) is not None
        ]
        rows = pd.unique(body.index[has_label]).tolist()
        is_sum = max(fractions, default=0.0) >= _MIN_SUM_FRACTION
        if is_sum or any(column.are_sums_of_sections(has_label) for column in columns):
            is_total |= has_label
            reading.add_remark("total", f"Left out {quote(label)}: a total of other rows.", rows)
        elif fractions:
            text = f"{quote(label)} may be a total of other rows: it is read like these."
            reading.add_remark("total_kept", text, rows)
    return is_total


def is_total_label(name: str) -> bool:
    """Return whether a name says that something is a total."""
    return len(name) <= _MAX_LABEL_LENGTH and bool(_LABEL.match(name) or _group_of(name))


def _total_labels(body: pd.DataFrame, taken: Collection[int]) -> np.ndarray:
    labels = np.full(len(body), "", dtype=object)
    for column in free_columns(body, taken, _MAX_LABEL_COLUMNS):
        codes, distinct = pd.factorize(body[column])
        totals = np.array(
            [
                cell
                if len(cell) <= _MAX_LABEL_LENGTH
                and (is_total_label(cell) or _COMPOUND.fullmatch(cell))
                else ""
                for cell in distinct
            ],
            dtype=object,
        )
        if totals.any():
            labels = np.where(labels == "", totals[codes], labels)
    return labels


def _group_of(label: str) -> str:
    """Return what a label is the total of, such as “Nord” of “Nord total”; "" for another cell."""
    group, _, last = label.rpartition(" ")
    return group if TOTAL_LABEL.fullmatch(last) else ""


@dataclass(frozen=True)
class _PartRanges:
    """The ranges of parts from ``start`` to before ``stop``, one for each named row."""

    start: IntArray
    stop: IntArray


class _NamedTotals:
    """The rows that are named as totals, the named rows, with their values in one column.

    The other rows of a date may be the parts of its totals. Parts are counted through all dates,
    and ``_above`` has the number of parts that come before a named row:

        part 0    North shop     1
        part 1    North web      2
        named     North total    3    above: 2, since the last total: parts 0 and 1
        part 2    South shop     4
        named     South total    4    above: 3, since the last total: part 2
        named     Total          7    above: 3, all of the date: parts 0 to 2

    Args:
        values: The values of all rows, shape (n,).
        is_named: Which rows are named as totals.
        times: The dates of the rows.
    """

    def __init__(self, values: FloatArray, is_named: BoolArray, times: TimeArray) -> None:
        by_date = np.argsort(times, kind="stable")
        filled, is_part = np.nan_to_num(values)[by_date], ~is_named[by_date]
        is_first = np.append(True, np.diff(times[by_date]) != np.timedelta64(0))
        parts_before = np.append(0, np.cumsum(is_part))  # each row, and the end
        date_ends = np.append(parts_before[:-1][is_first], parts_before[-1])
        dates = (np.cumsum(is_first) - 1)[~is_part]
        self._rows = by_date[~is_part]
        self._values = filled[~is_part]
        self._is_known = np.isfinite(values)[self._rows]
        self._above = parts_before[:-1][~is_part]
        self._date = _PartRanges(date_ends[dates], date_ends[dates + 1])
        self._sums = np.append(0.0, np.cumsum(filled[is_part]))  # of the first parts
        self._half_unit = _half_unit(filled)

    def sum_fraction(self, has_label: BoolArray, *, of_all: bool) -> float | None:
        """Return the fraction of the rows of a label that are sums; None if none can be checked.

        ``of_all``: sums must be of all parts of their date.
        """
        # With one part, any value would be its sum.
        can_be_checked = self._is_known & (self._date.stop - self._date.start > 1)
        checked = has_label[self._rows] & can_be_checked
        is_sum = self._is_sum_of_all if of_all else self._is_any_sum
        return float(is_sum[checked].mean()) if checked.any() else None

    @cached_property
    def _is_sum_of_all(self) -> BoolArray:
        return self._are_sums_of(self._date)

    @cached_property
    def _is_any_sum(self) -> BoolArray:
        above_last_total = np.append(0, self._above[:-1])
        since = np.maximum(above_last_total, self._date.start)
        return (
            self._is_sum_of_all
            | self._are_sums_of(_PartRanges(since, self._above))
            | self._are_sums_of(_PartRanges(self._date.start, self._above))
        )

    def _are_sums_of(self, ranges: _PartRanges) -> BoolArray:
        counts = ranges.stop - ranges.start
        sums = self._sums[ranges.stop] - self._sums[ranges.start]
        tolerance = self._tolerance(self._values, counts)
        return (np.abs(sums - self._values) <= tolerance) & (counts > 0)

    def are_sums_of_sections(self, has_label: BoolArray) -> bool:
        """Return whether the rows of a label have the sums of the parts next to them.

        On each date, these must be the same number of parts above the row, or below it.
        """
        checked = np.flatnonzero(has_label[self._rows] & (self._values != 0))[:_MAX_DATES_CHECKED]
        if checked.size < _MIN_NONZERO_TOTALS:
            return False
        values, above = self._values[checked, None], self._above[checked, None]
        start, stop = self._date.start[checked, None], self._date.stop[checked, None]
        max_count = min(_MAX_SECTION_PARTS, int(np.max(np.maximum(above - start, stop - above))))
        counts = np.arange(1, max_count + 1)
        tolerance = self._tolerance(values, counts)
        are_similar = np.unique(values).size < _MIN_DISTINCT_TOTALS
        for direction in (-1, 1):
            ends = above + direction * counts
            is_inside = (start <= ends) & (ends <= stop)
            sums = direction * (self._sums[np.where(is_inside, ends, above)] - self._sums[above])
            is_sum = is_inside & (np.abs(sums - values) <= tolerance)
            if direction > 0 or are_similar:  # one part may be equal by chance
                is_sum = is_sum[:, 1:]
            if (is_sum.mean(axis=0) >= _MIN_SUM_FRACTION).any():
                return True
        return False

    def _tolerance(self, totals: FloatArray, counts: IntArray) -> FloatArray:
        """Return how far totals may be from the sums of rounded parts, by their counts."""
        sizes = np.abs(totals)
        rounding = np.minimum(self._half_unit * counts, _MAX_ROUNDING_FRACTION * sizes)
        return TOTAL_TOLERANCE_FRACTION * sizes + rounding


def _half_unit(values: FloatArray) -> float:
    """Return half of the last decimal of values, of which there are at most ``_MAX_DECIMALS``."""
    counts = range(_MAX_DECIMALS)
    decimals = (n for n in counts if np.allclose(values, values.round(n)))
    return float(0.5 * 10.0 ** -next(decimals, _MAX_DECIMALS))
