"""Find readings of counters, such as meters, which only grow: they do not add up."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from app.tables.answers import Summary
from app.tables.dated_table import DatedTable, row_orders
from app.tables.dated_values import ValueColumn
from app.tables.results import Reading
from app.tables.table import quote
from app.tables.values.summary import named_summary
from app.timeseries.types import FloatArray, IntArray

# A counter has at least this many values; a column that is named like one needs fewer.
_MIN_VALUES, _MIN_NAMED_VALUES = 50, 5
# Fraction of the steps of a named counter that may be negative: a meter is replaced, or begins
# again at zero.
_MAX_FALL_FRACTION = 0.1
_MIN_DISTINCT_STEPS = 5  # Numbers that grow by the same step may be anything.
_COUNTER_NAME = re.compile(
    r"(?:z[äa]hler|kilometer|meter)[ -]?st[aä]nd|meter[ _]?reading|odometer|kumul|cumul|acumulad"
    r"|progressiv[oa]|relev[ée]|lectura|lettura|stan licznika|累[计計積积]",
    re.IGNORECASE,
)


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
            not column.closing_order
            and named_summary(column.name, column.unit) is not Summary.AVERAGE
        )
        signs_that_fit = (
            sign
            for sign, order in orders.items()
            if is_likely and _only_grow(levels[order], codes[order], column.name)
        )
        closing_order = next(signs_that_fit, column.closing_order)
        is_counter = closing_order != column.closing_order
        marked.append(replace(column, closing_order=closing_order, is_counter=is_counter))
        if is_counter:
            what = f"{quote(column.name)} only grows, as the readings of a meter do"
            remedy = "for what is added from date to date, send the differences"
            reading.add_remark("counter", f"{what}: {remedy}.")
    return marked


def _only_grow(levels: FloatArray, codes: IntArray, name: str) -> bool:
    """Return whether no series falls, and steps differ; a column named like a counter may fall."""
    is_known = np.isfinite(levels)
    readings, codes = levels[is_known], codes[is_known]
    is_named = _COUNTER_NAME.search(name) is not None
    min_values = _MIN_NAMED_VALUES if is_named else _MIN_VALUES
    if readings.size < min_values * np.unique(codes).size:
        return False
    steps = np.diff(readings)[codes[1:] == codes[:-1]]
    grown = steps[steps > 0]
    return bool(
        np.count_nonzero(steps < 0) <= (_MAX_FALL_FRACTION if is_named else 0) * steps.size
        and 2 * grown.size > steps.size
        and np.unique(grown.round(6)).size >= min(_MIN_DISTINCT_STEPS, min_values - 1)
    )
