"""Split text into a table: find the delimiter, and remove rows that are not data."""

import csv
import io
import re
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.errors import EmptyDataError, ParserError, ParserWarning

from app.tables.aligned_print import place_words
from app.tables.dates.cells import MAX_DATE_LENGTH, is_date
from app.tables.digits import PLAIN_DIGITS
from app.tables.numbers import is_numeric
from app.tables.printed_weekdays import split_weekdays
from app.tables.results import NotATableError
from app.tables.spaced_header import join_words_above
from app.timeseries.types import BoolArray

MAX_COLUMNS = 5_000
MAX_CELLS = 3_000_000
MAX_SHOWN_LENGTH = 30
_DELIMITERS = ("\t", ";", "|", ",")  # next to another one, commas are decimal marks
SPACES = " "  # the delimiter of columns that one or more spaces separate
_SAMPLE_LINES = 30
_MAX_NOTE_LENGTH = 200
_MAX_DATE_WORDS = 6
_CELL_SEPARATOR = "\x00"  # no text has null bytes
_DIGITS = str.maketrans("123456789", "000000000")
# A whole text loses its separators of thousands; in one cell, in numbers.py, they become commas.
_ARABIC = {ord("٫"): ".", ord("٬"): None} | PLAIN_DIGITS
_MAX_DATE_LINES = 1_000  # searched for dates, if spaces separate columns
_SEPARATOR_LINE = re.compile(r"sep=(.)\n?", re.IGNORECASE)
# ``#1001`` is the name of an order.
_COMMENT = re.compile(r"#(?!N/?A|REF|DIV|VALUE|NAME|NUM|NULL|\d)|//|--\s", re.IGNORECASE)
# Lines between the rows of a drawn table: +---+---+ or |---|---|.
_FRAME = re.compile(r"[\s:+|=-]*")
_RULE = re.compile(r"[-=]{3}")


@dataclass(frozen=True)
class Table:
    """The cells of a table.

    ``cells``: stripped strings, "" for empty ones, ``StoredNumber`` for the numbers of a workbook;
    the index has the numbers of the rows in the file. ``row_noun``: what messages call a row.
    ``notes``: comments among the first lines.
    """

    cells: pd.DataFrame
    delimiter: str = ""
    row_noun: str = "line"
    notes: tuple[str, ...] = ()

    def row_label(self, row: int) -> str:
        return f"{self.row_noun} {row}"


def shorten(cell: str) -> str:
    """Truncate a cell for a message."""
    return cell if len(cell) <= MAX_SHOWN_LENGTH else f"{cell[:MAX_SHOWN_LENGTH]}…"


