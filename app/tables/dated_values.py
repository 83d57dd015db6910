"""The rows of a table with dates, and the series made of them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.numbers import NumberForm
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import FloatArray, IntArray


@dataclass(frozen=True)
class ValueColumn:
    """A column of a table: its numbers, shape (n,), NaN where there is none, and their notation.

    ``closing_order``: of a running balance, 1 if the last of several rows of a date has the closing
    one, -1 if the first has it; 0 of other columns, which add up.
    """

    index: int
    name: str
    values: FloatArray
    form: NumberForm
    closing_order: int = 0


@dataclass(frozen=True)
class DatedValues:
    """Dated rows, shape (n,) each, in the order of the file.

    ``names``: the series of each row, "" if the table has no names. ``adds_up``: whether all series
    are summed by date.
    """

    times: TimeArray
    suffix: str
    rows: IntArray
    names: np.ndarray
    columns: list[ValueColumn]
    adds_up: bool = False

    @property
    def fields(self) -> list[str]:
        """Unique names for the columns in a data frame."""
        return [f"value {position}" for position in range(len(self.columns))]


class Entry(NamedTuple):
    """The values of one series by time, NaN where the table has a date without a value.

    ``substitutes`` replace sums that some of the summed series lack. ``row_name``: the name in its
    rows, "" without one.
    """

    name: str
    column: ValueColumn
    values: pd.Series
    substitutes: pd.Series | None = None
    row_name: str = ""
