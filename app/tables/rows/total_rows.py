"""Find rows that are totals of other rows: of all, of rows above, or of a section."""

import re
from collections.abc import Collection
from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.numbers.parsing import is_numeric, read_likely_numbers
from app.tables.results import Reading
from app.tables.samples import free_columns, is_mostly
from app.tables.table import quote
from app.tables.words import JOINED_TOTAL, TOTAL
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import BoolArray, FloatArray

_MAX_PARTS = 100  # rows of a section
_MAX_DATES = 500  # that are looked at
_MIN_DATES = 3  # on which a total is not zero
_MIN_DIFFERENT = 5  # values of the total of a single row: two rows may be alike by chance
TOLERANCE = 1e-3  # of a total whose parts were rounded
_MAX_ROUNDING_FRACTION = 0.05  # of a total, that the rounding of its parts may make
_MAX_COLUMNS = 20  # on the left, where rows are named
_MAX_LABEL_LENGTH = 60
_MAX_TOTALS = 0.5  # of the rows
_MAX_DECIMALS = 6
_MAX_CHECKED = 50  # columns of numbers, one of which must show the sums
_MAX_LABELS = 200
_MIN_CHECKED_FRACTION = 0.9  # of dates
TOTAL_LABEL = re.compile(
    r"(?:(?:grand|overall|sub|sous|net|all)[ -]?)?(?:totals?|results?|sum)"
    r"|(?:gesamt|zwischen|end)?summe|(?:gesamt|teil)?ergebnis|total (?:g[ée]n[ée]ral|geral)"
    rf"|genel toplam|計|{TOTAL}|{JOINED_TOTAL}",
    re.IGNORECASE,
)

_LABEL = re.compile(rf"(?:{TOTAL_LABEL.pattern})(?:$|[\s:：])", re.IGNORECASE)
# Behind what it is the total of, such as “Kosten gesamt”, or in one word with it; of all.
_COMPOUND = re.compile(
    rf".*[\s:：_-](?:{TOTAL})|.*(?:{JOINED_TOTAL})[金数數]?[额額]?"
    r"|gesamt\w+|\w+summe|overall|(?:all|alle|tous|toutes|todos|todas|tutti|tutte) .+",
    re.IGNORECASE,
)


class _SumCheck(NamedTuple):
    """Which rows are sums of others of their date, or of all these; which can be checked."""

    is_any_sum: BoolArray
    is_sum_of_all: BoolArray
    is_checked: BoolArray


def find_totals(
    body: pd.DataFrame, times: TimeArray, taken: Collection[int], reading: Reading
) -> BoolArray:
    """Return which rows are totals of the other rows of their date; report them.

    A row named as a total is one if it has the sum of the rows above it, of the rows since the last
    total, or of all other rows. The total of something, such as “Total headcount”, must have the
    sum of all other rows, or of the same number of rows beside it on each date. Rows that are named
    as totals and have no such sum are kept and reported.
    """
    labels = _total_labels(body, taken)
    is_named = labels != ""
    none = np.zeros(len(body), dtype=bool)
    if not is_named.any() or is_named.sum() > _MAX_TOTALS * len(body):
        return none
    if pd.unique(labels[is_named]).size > _MAX_LABELS:
        return none
    numeric = (
        column
        for column in body
        if column not in taken and is_mostly(body[column][is_named].iloc[:50].tolist(), is_numeric)
    )
    columns = [read_likely_numbers(body[column]) for column in islice(numeric, _MAX_CHECKED)]
    checked = [_check_sums(values, is_named, times) for values in columns]
    sections = [
        _SectionSums(values, ~is_named, times, _half_unit(np.nan_to_num(values)))
        for values in columns
    ]
    rows = body.index.to_numpy()
    is_total = none
    for label in pd.unique(labels[is_named]).tolist():
        of_label = labels == label
        is_plain = TOTAL_LABEL.fullmatch(label) is not None or _group_of(label) != ""
        known = [
            (check.is_any_sum if is_plain else check.is_sum_of_all)[of_label & check.is_checked]
            for check in checked
        ]
        fractions = [part.mean() for part in known if part.size]
        listed = pd.unique(rows[of_label]).tolist()
        is_sum = bool(fractions) and max(fractions) >= _MIN_CHECKED_FRACTION
        if is_sum or any(sums.include(of_label) for sums in sections):
            is_total = is_total | of_label
            text = f"Left out {quote(label)}: a total of other rows."
            reading.add_remark("total", text, listed)
        elif fractions:
            text = f"{quote(label)} may be a total of other rows: it is read like these."
            reading.add_remark("total_kept", text, listed)
    return is_total


