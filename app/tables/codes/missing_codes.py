"""Numbers that stand for missing values, such as -999 in the files of weather services."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from app.tables.dated_values import ValueColumn
from app.tables.messages import list_first, quote
from app.tables.reading import Reading
from app.timeseries.types import FloatArray, IntArray

_NINES = re.compile(r"-?9+(?:\.9+)?", re.ASCII)
_CODE = re.compile(r"-9{3,}(?:[.,]0+)?|-9{2,}[.,]9+", re.ASCII)
# The limits of integers of 16 and 32 bits, and a thermometer with a fault: they are like nines.
_SENTINELS = {-127, -32_768, -32_767, -2_147_483_648}
_MIN_NINES = 3  # -99 may be a value; -999 hardly is
_MIN_REPEATED = 2  # one 9999 may be a slip; several are a code
_MIN_OTHERS = 10  # with fewer other values, nothing is clearly far from them
_MAX_NAMED_COLUMNS = 3


def are_missing_codes(cells: Iterable[str]) -> bool:
    """Return whether a column has nothing but one negative code: it has no values."""
    filled = {cell for cell in cells if cell}
    return len(filled) == 1 and _CODE.fullmatch(next(iter(filled))) is not None


def drop_missing_codes(
    columns: Sequence[ValueColumn], rows: IntArray, reading: Reading
) -> list[ValueColumn]:
    """Return columns with NaN for numbers that stand for missing values, and report these.

    ``rows``: the numbers of the rows in the file, shape (n,).
    """
    is_dropped = np.zeros(rows.size, dtype=bool)
    codes = set[float]()
    names = list[str]()
    kept = []
    for column in columns:
        of_column = _missing_codes(column.values)
        if of_column:
            is_code = np.isin(column.values, of_column)
            kept.append(replace(column, values=np.where(is_code, np.nan, column.values)))
            is_dropped |= is_code
            codes.update(of_column)
            names.append(column.name)
        else:
            kept.append(column)
    if codes:
        codes_text = ", ".join(f"{code:g}" for code in sorted(codes))
        names_text = list_first(names, _MAX_NAMED_COLUMNS, quote, " columns")
        text = f"{codes_text} in {names_text}: far from all other values, so read as missing."
        reading.add_remark("missing_code", text, rows[is_dropped].tolist())
    return kept


def _missing_codes(values: FloatArray) -> list[float]:
    """Return the sentinel values: numbers of nines that are farther away than the others' range.

    A nearer negative one, such as a refund of 999, counts only if it is repeated and no other value
    is negative. A positive one must be repeated and have four digits, as 999 may be a price.
    """
    distinct, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    first, last = 0, distinct.size
    while first < last and distinct[first] < 0 and _count_nines(distinct[first]) >= _MIN_NINES:
        first += 1
    while first < last and distinct[last - 1] > 0 and _count_nines(distinct[last - 1]) > _MIN_NINES:
        last -= 1
    if last - first == distinct.size or counts[first:last].sum() < _MIN_OTHERS:
        return []
    low, high = distinct[first], distinct[last - 1]
    is_far = np.maximum(low - distinct, distinct - high) > high - low
    is_repeated = counts >= _MIN_REPEATED
    is_code = is_far & is_repeated
    is_code[:first] = is_far[:first] | ((low >= 0) & is_repeated[:first])
    return [float(code) for code in distinct[is_code]]


def _count_nines(number: float) -> int:
    """Return the number of nines of a code for missing values, 0 for another number.

    A code is a number of nines on its own, such as -99.9, or the least integer that loggers store,
    which counts as if it had just enough.
    """
    if number in _SENTINELS:
        return _MIN_NINES
    digits = f"{number:.12g}"
    return digits.count("9") if _NINES.fullmatch(digits) else 0
