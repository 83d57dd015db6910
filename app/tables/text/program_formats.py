"""Texts of single programs whose lines are not the rows of a table, or lack its marks.

- NDBC's buoys: ``#YY  MM DD hh mm`` above the parts of times, and a line of units;
- MediaWiki: ``{|``, ``! Month !! Sales``, ``|-``, ``| 2024-01 || 12``; Confluence and Jira:
  ``|| Month || Sales ||`` above ``| 2024-01 | 12 |``;
- psql's expanded output and MySQL's ``\\G``: a line for each field of a record.
"""

import re
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from app.tables.table import check_size, frame_of_rows

_BUOY_HEADER = re.compile(r"#YY +MM +DD +hh +mm ")
_BUOY_PARTS = 5  # of a time
_MISSING = "MM"  # also the name of the months
_WIKI_CELLS = re.compile(r"\|\||!!")
# ``-[ RECORD 1 ]---+------`` or ``******* 1. row *******``
_RECORD = re.compile(r"-\[ RECORD \d{1,9} \][-+]*|\*{3,80} \d{1,9}\. row \*{3,80}", re.ASCII)
_MIN_RECORDS = 2
_Field = tuple[str, int]  # its name, and how many fields of that name are before it in the record


def join_buoy_times(text: str) -> str:
    """Return a text of a buoy with whole times, tabs and without its units; others as they are."""
    if not _BUOY_HEADER.match(text):
        return text
    first, *below = text.split("\n")
    rows = ["\t".join(["time", *first.split()[_BUOY_PARTS:]])]
    for line in below:
        cells = ["" if cell == _MISSING else cell for cell in line.split()]
        is_row = len(cells) > _BUOY_PARTS and not line.startswith("#")
        time = "{}-{}-{}T{}:{}".format(*cells[:_BUOY_PARTS]) if is_row else ""
        rows.append("\t".join([time, *cells[_BUOY_PARTS:]]) if is_row else "")
    return "\n".join(rows)


def plain_names(text: str) -> str:
    """Return a text with single bars between the names of its columns, as between cells."""
    names, _, rows = text.lstrip().partition("\n")
    are_names = names.startswith("||") and names.rstrip().endswith("||") and names.count("||") > 1
    if not are_names or not rows.startswith("|") or rows.startswith("||"):
        return text
    return text.replace(names, names.replace("||", "|"), 1)


def read_wiki_table(text: str) -> pd.DataFrame | None:
    """Return the first table of a text, None if it has none.

    The index has the first line of each row. Raise UnreadableTableError if it is too large.
    """
    rows: dict[int, list[str]] = {}
    number = 0  # of the line on which a row begins, 0 outside the table
    for position, line in enumerate(map(str.strip, text.split("\n")), 1):
        if line.startswith(("{|", "|-")) and (number or line[0] == "{"):
            number = position
        elif number and line.startswith("|}"):
            break
        elif number and line.startswith(("|", "!")) and not line.startswith("|+"):
            cells = _WIKI_CELLS.split(line[1:]) if line[0] == "!" else line[1:].split("||")
            # Attributes, and the address of a link, are before a bar.
            rows.setdefault(number, []).extend(cell.split("|")[-1].strip(" []'") for cell in cells)
    return frame_of_rows(rows) if len(rows) > 1 else None


def read_records(text: str) -> pd.DataFrame | None:
    """Return the records of a text as rows below their names, None if it has none.

    The index has the first line of each record. Raise UnreadableTableError if there are too many
    names or cells.
    """
    lines = [line.strip() for line in text.split("\n")]
    starts = [i for i, line in enumerate(lines) if line and _RECORD.fullmatch(line)]
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
