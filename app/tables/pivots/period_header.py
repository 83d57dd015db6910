"""The rows of a pivot's header: periods, and below them what each column has, such as measures."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from app.tables.answers import DecimalMark
from app.tables.dates.year_labels import read_year
from app.tables.dates.year_patterns import FISCAL_PREFIX
from app.tables.numbers.parsing import is_missing, is_numeric, read_numbers, without_missing

MAX_ROWS_TRIED = 20  # from the top, as the header
_MAX_ROWS_BELOW = 3  # such as measures, their units, and actual or forecast
_MIN_DATED_ROWS = 2
_MIN_TOTALS = 2  # rows whose last number is the sum of the numbers before it
_MIN_NAMED_FRACTION = 0.6  # of periods: quarters between months may have no label
_FISCAL_WORD = re.compile(rf"(?:{FISCAL_PREFIX}|ay)\b")


@dataclass(frozen=True)
class PivotHeader:
    """The periods side by side in a header.

    Attributes:
        periods: The period of each column, "" for none; all columns of a merged cell have one.
        labels: The cells below the periods, or above periods that repeat, "" for none.
        rows_below: The number of rows below the periods that belong to the header.
    """

    periods: list[str]
    labels: list[str]
    rows_below: int

    def measures(self, across: Sequence[int]) -> list[str]:
        """Return the labels that each period has one of; none if a period has one column."""
        counts = Counter(self.periods[i] for i in across)
        measures = [*dict.fromkeys(self.labels[i] for i in across)]
        pairs = {(self.periods[i], self.labels[i]) for i in across}
        is_each = len(pairs) == len(across) and counts.most_common(1)[0][1] == len(measures)
        return measures if is_each and len(measures) > 1 else []


def split_measures(header: Sequence[str]) -> PivotHeader | None:
    """Return a header such as Sales 2023, Cost 2023, Sales 2024 and Cost 2024 in two parts.

    None if it is another one, or the years may be fiscal.
    """
    labels = {i: label for i, cell in enumerate(header) if (label := read_year(cell))}
    measures: dict[str, set[int]] = {}
    for label in labels.values():
        measures.setdefault(label.word, set()).add(label.year)
    years = next(iter(measures.values()), set())
    if len(years) < 2 or len(measures) < 2 or any(own != years for own in measures.values()):
        return None
    if "" in measures or any(map(_FISCAL_WORD.match, measures)):
        return None
    periods, names = [*header], [""] * len(header)
    for i, label in labels.items():
        periods[i] = str(label.year)
        names[i] = header[i].replace(periods[i], "").strip(" .()")
    return PivotHeader(periods, names, 0)


def read_header(
    above: Sequence[str],
    header: Sequence[str],
    below: Sequence[Sequence[str]],
    is_period: Callable[[str], bool],
) -> PivotHeader:
    """Return the header whose periods are in the row ``header``.

    The cells ``above`` it are "" if it is the first row.
    """
    dated = [i for i, cell in enumerate(header) if is_period(cell)]
    rows = 0
    while len(dated) >= _MIN_DATED_ROWS and rows < min(_MAX_ROWS_BELOW, len(below) - 1):
        if not _has_only_labels([below[rows][i] for i in dated], is_period):
            break
        rows += 1
    if rows:
        periods = _without_total(_spread_cells(header, below[0], is_period), header, below[rows:])
        columns = zip(*below[:rows], strict=True)
        labels = [" ".join(filter(None, column)) for column in columns]
        return PivotHeader(periods, labels, rows)
    is_repeated = len(dated) > len({header[i] for i in dated})
    groups = _spread_cells(above, header, bool) if is_repeated else [""] * len(header)
    return PivotHeader([*header], groups, 0)


def _without_total(
    periods: list[str], header: Sequence[str], rows: Sequence[Sequence[str]]
) -> list[str]:
    last = max((i for i, period in enumerate(periods) if period), default=0)
    if not periods[last] or header[last]:
        return periods
    values = [[row[i] for i in range(last + 1) if periods[i]] for row in rows]
    filled = [cells for cells in values if not is_missing(cells[-1])]
    if len(filled) < _MIN_TOTALS or not any(_are_totals(filled, mark) for mark in DecimalMark):
        return periods
    return [*periods[:last], "", *periods[last + 1 :]]


def _are_totals(rows: Sequence[Sequence[str]], mark: DecimalMark) -> bool:
    """Return whether the last number of each row is the sum of the numbers before it."""
    numbers = [np.nan_to_num(read_numbers(pd.Series(row), mark)) for row in rows]
    return all(
        row[-1] and np.isclose(row[:-1].sum(), row[-1], rtol=1e-9, atol=0.005) for row in numbers
    )


def _has_only_labels(cells: Sequence[str], is_period: Callable[[str], bool]) -> bool:
    """Return whether the cells below periods are their labels: few are empty, none is a value."""
    filled = without_missing(cells)
    if len(filled) < _MIN_NAMED_FRACTION * len(cells):
        return False
    return not any(cell[0].isdigit() or is_numeric(cell) or is_period(cell) for cell in {*filled})


def _spread_cells(
    cells: Sequence[str], neighbours: Sequence[str], is_kept: Callable[[str], bool]
) -> list[str]:
    """Copy cells that ``is_kept`` to the empty cells after them that have filled ``neighbours``."""
    spread = [*cells]
    last = ""
    for i, cell in enumerate(cells):
        if cell or not neighbours[i]:
            last = cell if cell and is_kept(cell) else ""
        else:
            spread[i] = last
    return spread
