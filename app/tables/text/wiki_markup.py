"""Tables in the markup of wikis.

MediaWiki: ``{|``, ``! Month !! Sales``, ``|-``, ``| 2024-01 || 12``; Confluence and Jira:
``|| Month || Sales ||`` above ``| 2024-01 | 12 |``.
"""

import re

import pandas as pd

from app.tables.table import frame_of_rows

_CELLS = re.compile(r"\|\||!!")


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
            cells = _CELLS.split(line[1:]) if line[0] == "!" else line[1:].split("||")
            # Attributes, and the address of a link, are before a bar.
            rows.setdefault(number, []).extend(cell.split("|")[-1].strip(" []'") for cell in cells)
    if len(rows) < 2:
        return None
    return frame_of_rows(rows)
