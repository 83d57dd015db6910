"""Split text into a table: find the delimiter."""

import csv
import io
import re
import warnings
from collections import Counter

import numpy as np
import pandas as pd
from pandas.errors import EmptyDataError, ParserError, ParserWarning

from app.tables.dates.cells import is_date, is_written_date
from app.tables.dates.columns.sample import is_date_name
from app.tables.errors import UnreadableTableError
from app.tables.numbers.digits import PLAIN_DIGITS
from app.tables.table import MAX_COLUMNS, SPACES, Table, check_size
from app.tables.text.decoration import COMMENT, strip_decoration
from app.tables.text.spaced_columns import split_by_spaces

_DELIMITERS = ("\t", ";", "|", ",")  # next to another one, commas are decimal marks
_SAMPLE_LINES = 30
# A table between many lines of text has at least this many rows of one width, each of this many
# cells, and on average more cells than the last number for each line of the file.
_MIN_EVEN_ROWS = 3
_MIN_EVEN_CELLS = 3
_MIN_CELLS_PER_LINE = 2
_MAX_NOTE_LENGTH = 200
_MIN_NUMBERED_ROWS = 4  # with the names
# Lines of tables as DuckDB, Polars and SQLite draw them.
_BOXES = (
    dict.fromkeys(range(0x2500, 0x2580), "+")
    | dict.fromkeys(map(ord, "─━═╌┄"), "-")
    | dict.fromkeys(map(ord, "│┃║┆┊"), "|")
)
# A whole text loses its separators of thousands; in one cell, in ``numbers/parsing.py``, commas.
_ARABIC = {ord("٫"): ".", ord("٬"): None} | PLAIN_DIGITS
_COLON = re.compile(r"^([^:\n]{3,80}): +", re.MULTILINE)
# A cell such as ="2024-01-31", which keeps Excel from changing it. One of digits is an id.
_TEXT_FORMULA = re.compile(
    r"""(?<![^,;\t|\n])(?:="(?!\d*")([^"\n]{1,80})"|"=""(?!\d*")([^"\n]{1,80})\""")(?![^,;\t|\n])"""
)
_SEPARATOR_LINE = re.compile(r"sep=([\t !#-~])\n?", re.IGNORECASE)  # pandas splits at one byte


def split_text(text: str) -> Table:
    """Return the table in a text: CSV with any delimiter, Markdown, or columns of spaces.

    Raise UnreadableTableError if there are too many cells.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if any(mark in plain for mark in "٫٬"):
        plain = plain.translate(_ARABIC)
    plain = _unquote_lines(_split_at_colons(plain if plain.isascii() else plain.translate(_BOXES)))
    if '="' in plain:
        plain = _TEXT_FORMULA.sub(lambda match: f'"{match[1] or match[2]}"', plain)
    separator = _SEPARATOR_LINE.match(plain)  # a line that Excel writes
    if separator:
        plain = "\n" + plain[separator.end() :].removeprefix("\n")
    delimiter = separator[1] if separator else _find_delimiter(plain)
    first_lines = plain.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
    notes = tuple(line[:_MAX_NOTE_LENGTH] for line in first_lines if COMMENT.match(line))
    cells = strip_decoration(_filled_rows(plain, delimiter), delimiter)
    return Table(_shift_names(cells), delimiter, notes=notes)


def _unquote_lines(text: str) -> str:
    """Return a text without the quotation marks around all lines, or all below the first."""
    lines = [line.strip() for line in text.split("\n")]
    sample = [line for line in lines[1:_SAMPLE_LINES] if line]
    if not sample or not all(map(_is_quoted, sample)):
        return text
    return "\n".join(line[1:-1].replace('""', '"') if _is_quoted(line) else line for line in lines)


def _is_quoted(line: str) -> bool:
    is_split = any(delimiter in line for delimiter in _DELIMITERS)
    has_marks = len(line) > 1 and line[0] == line[-1] == '"'
    return is_split and has_marks and '"' not in line[1:-1].replace('""', "")


def _shift_names(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells with each name above its column where the column of row numbers has no name.

    The name of the dates is then one column too far left.
    """
    if len(cells) < _MIN_NUMBERED_ROWS or cells.shape[1] < _MIN_EVEN_CELLS:
        return cells
    names, below = cells.iloc[0].tolist(), cells.iloc[1:]
    if names[-1] or not all(names[:-1]) or not (below.iloc[:, -1] != "").all():
        return cells
    first = int(below.iloc[0, 0] == "1")
    if below[0].tolist() != [str(first + i) for i in range(len(below))]:
        return cells
    date = next((i for i, cell in enumerate(below.iloc[0]) if is_written_date(cell)), 0)
    if not date or is_date_name(names[date]) or not is_date_name(names[date - 1]):
        return cells
    shifted = cells.copy()
    shifted.iloc[0] = ["", *names[:-1]]
    return shifted


