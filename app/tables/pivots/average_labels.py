"""Write averages in full beside months: Avg and Med are months in other languages."""

from collections.abc import Collection
from itertools import islice

import numpy as np

from app.tables.dates.month_names import fold_text, languages_of, month_of
from app.tables.pivots.labels import is_month_or_quarter
from app.tables.pivots.period_header import MAX_ROWS_TRIED
from app.tables.table import Table

_AVERAGES = {"avg": "Average", "med": "Median"}  # August in Slovenian, September in Welsh
_MAX_LENGTH = 4
_MIN_AVERAGED_PERIODS = 2  # beside an average
_MAX_LABEL_COLUMNS = 5  # at the left, which may have the months


def expand_averages(table: Table) -> Table:
    """Return the table with Avg and Med beside months in full, unless these are months, too.

    They are if the others are of the same language, and one of them is the month before or after.
    The months are in a row that may be a header, or in one of the first columns.
    """
    cells = table.cells.to_numpy()
    lines = [*cells[:MAX_ROWS_TRIED], *islice(cells.T, _MAX_LABEL_COLUMNS)]
    averages = [_averages_among({*line}) for line in lines]
    if not any(averages):
        return table
    expanded = cells.copy()
    lines = [*expanded[:MAX_ROWS_TRIED], *islice(expanded.T, _MAX_LABEL_COLUMNS)]
    for line, words in zip(lines, averages, strict=True):
        for label, word in words.items():
            line[np.asarray(line == label, dtype=bool)] = word
    return table.with_cells(expanded)


def _averages_among(labels: Collection[str]) -> dict[str, str]:
    """Return the labels of averages among those of months and quarters, with the whole words."""
    short = {label for label in labels if 0 < len(label) <= _MAX_LENGTH}
    words = {label: _AVERAGES.get(fold_text(label).rstrip(".")) for label in short}
    averages = {label: word for label, word in words.items() if word}
    if not averages:
        return {}
    periods = [label for label in labels if label not in averages and is_month_or_quarter(label)]
    if len(periods) < _MIN_AVERAGED_PERIODS:
        return {}
    languages = frozenset.intersection(*map(languages_of, periods))
    months = [*filter(None, map(month_of, periods))]
    neighbours = {month + step for month in months for step in (-1, 1)}
    return {
        label: word
        for label, word in averages.items()
        if not (languages & languages_of(label) and neighbours.intersection([month_of(label)]))
    }
