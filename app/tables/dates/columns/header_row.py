"""Find the row with the names of the columns, below titles and the like."""

import pandas as pd

from app.tables.dates.cells import is_date
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.samples import is_mostly, sample_rows, sample_size

_MAX_ROWS_TRIED, _MIN_ROWS_TRIED = 20, 3
_SAMPLE_CELLS, _SAMPLE, _MIN_SAMPLE = 20_000, 50, 5


def find_header(cells: pd.DataFrame) -> int:
    """Return the position of the row of names, 0 if no row has any.

    It has the most names over columns of dates and numbers; of several it is the last.
    """
    width = cells.shape[1]
    tried = sample_size(
        width, max_cells=_SAMPLE_CELLS, min_rows=_MIN_ROWS_TRIED, max_rows=_MAX_ROWS_TRIED
    )
    count = sample_size(width, max_cells=_SAMPLE_CELLS, min_rows=_MIN_SAMPLE, max_rows=_SAMPLE)
    sample = sample_rows(cells, count).to_numpy()
    rows = cells.iloc[:tried].to_numpy()
    distinct = {*sample.ravel().tolist(), *rows.ravel().tolist()}
    values = {cell for cell in distinct if cell and _is_value(cell)}
    names = {cell for cell in distinct - values if not is_missing(cell)}
    value_columns = [
        index
        for index, column in enumerate(sample.T.tolist())
        if is_mostly([*filter(None, column)], values.__contains__)
    ]
    counts = [sum(cell in names for cell in row) for row in rows[:, value_columns].tolist()]
    most = max(counts, default=0)
    return len(counts) - 1 - counts[::-1].index(most) if most else 0


def _is_value(cell: str) -> bool:
    return cell[0].isdigit() or is_numeric(cell) or is_date(cell)
