"""Find which amounts came in, and which went out, by the changes of their balance."""

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from app.tables.dated_table import DatedTable, row_orders
from app.tables.numbers.parsing import read_likely_numbers
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import FloatArray, IntArray

_MAX_NUMBER_COLUMNS = 10  # a ledger has few, and all pairs of them are tried
_MAX_COMPARED_ROWS = 500
_MIN_CHANGES_EACH_WAY = 5  # a balance must rise this often by an amount, and fall as often
_MIN_DISTINCT_AMOUNTS = 3
# An amount is the change of the balance in at least this fraction of the rows: banks may order the
# bookings of a day by text or amount.
_MIN_EXPLAINED_FRACTION = 0.5
_TOLERANCE = 1e-3  # sums of binary numbers are inexact


class BalanceChanges(NamedTuple):
    """The columns of a balance and of amounts, and the sign of each row's amount in the balance.

    The sign is 0 if the balance did not change by the amount; ``fraction`` of the rows have one.
    """

    balance: int
    amount: int
    signs: IntArray
    fraction: float


def find_balance_changes(
    dated_table: DatedTable, amounts: Collection[int], numeric: Collection[int]
) -> BalanceChanges | None:
    """Return the changes of the column that changes most often by an amount, up or down.

    ``amounts`` are the columns that may have the amounts, ``numeric`` all columns of numbers.
    """
    if not 2 <= len(numeric) <= _MAX_NUMBER_COLUMNS:
        return None
    levels = {column: read_likely_numbers(dated_table.body[column]) for column in numeric}
    fitting = [
        changes
        for balance, amount in product(numeric, amounts)
        if balance != amount
        for changes in _find_changes(
            dated_table.times[:_MAX_COMPARED_ROWS], (balance, amount), levels
        )
    ]
    if not fitting:
        return None
    best = max(fitting, key=lambda changes: changes.fraction)
    all_rows = _find_changes(dated_table.times, (best.balance, best.amount), levels)
    return max(all_rows, key=lambda changes: changes.fraction, default=None)


def _find_changes(
    times: TimeArray, columns: tuple[int, int], levels: Mapping[int, FloatArray]
) -> Iterator[BalanceChanges]:
    """Yield the changes of a balance, for both orders in which a file may have a day's rows."""
    level, amount = (levels[column][: times.size] for column in columns)
    if np.unique(amount[np.isfinite(amount)]).size < _MIN_DISTINCT_AMOUNTS:
        return
    for order in row_orders(times, np.zeros(times.size, dtype=np.int64)).values():
        change, changing = np.diff(level[order]), amount[order][1:]
        tolerance = _TOLERANCE + 1e-12 * np.abs(level[order][1:])
        is_own = (np.abs(np.abs(change) - np.abs(changing)) <= tolerance) & (changing != 0)
        signs = np.zeros(times.size, dtype=np.int64)
        signs[order[1:]] = np.where(is_own, np.sign(change * changing), 0)
        fraction = float(is_own.mean())
        has_both = min((signs > 0).sum(), (signs < 0).sum()) >= _MIN_CHANGES_EACH_WAY
        if fraction >= _MIN_EXPLAINED_FRACTION and has_both:
            yield BalanceChanges(*columns, signs, fraction)
