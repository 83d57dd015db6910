"""Ask which row is the header of a table."""

from app.tables.header.heading import Heading
from app.tables.messages import shorten
from app.tables.reading import Choice, Reading
from app.tables.table import Table

_MAX_HEADERS_OFFERED = 12
_MAX_SHOWN_NAMES = 4


def ask_header(table: Table, heading: Heading, reading: Reading) -> None:
    """Offer other rows as the header if there are rows above the data that are not part of it."""
    answered = reading.answers.header
    first = int(heading.body.index[0]) if len(heading.body) else 0
    above = table.cells[table.cells.index < first]
    if answered is None and len(above) < 2:
        return
    rows = (above if answered is None else table.cells).iloc[:_MAX_HEADERS_OFFERED]
    names = {
        int(row): shorten(", ".join(filter(None, cells[: 4 * _MAX_SHOWN_NAMES])))
        for row, cells in zip(rows.index, rows.to_numpy().tolist(), strict=True)
    }
    choices = [Choice(str(row), reading.row_label(row), name) for row, name in names.items()]
    choices.sort(key=lambda choice: choice.value != str(heading.row))
    choices.append(Choice("0", "no row", "columns are numbered"))
    text = f"The names of the columns are in {reading.row_label(heading.row)}."
    if not heading.row:
        text = "The columns have no names."
    reading.ask("header", text, choices, required=False)
