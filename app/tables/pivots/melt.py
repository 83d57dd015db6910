"""Unpivot a table: one row for each period and name."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from app.tables.codes.key_names import is_named_code, is_named_thing
from app.tables.dates.cells import is_written_date
from app.tables.dates.columns.sample import is_date_name
from app.tables.dates.year_labels import join_years
from app.tables.numbers.parsing import is_missing, is_numeric, without_missing
from app.tables.pivots.period_header import PivotHeader
from app.tables.reading import Reading
from app.tables.table import Table, check_size, is_mostly
from app.tables.values.row_numbers import have_one_length
from app.timeseries.types import IntArray

_MIN_KEY_DIGITS = 3
_NO_COLUMN = -1  # of a measure that a period lacks
_KIND_COLUMN = "kind"  # the name of a column of labels such as actual and forecast


@dataclass(frozen=True)
class Pivot:
    """Where the periods of a pivot are.

    Attributes:
        row: The index of the row with the periods.
        across: The columns of the periods.
        down: The column with the other part of the dates, None if the periods are whole dates.
        are_years: Whether the periods are years, and months or the like are down.
        join: Joins labels and periods to dates, None for years and their parts.
        header: The other rows of the header, if there are any.
    """

    row: int
    across: list[int]
    down: int | None
    are_years: bool = False
    join: Callable[[pd.Series, pd.Series], pd.Series] | None = None
    header: PivotHeader | None = None

    @property
    def first(self) -> int:
        """The index of the first row with values."""
        return self.row + 1 + (self.header.rows_below if self.header else 0)


class FoundPivot(NamedTuple):
    """A pivot, and the table with dates as it needs them."""

    table: Table
    pivot: Pivot


class CellKind(Enum):
    """The content of a cell below a row of periods."""

    MISSING = 0
    NUMBER = 1
    OTHER = 2


def kind_of_cell(cell: str) -> CellKind:
    if is_missing(cell):
        return CellKind.MISSING
    is_number = is_numeric(cell) and not is_written_date(cell)
    return CellKind.NUMBER if is_number else CellKind.OTHER


def has_values(cells: Iterable[str], kind_of: Callable[[str], CellKind] = kind_of_cell) -> bool:
    """Return whether there are numbers and nothing else."""
    kinds = set(map(kind_of, set(cells)))
    return CellKind.NUMBER in kinds and CellKind.OTHER not in kinds


def are_numbers(cells: Iterable[str]) -> bool:
    """Return whether most cells with values are numbers, and none is a date."""
    filled = without_missing(cells)
    return is_mostly(filled, is_numeric) and not any(map(is_written_date, filled))


def other_columns(taken: Collection[int | None], width: int) -> Iterator[int]:
    taken_columns = {*taken}
    return (i for i in range(width) if i not in taken_columns)


@dataclass(frozen=True)
class _MeltedValues:
    """The n values of a pivot, one for each of some rows and periods.

    Attributes:
        rows: The rows of the pivot.
        period_columns: One column of each period.
        row_indices: The index of each value's row, shape (n,).
        period_indices: The index of each value's period, shape (n,).
        by_measure: The values of each measure, shape (n,).
    """

    rows: pd.DataFrame
    period_columns: list[int]
    row_indices: IntArray
    period_indices: IntArray
    by_measure: dict[str, np.ndarray]

    def cells_down(self, column: int) -> pd.Series:
        """Return the cell that each value's row has in a column."""
        cells = self.rows[column].to_numpy()[self.row_indices]
        return pd.Series(cells, index=self.rows.index[self.row_indices])

    def labels_across(self, labels: Sequence[str]) -> pd.Series:
        """Return the label of each value's period, out of one label per column of the pivot."""
        of_periods = np.array([labels[i] for i in self.period_columns], dtype=object)
        return pd.Series(of_periods[self.period_indices], index=self.rows.index[self.row_indices])


def melt_pivot(table: Table, pivot: Pivot, reading: Reading, *, has_gaps: bool) -> Table:
    """Return the long table of a pivot; with ``has_gaps`` its empty cells are rows, too."""
    top = pivot.header
    header = top.periods if top else table.cells.iloc[pivot.row].tolist()
    cells = table.cells.iloc[pivot.first :]
    check_size(len(cells), len(pivot.across))
    others = _names_beside(cells, pivot, header, reading)
    names = [i for i in others if (cells[i] != "").any()]
    across = pivot.across
    if has_gaps:
        is_filled = (cells[across] != "").to_numpy()
        cells = _fill_groups(cells[is_filled.any(axis=1)], names)
        across = _without_empty_ends(across, is_filled.any(axis=0))
    measures = top.measures(across) if top else []
    blocks = _value_blocks(across, header, top, measures)
    melted = _melt_values(cells, blocks, has_gaps=has_gaps, are_years=pivot.are_years)
    dates = _dates_of(melted, pivot, header, reading)
    labels = [(header[i] or (top.labels[i] if top else ""), melted.cells_down(i)) for i in names]
    if top and not measures and len({top.labels[i] for i in across}) > 1:
        labels.append((_KIND_COLUMN, melted.labels_across(top.labels)))
    name_of_row = " ".join(cells[i].iloc[0] for i in names) if len(cells) == 1 else ""
    corner = header[pivot.down] if pivot.down is not None else ""
    if corner and not (measures or name_of_row or is_date_name(corner)):
        corner, name_of_row = "", corner  # what is counted, above the years
    columns = [
        (corner or "date", dates),
        *labels,
        *(
            (measure or name_of_row or "value", pd.Series(values, dates.index))
            for measure, values in melted.by_measure.items()
        ),
    ]
    return replace(table, cells=_stack_columns(columns, table.cells.index[pivot.row]))


