"""Marks after numbers: 12.3# and 101.4 (p), by which offices flag estimates, and percent signs."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from app.tables.dated_values import ValueColumn
from app.tables.header.heading import Heading
from app.tables.messages import list_first, list_rows, quote
from app.tables.numbers.parsing import (
    abbreviation_of,
    is_missing,
    is_numeric,
    is_plain,
    number_form,
    read_likely_numbers,
    unit_of,
)
from app.tables.reading import Reading
from app.tables.units.unit_letters import unit_in

# The letters that Eurostat and agencies of weather and water write: provisional, revised,
# estimated, break, confidential and the like.
_MARK = re.compile(
    r"(?<=[\d.,]) ?(\*{1,3}|[#†‡^]|\[\w{1,3}\]|\([a-zA-Z*#]{1,3}\)|[bcdefnpruz]{1,2}|[AEPR])$",
    re.ASCII,
)
_MAX_MARKED_FRACTION = 0.5  # if more of the distinct numbers have letters, these may be a unit
_MAX_MARKED_LENGTH = 40
_MAX_LISTED_MARKS = 5
# A number with a b that is within this factor of plain numbers is not in billions.
_MAX_FACTOR_OF_PLAIN = 3.0
_PERCENT = "%"
_PERCENT_FACTOR = 100.0
# A number without a percent sign is a share if it is far below the percentages, but not times 100.
_MAX_FACTOR_BEYOND = 2.0  # times 100, it is at most this far outside their range
_MIN_FACTOR_SMALLER = 5.0  # it is at least this many times below all of them


def strip_marks(heading: Heading, columns: Collection[int], reading: Reading) -> Heading:
    """Return the heading with columns whose numbers have no marks; report what was marked."""
    body = heading.body
    for column in columns:
        cells = body[column]
        marked = _find_marked(cells.unique().tolist())
        if marked:
            is_marked = cells.isin([*marked])
            name, marks_text = quote(heading.names[column]), _list_marks(cells[is_marked], marked)
            text = f"In {name}, numbers with a mark are read like the others: {marks_text}."
            reading.add_remark("marked_values", text, body.index[is_marked].tolist())
            body = body.copy() if body is heading.body else body
            body.loc[is_marked, column] = cells[is_marked].map(marked)
    return replace(heading, body=body)


def _list_marks(cells: pd.Series, marked: Mapping[str, str]) -> str:
    """Return how many numbers have which mark, such as ``5 with “(p)”``."""
    counts = Counter(cell.removeprefix(marked[cell]).strip() for cell in cells)
    count_texts = [f"{count:,} with {quote(mark)}" for mark, count in counts.most_common()]
    return list_first(count_texts, _MAX_LISTED_MARKS, str)


def _find_marked(cells: Sequence[str]) -> dict[str, str]:
    """Return the distinct cells of a column that have a mark, without it.

    Letters are marks if most numbers have none, and no other is a unit.
    """
    filled = [cell for cell in cells if not is_missing(cell)]
    others = [cell for cell in filled if not is_plain(cell) and len(cell) <= _MAX_MARKED_LENGTH]
    if not others or len(others) > _MAX_MARKED_FRACTION * len(filled):
        return {}
    marks = {cell: match for cell in others if (match := _MARK.search(cell))}
    has_units = any(cell not in marks and unit_in(cell) for cell in others)
    marked = {}
    for cell, match in marks.items():
        bare = cell[: match.start()]
        is_unit = match[1].isalpha() and (has_units or unit_of(cell) != "")
        if is_numeric(bare) and not is_unit:
            marked[cell] = bare
    billions = [cell for cell in marked if abbreviation_of(cell)]
    if billions and not _are_of_size([marked[cell] for cell in billions], filled):
        return {cell: bare for cell, bare in marked.items() if cell not in billions}
    return marked


def _are_of_size(numbers: Sequence[str], cells: Sequence[str]) -> bool:
    plain = _sizes_of([cell for cell in cells if is_plain(cell)])
    return bool(plain) and all(
        min(plain) / _MAX_FACTOR_OF_PLAIN <= size <= max(plain) * _MAX_FACTOR_OF_PLAIN
        for size in _sizes_of(numbers)
    )


def _sizes_of(cells: Sequence[str]) -> list[float]:
    numbers = read_likely_numbers(pd.Series(cells, dtype=object))
    return np.abs(numbers[np.isfinite(numbers) & (numbers != 0)]).tolist()


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
