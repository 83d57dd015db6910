"""Files of NDBC's buoys: ``#YY  MM DD hh mm`` above the parts of times, and a line of units."""

import re

_HEADER = re.compile(r"#YY +MM +DD +hh +mm ")
_PARTS = 5  # of a time
_MISSING = "MM"  # also the name of the months


def join_buoy_times(text: str) -> str:
    """Return a text of a buoy with whole times, tabs and without its units; others as they are."""
    if not _HEADER.match(text):
        return text
    first, *below = text.split("\n")
    rows = ["\t".join(["time", *first.split()[_PARTS:]])]
    for line in below:
        cells = ["" if cell == _MISSING else cell for cell in line.split()]
        is_row = len(cells) > _PARTS and not line.startswith("#")
        time = "{}-{}-{}T{}:{}".format(*cells[:_PARTS]) if is_row else ""
        rows.append("\t".join([time, *cells[_PARTS:]]) if is_row else "")
    return "\n".join(rows)
