"""The rows of a table with dates, and the series made of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

import numpy as np
import pandas as pd

from app.tables.numbers.parsing import NumberForm
from app.tables.workbooks.number_formats import currency_of
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import FloatArray, IntArray


@dataclass(frozen=True)
class ValueColumn:
    """A column of numbers of a table.

    Attributes:
        values: Its numbers, shape (n,), NaN where there is none.
        form: How its numbers are written.
        closing_order: Of a running balance, 1 if the last of several rows of a date has the closing
            balance, -1 if the first has it; 0 for other columns, which add up.
        is_counter: Whether it has the readings of a meter or the like.
        formats: The number format of each name's rows in a workbook, if they differ.
    """

    index: int
    name: str
    values: FloatArray
    form: NumberForm
    closing_order: int = 0
    is_counter: bool = False
    formats: Mapping[str, str] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """The unit after or before its numbers, "" if they have none."""
        return self.form.after or self.form.before

    @property
    def is_balance(self) -> bool:
        """Whether its last value counts, as of running balances and counters: it has no total."""
        return self.closing_order != 0

    def form_of(self, row_name: str) -> NumberForm:
        if not self.formats:
            return self.form
        number_format = self.formats.get(row_name, "")
        before, after = currency_of(number_format)
        return replace(self.form, before=before, after=after, number_format=number_format)


@dataclass(frozen=True)
class DatedValues:
    """Dated rows, shape (n,) each, in the order of the file.

    Attributes:
        suffix: What follows each timestamp: "", ``Z`` or an offset.
        rows: The numbers of the rows in the file.
        names: The series of each row, "" if the table has no names.
        adds_up: Whether all series are summed by date.
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

    def take(self, positions: IntArray) -> Self:
        """Return the rows at some positions, in this order."""
        return replace(
            self,
            times=self.times[positions],
            rows=self.rows[positions],
            names=self.names[positions],
            columns=[replace(column, values=column.values[positions]) for column in self.columns],
        )


class UngriddedSeries(NamedTuple):
    """One series by time, before it is on a grid.

    Attributes:
        values: Its values by increasing time, NaN where the table has a date without a value.
        substitutes: What replaces sums that some of the summed series lack.
        row_name: The name in its rows, "" without one.
    """

    name: str
    column: ValueColumn
    values: pd.Series
    substitutes: pd.Series | None = None
    row_name: str = ""

    @property
    def times(self) -> TimeArray:
        return self.values.index.to_numpy().astype("datetime64[s]")