def _split_at_colons(text: str) -> str:
    """Return a text with tabs after the dates of most lines, as in ``January 2024: 1,200``."""
    lines = [line for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]
    dated = sum(is_date(line.partition(": ")[0].strip()) for line in lines if ": " in line)
    return _COLON.sub(r"\1\t", text) if 2 * dated > len(lines) else text


def _find_delimiter(text: str) -> str:
    """Return the delimiter of the first lines, or of the middle ones if only these show it.

    Such lines are below a long preface.
    """
    lines = text.split("\n")
    delimiter, is_certain = _delimiter_of(lines[:_SAMPLE_LINES])
    if not is_certain and len(lines) > _SAMPLE_LINES:
        middle = len(lines) // 2
        below, is_certain = _delimiter_of(lines[middle : middle + _SAMPLE_LINES])
        delimiter = below if is_certain else delimiter
    return delimiter or ","


def _delimiter_of(lines: list[str]) -> tuple[str, bool]:
    """Return the first delimiter that separates dates, or else the first that splits the lines.

    A delimiter splits the lines if it splits most of them, or if the rest can be titles and notes
    of so wide a table. The second result says whether the delimiter separates dates, or the
    names of the columns.
    """
    splitting: list[str] = []
    names = 0  # of columns between commas
    for delimiter in (*_DELIMITERS, SPACES):
        if delimiter == SPACES and any(other != "," for other in splitting):
            break  # commas may be marks of decimals
        split_rows = _split_rows(lines, delimiter)
        if split_rows is None:
            continue
        dated = sum(any(map(is_date, row)) for row in split_rows.iloc[:, :20].to_numpy())
        if 2 * dated > len(split_rows):
            # If commas separate the names, spaces are within dates of an unknown form.
            is_inside = delimiter == SPACES and 1 < names < _usual_width(split_rows)
            return "," if is_inside else delimiter, True
        splitting.append(delimiter)
        names = _count_names(split_rows) if delimiter == "," else names
    return splitting[0] if splitting else "", False


def _split_rows(lines: list[str], delimiter: str) -> pd.DataFrame | None:
    if delimiter != SPACES and not any(delimiter in line for line in lines):
        return None
    try:
        cells = strip_decoration(_filled_rows("\n".join(lines), delimiter), delimiter)
    except UnreadableTableError:
        return None
    split_rows = cells[(cells != "").sum(axis=1) > 1]
    # Other lines are against the delimiter if they lack it; a title with delimiters after it, as
    # spreadsheets write it, is not.
    others = cells.index.difference(split_rows.index)
    against = sum(delimiter not in lines[line - 1] for line in others)
    is_split = len(split_rows) > (len(others) if delimiter == SPACES else against)
    is_in_rows = is_split or _is_in_rows(split_rows, len(split_rows) + against, delimiter)
    return split_rows if is_in_rows else None