def _stack_columns(columns: Sequence[tuple[str, pd.Series]], header: int) -> pd.DataFrame:
    body = pd.concat([column for _, column in columns], axis=1)
    body.columns = range(len(columns))
    return pd.concat([pd.DataFrame([[name for name, _ in columns]], index=[header]), body])


def _melt_values(
    cells: pd.DataFrame, blocks: dict[str, list[int]], *, has_gaps: bool, are_years: bool
) -> _MeltedValues:
    order: Literal["C", "F"] = "F" if are_years else "C"  # else a row's values stay together
    shape = len(cells), len(next(iter(blocks.values())))
    rows, periods = (indices.ravel(order) for indices in np.indices(shape))
    padded = cells.copy()
    padded[_NO_COLUMN] = ""
    values = {name: padded[block].to_numpy().ravel(order) for name, block in blocks.items()}
    if not has_gaps:
        is_kept = np.any([column != "" for column in values.values()], axis=0)
        rows, periods = rows[is_kept], periods[is_kept]
        values = {name: column[is_kept] for name, column in values.items()}
    of_periods = zip(*blocks.values(), strict=True)
    period_columns = [next(i for i in group if i != _NO_COLUMN) for group in of_periods]
    return _MeltedValues(cells, period_columns, rows, periods, values)


def _dates_of(
    melted: _MeltedValues, pivot: Pivot, header: Sequence[str], reading: Reading
) -> pd.Series:
    """Return the date of each value: its period, or that joined with a label of its row."""
    periods = melted.labels_across(header)
    if pivot.down is None:
        return periods
    labels = melted.cells_down(pivot.down)
    if pivot.join:
        return pivot.join(labels, periods)
    years, parts = (periods, labels) if pivot.are_years else (labels, periods)
    below = [*dict.fromkeys(melted.rows[pivot.down])]
    order = below if pivot.are_years else [header[i] for i in melted.period_columns]
    return join_years(years, parts, reading, parts_first=pivot.are_years, part_order=order)


def _value_blocks(
    across: Sequence[int], header: Sequence[str], top: PivotHeader | None, measures: Sequence[str]
) -> dict[str, list[int]]:
    """Return the columns of each measure, one for each period; without measures, all columns."""
    if top is None or not measures:
        return {"": [*across]}
    columns = {(header[i], top.labels[i]): i for i in across}
    periods = dict.fromkeys(header[i] for i in across)
    return {
        name: [columns.get((period, name), _NO_COLUMN) for period in periods] for name in measures
    }


def _fill_groups(cells: pd.DataFrame, names: Sequence[int]) -> pd.DataFrame:
    """Return rows with the name of a group in each of them, if another name is after it."""
    filled = cells
    for position, column in enumerate(names[:-1]):
        is_empty = (filled[column] == "").to_numpy()
        is_named = (filled[[*names[position + 1 :]]] != "").any(axis=1).to_numpy()
        if is_empty.any() and not is_empty[0] and is_named[is_empty].all():
            filled = filled.copy()
            filled[column] = filled[column].where(~is_empty).ffill()
    return filled


def _without_empty_ends(columns: Sequence[int], is_filled: np.ndarray) -> list[int]:
    filled = np.flatnonzero(is_filled)
    return [*columns[int(filled[0]) : int(filled[-1]) + 1]] if filled.size else [*columns]


def _names_beside(
    cells: pd.DataFrame, pivot: Pivot, header: Sequence[str], reading: Reading
) -> list[int]:
    """Return the columns next to the periods that have no numbers; report columns with numbers.

    A single one that names the rows, such as the numbers of shops, is returned.
    """
    others = list(other_columns((*pivot.across, pivot.down), len(header)))
    left_out = [i for i in others if has_values(cells[i])]
    has_names = any((cells[i] != "").any() for i in others if i not in left_out)
    keys = [i for i in left_out if _are_keys(header[i], cells[i])]
    if pivot.down is None and not has_names:
        left_out = [i for i in left_out if i not in keys[:1]]
    if left_out:
        names_text = ", ".join([*dict.fromkeys(header[i] or f"column {i + 1}" for i in left_out)])
        reading.add_remark("column_left_out", f"Left out, beside the periods: {names_text}.")
    return [i for i in others if i not in left_out]


def _are_keys(name: str, cells: pd.Series) -> bool:
    if not cells.is_unique:
        return False
    has_numbers = len(cells) > 1 and have_one_length(cells.to_numpy(), _MIN_KEY_DIGITS)
    return has_numbers or is_named_thing(name) or is_named_code(name)