def is_total_label(name: str) -> bool:
    """Return whether a name says that something is a total."""
    return len(name) <= _MAX_LABEL_LENGTH and bool(_LABEL.match(name) or _group_of(name))


def _total_labels(body: pd.DataFrame, taken: Collection[int]) -> np.ndarray:
    """Return the cell of each row that names it a total, "" without one."""
    labels = np.full(len(body), "", dtype=object)
    for column in free_columns(body, taken, _MAX_COLUMNS):
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


def _check_sums(values: FloatArray, is_named: BoolArray, times: TimeArray) -> _SumCheck:
    order = np.argsort(times, kind="stable")
    value = np.nan_to_num(values)[order]
    named = is_named[order]
    time = times[order]
    sums = np.concatenate([[0.0], np.cumsum(np.where(named, 0.0, value))])
    at = np.arange(value.size)
    is_first = np.concatenate([[True], time[1:] != time[:-1]])
    start = np.maximum.accumulate(np.where(is_first, at, 0))
    ends = np.append(np.flatnonzero(is_first)[1:], value.size)
    end = ends[np.cumsum(is_first) - 1]
    last = np.concatenate([[0], np.maximum.accumulate(np.where(named, at + 1, 0))[:-1]])
    since = np.maximum(last, start)
    parts = np.concatenate([[0], np.cumsum(~named)])
    half_unit = _half_unit(value)
    are_sums = []
    for low, high in ((since, at), (start, at), (start, end)):
        rounding = half_unit * (parts[high] - parts[low])
        rounding = np.minimum(rounding, _MAX_ROUNDING_FRACTION * np.abs(value))
        tolerance = TOLERANCE * np.abs(value) + rounding
        are_sums.append((np.abs(sums[high] - sums[low] - value) <= tolerance) & (high > low))
    has_parts = parts[end] - parts[start] > 1  # with one other row any value would be its sum
    restored = np.argsort(order)
    is_checked = is_named & np.isfinite(values) & has_parts[restored]
    return _SumCheck(np.any(are_sums, axis=0)[restored], are_sums[-1][restored], is_checked)


def _half_unit(values: FloatArray) -> float:
    """Return by how much values are rounded, which have at most ``_MAX_DECIMALS`` decimals."""
    places = range(_MAX_DECIMALS)
    decimals = (n for n in places if np.allclose(values, values.round(n)))
    return float(0.5 * 10.0 ** -next(decimals, _MAX_DECIMALS))


class _SectionSums:
    """The sums of the sections of a table.

    Args:
        values: Those of the rows, shape (n,).
        is_part: Which rows can be parts of a total: those that are not named as one.
        times: The dates of the rows.
        half_unit: The rounding of each part.
    """

    def __init__(
        self, values: FloatArray, is_part: BoolArray, times: TimeArray, half_unit: float
    ) -> None:
        order = np.argsort(times, kind="stable")
        time = times[order]
        part = is_part[order]
        value = np.nan_to_num(values)[order]
        starts = np.flatnonzero(np.concatenate([[True], time[1:] != time[:-1]]))
        date = np.searchsorted(starts, np.arange(time.size), side="right") - 1
        parts_before = np.concatenate([[0], np.cumsum(part)])
        self._rows, self._values = order[~part], value[~part]
        self._at = parts_before[:-1][~part]
        self._first = parts_before[starts][date][~part]
        self._last = parts_before[np.append(starts[1:], time.size)][date][~part]
        self._sums = np.concatenate([[0.0], np.cumsum(value[part])])
        self._half_unit = half_unit

    def include(self, of_label: BoolArray) -> bool:
        """Return whether the rows of a label, shape (n,), are totals of sections."""
        checked = np.flatnonzero(of_label[self._rows] & (self._values != 0))[:_MAX_DATES]
        if checked.size < _MIN_DATES:
            return False
        values, at = self._values[checked, None], self._at[checked, None]
        first, last = self._first[checked, None], self._last[checked, None]
        most = min(_MAX_PARTS, int(np.max(np.maximum(at - first, last - at))))
        counts = np.arange(1, most + 1)
        rounding = np.minimum(self._half_unit * counts, _MAX_ROUNDING_FRACTION * np.abs(values))
        tolerance = TOLERANCE * np.abs(values) + rounding
        are_alike = np.unique(values).size < _MIN_DIFFERENT
        for sign in (-1, 1):
            ends = at + sign * counts
            is_inside = (first <= ends) & (ends <= last)
            sums = sign * (self._sums[np.where(is_inside, ends, at)] - self._sums[at])
            is_sum = is_inside & (np.abs(sums - values) <= tolerance)
            if sign > 0 or are_alike:
                is_sum = is_sum[:, 1:]
            if (is_sum.mean(axis=0) >= _MIN_CHECKED_FRACTION).any():
                return True
        return False
