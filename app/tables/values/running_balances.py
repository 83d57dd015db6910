"""Find balances of accounts and readings of meters, which do not add up from row to row."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from app.tables.answers import DecimalMark, Summary
from app.tables.dated_table import DatedTable, row_orders
from app.tables.dated_values import ValueColumn
from app.tables.messages import quote
from app.tables.numbers.parsing import read_likely_numbers, read_numbers
from app.tables.reading import Reading
from app.tables.values.summary import summary_by_name
from app.timeseries.types import FloatArray, IntArray

_MAX_COLUMNS = 10  # a ledger has few columns of numbers, and all pairs of them are tried
_MAX_ROWS = 500  # only this many rows are compared
_MIN_CHANGES = 5
_MIN_DISTINCT_CHANGES = 3
_MIN_FRACTION = 0.9  # a balance changes by the amount of the row in this fraction of the rows
# The same for a column that is named a balance: banks may order the bookings of a day by text or
# amount.
_MIN_NAMED_FRACTION = 0.5
BALANCE_NAME = re.compile(r"\b(?:saldo|solde|balance|kontostand)\b", re.IGNORECASE)
_CENT = 0.01
_UNIT_FRACTION = 0.1  # sums of binary numbers are inexact by less than this fraction of a digit
_MIN_COUNTER_VALUES = 50
_MIN_NAMED_VALUES = 5  # of a column that is named like a counter
# Fraction of the steps of a named counter that may be negative: a meter is replaced, or begins
# again at zero.
_MAX_FALL_FRACTION = 0.1
_MIN_DISTINCT_STEPS = 5  # numbers that grow by the same step may be anything
_COUNTER_NAME = re.compile(
    r"(?:z[äa]hler|kilometer|meter)[ -]?st[aä]nd|meter[ _]?reading|odometer|kumul|cumul|acumulad"
    r"|progressiv[oa]|relev[ée]|lectura|lettura|stan licznika|累[计計積积]",
    re.IGNORECASE,
)


def mark_running_balances(
    values: list[ValueColumn], numeric: Sequence[int], dated_table: DatedTable, names: np.ndarray
) -> list[ValueColumn]:
    """Return columns with the ``closing_order`` of those that are running balances.

    A balance changes from row to row by the amount in another column, or by the difference of two,
    such as credit and debit.
    ``numeric`` are all columns of numbers, ``names`` the names of the rows' series.
    """
    if not 2 <= len(numeric) <= _MAX_COLUMNS:
        return values
    top, times = dated_table.body.iloc[:_MAX_ROWS], dated_table.times[:_MAX_ROWS]
    codes = pd.factorize(names[:_MAX_ROWS])[0]
    orders = row_orders(times, codes)
    marked = []
    for column in values:
        levels = column.values[dated_table.is_counted][:_MAX_ROWS]
        others = [read_numbers(top[i], column.form.decimal) for i in numeric if i != column.index]
        unit = 10.0**-column.form.decimals
        min_fraction = _MIN_NAMED_FRACTION if BALANCE_NAME.search(column.name) else _MIN_FRACTION
        fitting = (
            sign
            for sign, order in orders.items()
            if _are_sums(
                levels[order], [other[order] for other in others], codes[order], unit, min_fraction
            )
        )
        marked.append(replace(column, closing_order=next(fitting, 0)))
    return marked


def closing_values(values: pd.Series, rows: IntArray, closing_order: int) -> pd.Series:
    """Return the last value of each time of a series; ``rows`` are their numbers in the file."""
    order = np.lexsort((closing_order * rows, values.index))
    return values.iloc[order].groupby(level=0).last()


def report_running_balances(
    columns: Sequence[ValueColumn], reading: Reading, *, is_carried: bool = False
) -> None:
    """Say which columns are not added up, and ``is_carried`` forward."""
    end = ", also in periods without a row." if is_carried else "."
    for column in columns:
        trait = "only grows" if column.is_counter else "is a running balance"
        text = f"{quote(column.name)} {trait}: it is not added up, its last value counts{end}"
        if column.is_balance and all(remark.remark != text for remark in reading.remarks):
            reading.add_remark("running_balance", text)


def are_balances(columns: Sequence[ValueColumn]) -> bool:
    return all(column.is_balance for column in columns)


def with_balances(text: str, columns: Sequence[ValueColumn]) -> str:
    """Add what running balances among ``columns`` have to a text about totals."""
    names = [f"{quote(column.name)}" for column in columns if column.is_balance]
    return f"{text}; of {' and '.join(names)} the last" if names else text


def is_balance(cells: pd.Series, others: Sequence[pd.Series]) -> bool:
    """Return whether numbers, from the first or the last row on, change by one of the others."""
    if not 0 < len(others) < _MAX_COLUMNS:
        return False
    columns = (column.iloc[:_MAX_ROWS] for column in (cells, *others))
    levels, *amounts = (read_numbers(column, DecimalMark.POINT) for column in columns)
    return _are_sums_either_way(levels, amounts, np.zeros(levels.size, dtype=np.int64), 1.0)


def has_running_balance(columns: Sequence[pd.Series], codes: IntArray) -> bool:
    """Return whether a column is the balance of each account, from the first or the last row on.

    ``codes`` number the accounts of the rows.
    """
    if not 2 <= len(columns) <= _MAX_COLUMNS:
        return False
    order = np.argsort(codes[:_MAX_ROWS], kind="stable")
    numbers = [read_likely_numbers(column.iloc[:_MAX_ROWS])[order] for column in columns]
    accounts = codes[:_MAX_ROWS][order]
    return any(
        _are_sums_either_way(levels, [n for n in numbers if n is not levels], accounts, _CENT)
        for levels in numbers
    )


def _are_sums_either_way(
    levels: FloatArray, others: Sequence[FloatArray], codes: IntArray, unit: float
) -> bool:
    """Return whether levels change by the amounts of others, from the first row or the last on."""
    return any(
        _are_sums(levels[::step], [other[::step] for other in others], codes[::step], unit)
        for step in (1, -1)
    )


def _are_sums(
    levels: FloatArray,
    others: Sequence[FloatArray],
    codes: np.ndarray,
    unit: float,
    min_fraction: float = _MIN_FRACTION,
) -> bool:
    """Return whether levels change by the amounts of other columns in most rows.

    Args:
        levels: The levels, which may be a balance.
        others: The other columns of numbers.
        codes: The number of each row's account.
        unit: The value of a 1 in the last digit.
        min_fraction: The fraction of rows that are most.
    """
    changes = np.diff(levels)
    is_known = np.isfinite(changes) & (codes[1:] == codes[:-1])
    known_changes = changes[is_known]
    moved = known_changes[np.abs(known_changes) > _UNIT_FRACTION * unit]
    if moved.size < _MIN_CHANGES or np.unique(moved.round(6)).size < _MIN_DISTINCT_CHANGES:
        return False
    tolerance = _UNIT_FRACTION * unit + 1e-12 * np.abs(levels[1:][is_known])
    return any(
        (np.abs(known_changes - amounts[1:][is_known]) <= tolerance).mean() >= min_fraction
        for amounts in _possible_amounts(others)
    )


def _possible_amounts(others: Sequence[FloatArray]) -> Iterator[FloatArray]:
    filled = [np.nan_to_num(other) for other in others]
    for amounts in filled:
        yield from (amounts, -amounts)
    for first, second in combinations(filled, 2):
        yield from (first - second, second - first, first + second)


def mark_counters(
    values: Sequence[ValueColumn], dated_table: DatedTable, names: np.ndarray, reading: Reading
) -> list[ValueColumn]:
    """Return columns with the ``closing_order`` of those that never fall, and report these.

    ``names`` has the name of each row's series. Columns that are averaged are left as they are.
    """
    codes = pd.factorize(names)[0]
    orders = row_orders(dated_table.times, codes)
    marked = []
    for column in values:
        levels = column.values[dated_table.is_counted]
        is_likely = (
            not column.is_balance
            and summary_by_name(column.name, column.unit) is not Summary.AVERAGE
        )
        fitting = (
            sign
            for sign, order in orders.items()
            if is_likely and _only_grow(levels[order], codes[order], column.name)
        )
        sign = next(fitting, 0)
        marked.append(replace(column, closing_order=sign, is_counter=True) if sign else column)
        if sign:
            trait = f"{quote(column.name)} only grows, as the readings of a meter do"
            remedy = "for what is added from date to date, send the differences"
            reading.add_remark("counter", f"{trait}: {remedy}.")
    return marked


def _only_grow(levels: FloatArray, codes: IntArray, name: str) -> bool:
    """Return whether no series falls, and steps differ; a column named like a counter may fall."""
    is_known = np.isfinite(levels)
    readings, codes = levels[is_known], codes[is_known]
    is_named = _COUNTER_NAME.search(name) is not None
    min_values = _MIN_NAMED_VALUES if is_named else _MIN_COUNTER_VALUES
    if readings.size < min_values * np.unique(codes).size:
        return False
    steps = np.diff(readings)[codes[1:] == codes[:-1]]
    grown = steps[steps > 0]
    return bool(
        np.count_nonzero(steps < 0) <= (_MAX_FALL_FRACTION if is_named else 0) * steps.size
        and 2 * grown.size > steps.size
        and np.unique(grown.round(6)).size >= min(_MIN_DISTINCT_STEPS, min_values - 1)
    )
