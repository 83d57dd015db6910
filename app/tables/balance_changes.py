"""Find which amounts came in, and which went out, by the changes of a balance beside them."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from app.tables.dated_table import DatedTable
from app.tables.numbers import read_likely_numbers
from app.timeseries.types import FloatArray, IntArray

_MAX_COLUMNS = 10  # of numbers: a ledger has few, and all pairs of them are tried
_MAX_ROWS = 500  # that are compared to find the balance
_MIN_CHANGES, _MIN_DISTINCT = 5, 3  # of each direction; amounts
_MIN_FRACTION = 0.5  # of the rows: banks may order the bookings of a day by text or amount
_TOLERANCE = 1e-3  # sums of binary numbers are inexact


class BalanceChanges(NamedTuple):
    """A balance, and by which sign each row's amount changes it, 0 if its change is another.

    ``fraction``: that of the rows with a sign.
    """

    balance: int
    signs: IntArray
    fraction: float


def find_balance_changes(
    rows: DatedTable, amounts: Mapping[int, FloatArray], numeric: Collection[int]
) -> BalanceChanges | None:
    """Return the changes of the column that changes most often by an amount, up or down.

    ``amounts``: those of columns; ``numeric``: all columns of numbers.
    """
    if not 2 <= len(numeric) <= _MAX_COLUMNS:
        return None
    levels = {column: read_likely_numbers(rows.body[column]) for column in numeric}
    found = [
        (changes, amount)
        for amount in amounts
        for balance in numeric
        if balance != amount
        and (changes := _changes(rows, balance, levels, amounts[amount], _MAX_ROWS)) is not None
    ]
    if not found:
        return None
    best, amount = max(found, key=lambda pair: pair[0].fraction)
    return _changes(rows, best.balance, levels, amounts[amount], len(rows.times))


def _changes(
    rows: DatedTable,
    balance: int,
    levels: Mapping[int, FloatArray],
    amounts: FloatArray,
    count: int,
) -> BalanceChanges | None:
    """Return the changes of a balance in the first ``count`` rows; None if it is none."""
    level, amount, times = levels[balance][:count], amounts[:count], rows.times[:count]
    if np.unique(amount[np.isfinite(amount)]).size < _MIN_DISTINCT:
        return None
    best = None
    for direction in (1, -1):  # a file begins with its oldest or its newest row, and so may a day
        order = np.lexsort((direction * np.arange(times.size), times))
        change, changing = np.diff(level[order]), amount[order][1:]
        tolerance = _TOLERANCE + 1e-12 * np.abs(level[order][1:])
        is_own = (np.abs(np.abs(change) - np.abs(changing)) <= tolerance) & (changing != 0)
        signs = np.zeros(times.size, dtype=np.int64)
        signs[order[1:]] = np.where(is_own, np.sign(change * changing), 0)
        fraction = float(is_own.mean())
        if best is None or fraction > best.fraction:
            best = BalanceChanges(balance, signs, fraction)
    has_both = best is not None and min((best.signs > 0).sum(), (best.signs < 0).sum())
    if best is None or best.fraction < _MIN_FRACTION or has_both < _MIN_CHANGES:
        return None
    return best
