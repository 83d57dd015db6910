"""The columns of a table's dates."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from app.tables.dates.kinds import DATE_TESTS, DateKind


@dataclass(frozen=True)
class DateColumns:
    """The columns of dates; ``join`` combines them for rows, with "" where a part is missing."""

    columns: tuple[int, ...]
    kind: DateKind
    join: Callable[[pd.DataFrame], pd.Series]

    def is_date(self, cell: str) -> bool:
        return bool(DATE_TESTS[self.kind](cell))


def one_column(
    index: int,
    kind: DateKind = DateKind.FULL,
    spell: Callable[[pd.Series], pd.Series] = lambda cells: cells,
) -> DateColumns:
    """Return a single column of dates; ``spell`` writes its cells in a form that is known."""
    return DateColumns((index,), kind, lambda rows: spell(rows[index]))


def join_parts(columns: tuple[int, ...], spell: Callable[..., pd.Series]) -> DateColumns:
    """Return columns whose parts ``spell`` combines, where a row has all of them."""

    def join(rows: pd.DataFrame) -> pd.Series:
        dates = spell(*(rows[index] for index in columns))
        return dates.where(~(rows[list(columns)] == "").any(axis=1), "")

    return DateColumns(columns, DateKind.FULL, join)


def join_columns(columns: tuple[int, ...], end: str = "") -> DateColumns:
    return join_parts(columns, lambda first, *others: first.str.cat(others, sep=" ") + end)
