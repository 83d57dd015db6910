"""Records with a line for each field: psql's expanded output, and that of MySQL's ``\\G``."""

import re
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from app.tables.table import check_size, frame_of_rows

# ``-[ RECORD 1 ]---+------`` or ``******* 1. row *******``
_BEGINNING = re.compile(r"-\[ RECORD \d{1,9} \][-+]*|\*{3,80} \d{1,9}\. row \*{3,80}", re.ASCII)
_MIN_RECORDS = 2
_Field = tuple[str, int]  # its name, and how many fields of that name are before it in the record


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
    ends = [*starts[1:], len(lines)]
    records = [
        _read_fields(lines[start + 1 : end], mark) for start, end in zip(starts, ends, strict=True)
    ]
    fields = [*dict.fromkeys(field for record in records for field in record)]
    check_size(len(records) + 1, len(fields))
    names = [name for name, _ in fields]
    rows = [[record.get(field, "") for field in fields] for record in records]
    numbers = [starts[0] + 1, *(start + 2 for start in starts)]
    return frame_of_rows(dict(zip(numbers, [names, *rows], strict=True)))


def _read_fields(lines: Sequence[str], mark: str) -> dict[_Field, str]:
    """Return the values of a record: a join may give several fields one name.

    Of a value of several lines, which have no name from the second on, return the first line.
    """
    counts: Counter[str] = Counter()
    values: dict[_Field, str] = {}
    for line in lines:
        name, _, value = (part.strip() for part in line.partition(mark))
        if name and mark in line:
            values[name, counts[name]] = value
            counts[name] += 1
    return values
