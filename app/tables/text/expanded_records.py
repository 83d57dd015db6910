"""Records with a line for each field: psql's expanded output, and that of MySQL's ``\\G``."""

import re

import pandas as pd

from app.tables.results import UnreadableTableError
from app.tables.table import MAX_COLUMNS, check_size

# ``-[ RECORD 1 ]---+------`` or ``******* 1. row *******``
_BEGINNING = re.compile(r"-\[ RECORD \d{1,9} \][-+]*|\*{3,} \d{1,9}\. row \*{3,}", re.ASCII)
_MIN_RECORDS = 2


def read_records(text: str) -> pd.DataFrame | None:
    """Return the records of a text as rows below their names, None if it has none.

    The index has the first line of each record. Raise UnreadableTableError if there are too many
    names or cells.
    """
    lines = [line.strip() for line in text.split("\n")]
    starts = [i for i, line in enumerate(lines) if line and _BEGINNING.fullmatch(line)]
    if len(starts) < _MIN_RECORDS:
        return None
    mark = "|" if lines[starts[0]].startswith("-") else ":"
    records = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        fields = (line.partition(mark) for line in lines[start + 1 : end] if mark in line)
        records.append({name.strip(): value.strip() for name, _, value in fields})
    names = [*dict.fromkeys(name for record in records for name in record)]
    if len(names) > MAX_COLUMNS:
        raise UnreadableTableError(f"the records have {len(names):,} names: send fewer")
    check_size(len(records) + 1, len(names))
    rows = [[record.get(name, "") for name in names] for record in records]
    index = [starts[0] + 1, *(start + 2 for start in starts)]
    return pd.DataFrame([names, *rows], index=index, dtype=object)
