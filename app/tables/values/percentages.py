"""Shares such as 0.038 among percentages such as 4.5 %."""

from dataclasses import replace

import numpy as np
import pandas as pd

from app.tables.dated_values import ValueColumn
from app.tables.messages import list_rows, quote
from app.tables.numbers.parsing import number_form
from app.tables.reading import Reading

_PERCENT = "%"
_PERCENT_FACTOR = 100.0
# A number without a percent sign is a share if it is far below the percentages, but not times 100.
_MAX_FACTOR_BEYOND = 2.0  # times 100, it is at most this far outside their range
_MIN_FACTOR_SMALLER = 5.0  # it is at least this many times below all of them


def read_shares(column: ValueColumn, cells: pd.Series, reading: Reading) -> ValueColumn:
    """Return a column of percentages with its shares as percentages, and report these.

    ``cells`` are those of the column, shape (n,).
    """
    if _PERCENT not in column.form.before + column.form.after:
        return column
    sizes = np.abs(column.values)
    has_sign = cells.str.contains(_PERCENT, regex=False).to_numpy(dtype=bool)
    signed = sizes[has_sign & (sizes > 0)]
    if not signed.size:
        return column
    low, high = signed.min(), signed.max()
    is_share = ~has_sign & (sizes > 0) & (sizes * _MIN_FACTOR_SMALLER <= low)
    is_share &= (low <= sizes * _PERCENT_FACTOR * _MAX_FACTOR_BEYOND) & (
        sizes * _PERCENT_FACTOR <= high * _MAX_FACTOR_BEYOND
    )
    if not is_share.any():
        return column
    values = np.where(is_share, column.values * _PERCENT_FACTOR, column.values)
    first = int(np.flatnonzero(is_share)[0])
    rows = cells.index[is_share].tolist()
    reading_text = f"“{cells.iloc[first]}” is read as {values[first]:.10g} %"
    rows_text = f"{list_rows(rows, reading)} in {quote(column.name)}"
    reading.add_remark("share", f"Without a percent sign: {rows_text}; {reading_text}.", rows)
    others = number_form(cells[~is_share].tolist(), column.form.decimal)
    return replace(column, values=values, form=replace(column.form, decimals=others.decimals))