def split_text(text: str) -> Table:
    """Return the table in a text: CSV with any delimiter, Markdown, or columns of spaces.

    Raises:
        NotATableError: There are too many cells.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if any(mark in text for mark in "٫٬"):
        text = text.translate(_ARABIC)
    named = _SEPARATOR_LINE.match(text)  # a line that Excel writes
    if named:
        text = "\n" + text[named.end() :].removeprefix("\n")
    delimiter = named[1] if named else _find_delimiter(text)
    first_lines = text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
    notes = tuple(line[:_MAX_NOTE_LENGTH] for line in first_lines if _COMMENT.match(line))
    cells = _strip_decoration(_rows(text, delimiter), delimiter)
    return Table(cells, delimiter, notes=notes)


def _find_delimiter(text: str) -> str:
    """Return the first delimiter that separates dates, or else the first that splits lines."""
    sample = "\n".join(text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES])
    splitting: list[str] = []
    lines = sample.split("\n")
    for delimiter in (*_DELIMITERS, SPACES):
        if delimiter == SPACES and {*splitting} - {","}:
            break  # a comma may be the mark of decimals
        try:
            cells = _strip_decoration(_rows(sample, delimiter), delimiter)
        except NotATableError:
            continue
        split = cells[(cells != "").sum(axis=1) > 1]
        # A title with delimiters behind it, as spreadsheets write it, shows nothing.
        whole = cells[~cells.index.isin(split.index)].index
        counted = len(split) + sum(delimiter not in lines[line - 1] for line in whole)
        if 2 * len(split) > (len(cells) if delimiter == SPACES else counted):
            dated = sum(any(map(is_date, row)) for row in split.iloc[:, :20].to_numpy())
            if 2 * dated > len(split):
                return delimiter
            splitting.append(delimiter)
    return splitting[0] if splitting else ","


def _rows(text: str, delimiter: str) -> pd.DataFrame:
    """Return the non-empty rows, indexed by their lines."""
    frame = _split_by_spaces(text) if delimiter == SPACES else _parse(text, delimiter)
    if frame.empty:
        return frame
    # As one array: pandas is slow with 5,000 columns.
    cells = np.frompyfunc(str.strip, 1, 1)(frame.to_numpy())
    is_filled = (cells != "").any(axis=1)
    return pd.DataFrame(cells[is_filled], index=frame.index[is_filled], dtype=object)


def _parse(text: str, delimiter: str) -> pd.DataFrame:
    lines = text.removesuffix("\n").split("\n")
    counts = [line.count(delimiter) for line in lines]
    width = max(counts) + 1
    if width > MAX_COLUMNS:
        line = counts.index(width - 1) + 1
        raise NotATableError(
            f"line {line} has {width:,} cells: send a table of at most {MAX_COLUMNS:,} columns",
            line,
            MAX_COLUMNS + 1,
        )
    quoting = csv.QUOTE_MINIMAL
    while True:
        check_size(len(lines), width)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", ParserWarning)  # cells would be lost
                frame = pd.read_csv(
                    io.StringIO(text),
                    sep=delimiter,
                    header=None,
                    names=range(width),
                    index_col=False,
                    dtype=object,
                    na_filter=False,
                    skip_blank_lines=False,
                    skipinitialspace=True,
                    quoting=quoting,
                )
        except EmptyDataError:
            return pd.DataFrame()
        except (ParserError, ParserWarning) as error:
            if "EOF" in str(error) and quoting != csv.QUOTE_NONE:
                quoting = csv.QUOTE_NONE  # an unclosed quotation mark is an ordinary character
            else:
                width *= 2  # a row with line breaks in cells can have more cells than any line
            continue
        # Quotation marks and spaces alone may be no row at all.
        return frame if frame.empty else frame.set_axis(_lines_of(frame, len(lines)), axis=0)


def check_size(rows: int, columns: int) -> None:
    """Raise NotATableError if there are too many cells."""
    if rows * columns > MAX_CELLS:
        size = f"{rows:,} rows of up to {columns:,} cells"
        raise NotATableError(
            f"the table has {size}: send fewer rows or columns, at most {MAX_CELLS:,} cells",
            is_too_large=True,
        )


def check_total_size(cells: int) -> None:
    """Raise NotATableError if the sheets together have too many cells."""
    if cells > MAX_CELLS:
        raise NotATableError(
            f"the sheets have {cells:,} cells: send at most {MAX_CELLS:,}, or one sheet only",
            is_too_large=True,
        )


def _lines_of(frame: pd.DataFrame, lines: int) -> pd.Index:
    """Return the line on which each row begins: cells may contain line breaks."""
    if len(frame) == lines:
        return pd.RangeIndex(1, lines + 1)
    inside = np.frompyfunc(lambda cell: cell.count("\n"), 1, 1)(frame.to_numpy()).sum(axis=1)
    ends = (inside.astype(np.int64) + 1).cumsum()
    return pd.Index(np.concatenate([[1], ends[:-1] + 1]))


def _split_by_spaces(text: str) -> pd.DataFrame:
    """Split lines at spaces, except within dates."""
    rows: list[str] = []  # strings, as garbage collection would walk a million lists
    words_of_date, is_dated = 0, False
    date_words: list[int] = []
    known: set[str] = set()
    above: list[int] = []  # the lines of single words before the first date
    widths: Counter[int] = Counter()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        words = line.split()
        if is_dated or number < _MAX_DATE_LINES:
            words_of_date = _count_date_words(words, words_of_date, known)
            is_dated = is_dated or words_of_date > 0
        if words_of_date:
            words = [" ".join(words[:words_of_date]), *words[words_of_date:]]
            widths[len(words)] += 1
        elif "  " in line.strip():
            words = re.split(r" {2,}", line.strip())
        elif words and not is_dated and number < _MAX_DATE_LINES and not _is_rule(line):
            above.append(number)
        date_words.append(words_of_date)
        rows.append(_CELL_SEPARATOR.join(words))
    if widths:
        width = widths.most_common(1)[0][0]
        width = split_weekdays(rows, date_words, width, _CELL_SEPARATOR)
        split = [rows[number].split(_CELL_SEPARATOR) for number in above]
        for number, words in zip(above, join_words_above(split, width), strict=True):
            rows[number] = _CELL_SEPARATOR.join(words)
        for number, words in place_words(lines, date_words).items():
            rows[number] = _CELL_SEPARATOR.join(words)
    counts = [row.count(_CELL_SEPARATOR) for row in rows]
    width = max(counts) + 1
    if width > MAX_COLUMNS:
        raise NotATableError(f"a line has {width:,} words: send a table")
    check_size(len(rows), width)
    padded = (
        row + _CELL_SEPARATOR * (width - 1 - count) for row, count in zip(rows, counts, strict=True)
    )
    cells = np.array(_CELL_SEPARATOR.join(padded).split(_CELL_SEPARATOR), dtype=object).reshape(
        -1, width
    )
    return pd.DataFrame(cells, index=range(1, len(rows) + 1))


def _count_date_words(words: list[str], likely: int, known: set[str]) -> int:
    """Return the number of words at the start of a line that are a date.

    ``known`` has the dates of earlier lines without their digits: words of the same form are dates.
    """
    tried: list[int] = [likely, *range(min(_MAX_DATE_WORDS, len(words)), 0, -1)]
    for n in tried:
        head = " ".join(words[:n])
        if len(head) > MAX_DATE_LENGTH:
            continue
        form = head.translate(_DIGITS)
        if n and (form in known or is_date(head)):
            known.add(form)
            return n
    return 0


def _strip_decoration(cells: pd.DataFrame, delimiter: str) -> pd.DataFrame:
    """Return the rows without comments, rules, and the frame of Markdown tables."""
    if cells.empty:
        return cells
    first = cells[0]
    distinct = first.unique()
    is_suspect = first.isin(["", *filter(_FRAME.fullmatch, distinct)])
    columns = cells[is_suspect].to_numpy().T.tolist()
    lines = pd.Series([*map(delimiter.join, zip(*columns, strict=True))], dtype=object)
    is_rule = np.zeros(len(cells), dtype=bool)
    is_rule[is_suspect] = lines.isin(list(filter(_is_rule, lines.unique())))
    is_comment = first.isin(list(filter(_COMMENT.match, distinct))).to_numpy(copy=True)
    cells, is_comment = _uncomment_header(cells, is_comment)
    cells = cells[~is_rule & ~is_comment]
    is_alone = (cells.iloc[:, 1:] == "").all(axis=1)
    if delimiter == "|" and ((cells[0] == "") | is_alone).all():
        framed = cells.shift(-1, axis=1, fill_value="")
        cells = cells.where(is_alone, framed, axis=0)
    return cells


def _uncomment_header(cells: pd.DataFrame, is_comment: BoolArray) -> tuple[pd.DataFrame, BoolArray]:
    """Return the rows, and which are comments, without the mark of a comment that has the names of
    columns above the first row of data."""
    is_data = ~is_comment & ((cells != "").sum(axis=1) > 1).to_numpy()
    first = int(np.argmax(is_data))
    if not first or not is_comment[first - 1]:
        return cells, is_comment
    names, row = cells.iloc[first - 1].tolist(), cells.iloc[first].tolist()
    named, width = (sum(map(bool, texts)) for texts in (names, row))
    is_whole = width > 1 and (named == width or (names[0] == "#" and named > width))
    if not is_whole or not any(is_numeric(cell) for cell in row):
        return cells, is_comment
    is_comment, cells = is_comment.copy(), cells.copy()
    is_comment[first - 1] = False
    cells.iat[first - 1, 0] = names[0].lstrip("#/- ") or names[0]
    return cells, is_comment


def _is_rule(line: str) -> bool:
    """Return whether a line is a horizontal rule."""
    return bool(_FRAME.fullmatch(line) and _RULE.search(line))
