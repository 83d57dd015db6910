"""A table whose rows have dates."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd

from app.tables.dates.columns.date_columns import DateColumns
from app.tables.dates.rows import RowDates
from app.tables.header.heading import Heading
from app.tables.table import Table
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import BoolArray, IntArray


@dataclass(frozen=True)
class DatedTable:
    """A table with columns of dates, and which of its rows count.

    Attributes:
        row_dates: The dates of all rows of ``heading.body``, shape (n,).
        is_counted: Whether a row has a date and is not left out, shape (n,).
    """

    table: Table
    heading: Heading
    dates: DateColumns
    row_dates: RowDates
    is_counted: BoolArray

    @cached_property
    def body(self) -> pd.DataFrame:
        """The rows that count."""
        return self.heading.body[self.is_counted]

    @cached_property
    def times(self) -> TimeArray:
        """The times of the rows that count."""
        return self.row_dates.times[self.is_counted]

    def with_body(self, body: pd.DataFrame) -> Self:
        """Return the table with other cells in its rows."""
        return replace(self, heading=replace(self.heading, body=body))

    def without(self, is_left_out: BoolArray) -> Self:
        """Return the table without some of the rows that count."""
        is_counted = self.is_counted.copy()
        is_counted[is_counted] = ~is_left_out
        return replace(self, is_counted=is_counted)


def row_orders(times: TimeArray, codes: IntArray) -> dict[int, IntArray]:
    """Return the possible orders of the rows, by the series ``codes`` and by time.

    A file may have its oldest or its newest row first, and so may each day in it: 1 is the order in
    which the rows of a day stay as they are, -1 that in which they are reversed.
    """
    directions = (1,) if pd.Index(times).is_unique else (1, -1)
    positions = np.arange(times.size)
    return {sign: np.lexsort((sign * positions, times, codes)) for sign in directions}
