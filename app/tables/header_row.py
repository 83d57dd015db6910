"""Find the row with the names of the columns, below titles and the like."""

import pandas as pd

from app.tables.dates.cells import is_date
from app.tables.numbers import is_missing, is_numeric

_MAX_ROWS_TRIED, _MIN_ROWS_TRIED = 20, 3
_SAMPLE_CELLS, _SAMPLE, _MIN_SAMPLE = 20_000, 50, 5


def find_header(cells: pd.DataFrame) -> int:
    """Return the position of the row with most names over columns of dates and numbers, the last
    of several; 0 if no row has any."""
    width = max(cells.shape[1], 1)
    tried = max(_MIN_ROWS_TRIED, min(_MAX_ROWS_TRIED, _SAMPLE_CELLS // width))
    limit = max(_MIN_SAMPLE, min(_SAMPLE, _SAMPLE_CELLS // width))
    sample = cells.iloc[:: max(1, -(-len(cells) // limit))].to_numpy()
    rows = cells.iloc[:tried].to_numpy()
    distinct = {*sample.ravel().tolist(), *rows.ravel().tolist()}
    values = {cell for cell in distinct if cell and _is_value(cell)}
    names = {cell for cell in distinct - values if not is_missing(cell)}
    held = [i for i, column in enumerate(sample.T.tolist()) if _has_most(column, values)]
    counts = [sum(cell in names for cell in row) for row in rows[:, held].tolist()]
    most = max(counts, default=0)
    return len(counts) - 1 - counts[::-1].index(most) if most else 0


def _has_most(cells: list[str], values: set[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and 2 * sum(cell in values for cell in filled) > len(filled)


def _is_value(cell: str) -> bool:
    return cell[0].isdigit() or is_numeric(cell) or is_date(cell)
