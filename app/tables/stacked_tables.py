"""Cut off what is below the first of several tables in one file."""

from dataclasses import replace

import numpy as np

from app.tables.dates.date_columns import DateColumns
from app.tables.heading import Heading
from app.tables.numbers import is_missing, is_numeric
from app.tables.results import Reading
from app.tables.samples import is_mostly
from app.tables.table import Table


def cut_stacked(table: Table, heading: Heading, dates: DateColumns, reading: Reading) -> Heading:
    """Return the heading with the rows of the first table.

    Another one begins where the name of the dates is repeated above other names of columns of
    numbers; a header with the same ones is that of a page.
    """
    body, written, column = heading.body, heading.written, dates.columns[0]
    if not written[column]:
        return heading
    for position in np.flatnonzero((body[column] == written[column]).to_numpy()).tolist():
        row = body.iloc[position].tolist()
        names = [cell for cell in row if not is_missing(cell)]
        if not position or len(names) < 2 or any(map(is_numeric, names)):
            continue
        above = body.iloc[:position]
        if any(
            cell.casefold() != name.casefold() and is_mostly(above[number].tolist(), is_numeric)
            for number, (cell, name) in enumerate(zip(row, written, strict=True))
        ):
            first = int(body.index[position])
            text = f"Another table begins in {table.row_label(first)}: only the first is read."
            reading.add_remark("stacked_tables", text, body.index[position:].tolist())
            return replace(heading, body=body.iloc[:position])
    return heading
