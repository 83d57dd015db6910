"""The layout of the series in a table: a column each, rows with names, or a pivot."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.answers import Duplicates, Layout
from app.tables.dated_table import DatedTable
from app.tables.errors import WrongAnswerError
from app.tables.messages import shorten
from app.tables.names.series_names import (
    find_account_names,
    find_key_column,
    find_name_columns,
    find_repeated_names,
    find_single_name,
    row_names,
)
from app.tables.pivots.unpivot import unpivot
from app.tables.reading import Choice, Reading
from app.tables.table import Table

_MIN_NAMED_COLUMNS = 3  # one of dates, one of names and one of values


def normalize_layout(table: Table, reading: Reading) -> tuple[Table, Layout | None]:
    """Return the table without a pivot, and its layout if that is known.

    Answers ``long`` and ``columns`` are about the names of a pivot, and leave it a pivot.
    """
    answered = reading.answers.layout
    is_of_rows = answered in (Layout.LONG, Layout.COLUMNS)

    def try_unpivot(trial: Reading) -> Table | None:
        long = unpivot(table, reading.answers.header, trial)
        is_unnamed = long is not None and long.cells.shape[1] < _MIN_NAMED_COLUMNS
        return None if is_of_rows and is_unnamed else long

    long = reading.attempt(try_unpivot)
    if long is not None:
        return long, Layout.PIVOT if answered is None else answered
    if answered is Layout.PIVOT:
        issue = "no row of dates, months or years side by side was found; leave it out"
        raise WrongAnswerError("layout", issue)
    return table, answered if answered is Layout.COLUMNS else None


class RowNames(NamedTuple):
    """The series that the rows of a table belong to.

    Attributes:
        of_rows: The name of each row's series, "" without one.
        columns: The columns that have these names.
        are_merged: Whether the rows of all names are one series.
        adds_up: Whether the values of all names are added up by date.
    """

    of_rows: np.ndarray
    columns: tuple[int, ...]
    are_merged: bool
    adds_up: bool


def find_names(dated_table: DatedTable, known_layout: Layout | None, reading: Reading) -> RowNames:
    """Return the names of the series of rows with dates; choose the layout of the table."""
    body = dated_table.body
    columns = _find_name_columns(dated_table, reading)
    layout = _choose_layout(known_layout, columns, dated_table, reading)
    reading.chosen.layout = layout
    are_merged = bool(columns) and layout is Layout.COLUMNS
    adds_up = are_merged and reading.answers.duplicates is Duplicates.SUM
    if columns and (adds_up or not are_merged):
        of_rows = row_names(body, columns).to_numpy()
    else:
        of_rows = np.full(len(body), "", dtype=object)
    return RowNames(of_rows, columns, are_merged, adds_up)


def _find_name_columns(dated_table: DatedTable, reading: Reading) -> tuple[int, ...]:
    is_long = reading.answers.layout is Layout.LONG
    columns = find_name_columns(dated_table, is_long=is_long)
    if not columns and not pd.Index(dated_table.times).is_unique:
        is_repeated = dated_table.body.duplicated().to_numpy()  # rows that two exports share
        if is_repeated.any():
            columns = find_name_columns(dated_table.without(is_repeated), is_long=is_long)
        columns = columns or find_account_names(dated_table)
        if not columns:
            repeated = find_repeated_names(dated_table)
            columns = repeated if is_long else ()
            if not repeated:
                # Names that share few dates, such as those of an old shop and a new one.
                unique = find_name_columns(dated_table, is_long=True)
                repeated = unique if len(unique) == 1 else ()
            _ask_repeated_names(repeated, dated_table, reading)
    columns = columns or find_key_column(dated_table)
    if is_long and not columns:  # one name, or several without a date in common
        columns = find_single_name(dated_table) or find_repeated_names(dated_table)
    return columns


def _choose_layout(
    layout: Layout | None, name_columns: tuple[int, ...], dated_table: DatedTable, reading: Reading
) -> Layout:
    if not name_columns:
        if reading.answers.layout is Layout.LONG:
            issue = "no column has names that make the dates unique; leave it out"
            raise WrongAnswerError("layout", issue)
        return layout or Layout.COLUMNS
    names = row_names(dated_table.body, name_columns)
    headers = (dated_table.heading.written[column] for column in name_columns)
    title = " and ".join(filter(None, headers))
    choices = _layout_choices(names.iloc[0], "all are added up")
    reading.notation.names = title or None
    reading.notation.has_names = True
    by_title = f" by “{title}”" if title else ""
    reading.ask("layout", f"{names.nunique()} series{by_title}.", choices, required=False)
    return layout or Layout.LONG


def _ask_repeated_names(
    columns: tuple[int, ...], dated_table: DatedTable, reading: Reading
) -> None:
    """Offer a series for each name of a column whose rows have dates in common."""
    if columns and reading.answers.layout is not Layout.LONG:
        [column] = columns
        names = dated_table.body[column]
        choices = _layout_choices(names.iloc[0], "all are combined")[::-1]
        text = f"“{dated_table.heading.names[column]}” has {names.nunique()} names."
        reading.ask("layout", text, choices, required=False)


def _layout_choices(first_name: str, result: str) -> list[Choice]:
    return [
        Choice(Layout.LONG, "a series for each name", f"the first is {shorten(first_name)}"),
        Choice(Layout.COLUMNS, "one series of all rows, date by date", result),
    ]