def _count_names(split_rows: pd.DataFrame) -> int:
    """Return the number of cells of the first row, if it has no digit and most rows are as wide."""
    first = "".join(split_rows.iloc[0])
    width = int((split_rows.iloc[0] != "").sum())
    is_named = not any(map(str.isdigit, first)) and width == _usual_width(split_rows)
    return width if is_named else 0


def _usual_width(split_rows: pd.DataFrame) -> int:
    return int((split_rows != "").sum(axis=1).mode().iloc[-1])


def _is_in_rows(split_rows: pd.DataFrame, line_count: int, delimiter: str) -> bool:
    """Return whether a delimiter splits several lines into the same number of cells.

    These cells have to outnumber the lines that could be text.
    """
    filled = (split_rows != "").sum(axis=1)
    [(width, rows)] = Counter(filled.tolist()).most_common(1) or [(0, 0)]
    is_even = delimiter != SPACES and width >= _MIN_EVEN_CELLS and rows >= _MIN_EVEN_ROWS
    return bool(is_even and filled.sum() > _MIN_CELLS_PER_LINE * line_count)


def _filled_rows(text: str, delimiter: str) -> pd.DataFrame:
    frame = split_by_spaces(text) if delimiter == SPACES else _parse_rows(text, delimiter)
    if frame.empty:
        return frame
    # As one array: pandas is slow with 5,000 columns.
    cells = np.frompyfunc(str.strip, 1, 1)(frame.to_numpy())
    is_filled = (cells != "").any(axis=1)
    return pd.DataFrame(cells[is_filled], index=frame.index[is_filled], dtype=object)


def _parse_rows(text: str, delimiter: str) -> pd.DataFrame:
    lines = text.removesuffix("\n").split("\n")
    counts = [line.count(delimiter) for line in lines]
    width = max(counts) + 1
    if width > MAX_COLUMNS:
        line = counts.index(width - 1) + 1
        raise UnreadableTableError(
            f"line {line} has {width:,} cells: send a table of at most {MAX_COLUMNS:,} columns",
            line,
            MAX_COLUMNS + 1,
        )
    if width > len(lines) and '"' not in text:  # pandas takes long for each column
        check_size(len(lines), width)
        rows = [line.split(delimiter) for line in lines]
        cells = np.array([row + [""] * (width - len(row)) for row in rows], dtype=object)
        return pd.DataFrame(cells, index=range(1, len(lines) + 1), dtype=object)
    is_quoted = True
    while True:
        check_size(len(lines), width)  # raises in the end, as the width doubles
        try:
            frame = _read_csv(text, delimiter, width, is_quoted=is_quoted)
        except EmptyDataError:
            return pd.DataFrame()
        except (ParserError, ParserWarning) as error:
            # pandas has no type for an unclosed quotation mark, which is an ordinary character.
            if "EOF" in str(error) and is_quoted:
                is_quoted = False
            else:
                width *= 2  # a row with line breaks in cells can have more cells than any line
            continue
        # A text of only quotation marks and spaces may give no rows.
        return frame if frame.empty else frame.set_axis(_lines_of(frame, len(lines)), axis=0)


def _read_csv(text: str, delimiter: str, width: int, *, is_quoted: bool) -> pd.DataFrame:
    """Read rows of at most ``width`` cells; raise ParserWarning where cells would be lost."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ParserWarning)
        return pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            header=None,
            names=range(width),
            index_col=False,
            dtype=object,
            na_filter=False,
            skip_blank_lines=False,
            skipinitialspace=True,
            quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE,
        )


def _lines_of(frame: pd.DataFrame, lines: int) -> pd.Index:
    """Return the line on which each row begins: cells may contain line breaks."""
    if len(frame) == lines:
        return pd.RangeIndex(1, lines + 1)
    inside = np.frompyfunc(lambda cell: cell.count("\n"), 1, 1)(frame.to_numpy()).sum(axis=1)
    ends = (inside.astype(np.int64) + 1).cumsum()
    return pd.Index(np.concatenate([[1], ends[:-1] + 1]))
