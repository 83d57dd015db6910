"""The columns of a table's dates, and the kinds of dates: how those of a column are written."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

from app.tables.dates.cells import is_date, is_yearless, read_fiscal, read_serial, read_split_year
from app.tables.dates.counted_periods import read_count
from app.tables.dates.fiscal import split_fiscal_month


class DateKind(StrEnum):
    """How dates are written."""

    FULL = "full"
    SERIAL = "serial"
    YEARLESS = "yearless"
    FISCAL = "fiscal"
    FISCAL_MONTH = "fiscal_month"
    SPLIT_YEAR = "split year"  # 2019/20
    COUNTED = "counted"


_DATE_TESTS: dict[DateKind, Callable[[str], object]] = {
    DateKind.FULL: is_date,
    DateKind.SERIAL: read_serial,
    DateKind.YEARLESS: is_yearless,
    DateKind.FISCAL: read_fiscal,
    DateKind.FISCAL_MONTH: split_fiscal_month,
    DateKind.SPLIT_YEAR: lambda cell: read_split_year(cell) or is_date(cell),
    DateKind.COUNTED: read_count,
}


@dataclass(frozen=True)
class DateColumns:
    """The columns of dates; ``join`` combines them for rows, with "" where a part is missing."""

    columns: tuple[int, ...]
    kind: DateKind
    join: Callable[[pd.DataFrame], pd.Series]

    def is_date(self, cell: str) -> bool:
        return bool(_DATE_TESTS[self.kind](cell))


def one_column(
    index: int,
    kind: DateKind = DateKind.FULL,
    normalize: Callable[[pd.Series], pd.Series] = lambda cells: cells,
) -> DateColumns:
    """Return a single column of dates; ``normalize`` writes its cells in a form that is known."""
    return DateColumns((index,), kind, lambda rows: normalize(rows[index]))


def join_parts(columns: tuple[int, ...], normalize: Callable[..., pd.Series]) -> DateColumns:
    """Return columns whose parts ``normalize`` combines, where a row has all of them."""

    def join(rows: pd.DataFrame) -> pd.Series:
        dates = normalize(*(rows[index] for index in columns))
        return dates.where(~(rows[list(columns)] == "").any(axis=1), "")

    return DateColumns(columns, DateKind.FULL, join)


def join_columns(columns: tuple[int, ...], end: str = "") -> DateColumns:
    return join_parts(columns, lambda first, *others: first.str.cat(others, sep=" ") + end)
