"""Find out whether points or commas are before decimals, as far as numbers show it."""

import math
import re
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.answers import DecimalMark
from app.tables.dates.month_names import are_english
from app.tables.dates.rows import RowDates
from app.tables.numbers.number_parts import is_scaled
from app.tables.numbers.parsing import (
    GROUPED,
    StoredNumber,
    is_numeric,
    read_numbers,
    strip_unit,
    unit_of,
    value_of,
)
from app.tables.table import SAMPLE_CELLS, Table, is_mostly
from app.timeseries.types import FloatArray

_SHORT_NUMBER = re.compile(r"[+-]?\d{2,3}", re.ASCII)
_LONG_NUMBER = re.compile(r"[+-]?\d{4,}", re.ASCII)
_WITHOUT_DECIMALS = {"¥", "₩", "円", "원", "JPY", "KRW"}
# Agencies that code periods as ``2024 M01`` write points.
_PERIOD_CODE = re.compile(r"\d{4}[- ]?[MQ][01]\d", re.ASCII)
_ISO_OR_CODE = re.compile(r"\d{4}(?:-|[- ]?[MQ])\d{2}", re.ASCII)
_DAY_POINTS = re.compile(r"\d{1,2}\.\d{1,2}\.", re.ASCII)
# Hebrew, the scripts of India, Thai, Hangul, kana and Han: their languages write decimal points.
_POINT_SCRIPTS = re.compile(
    "[\u0590-\u05ff\u0900-\u0dff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
_HALVES_OF_DAY = (" AM", " PM")  # as English writes them
_MAX_NAMES_SEARCHED = 50
# The sizes of fewer numbers prove nothing.
_MIN_NUMBERS = 10
_MIN_MARKED_NUMBERS = 3
_MIN_ROUND_NUMBERS = 2
_MIN_ORDERS_NARROWER = 1.0  # numbers must be closer to each other by this many orders of magnitude
# All pairs of columns are added up.
_MIN_ADDED_COLUMNS, _MAX_ADDED_COLUMNS = 3, 10
_MAX_ADDED_ROWS = 500
_SUM_TOLERANCE_FRACTION = 1e-9  # binary fractions add up inexactly
_MIN_SUM_FRACTION = 0.95


class FileMarks(NamedTuple):
    """What a file shows of its decimal mark.

    Attributes:
        likely: The mark without any evidence: a comma next to semicolons or dates such as
            31.12.2024.
        notation: The mark in files with such delimiters and dates, None if unsure.
        numbers: All columns of numbers.
        has_point_language: Whether the file's language writes a point before decimals.
    """

    likely: DecimalMark
    notation: DecimalMark | None = None
    numbers: Sequence[int] = ()
    has_point_language: bool = False


class MarkEvidence(NamedTuple):
    """Evidence for the decimal mark of a column.

    Attributes:
        mark: The mark, None if the cells do not show it.
        unclear: The first ambiguous cell, None if there is none.
        likely: The mark that is more likely.
    """

    mark: DecimalMark | None
    unclear: str | None
    likely: DecimalMark


def find_file_marks(table: Table, dates: RowDates, numbers: Sequence[int]) -> FileMarks:
    """Return what the delimiter and the dates of a file show; ``numbers``: columns of numbers."""
    first_date = next((cell for cell in dates.cells if cell), "")
    sample = dates.cells[:SAMPLE_CELLS].tolist()
    has_day_points = _DAY_POINTS.match(first_date) is not None
    is_comma = table.delimiter == ";" or (table.delimiter != "," and has_day_points)
    likely = DecimalMark.COMMA if is_comma else DecimalMark.POINT
    point_dates = _ISO_OR_CODE if table.delimiter == "," else _PERIOD_CODE
    notation = None
    if likely is DecimalMark.POINT and is_mostly(sample, point_dates.match):
        notation = DecimalMark.POINT
    elif table.delimiter == ";" and has_day_points:
        notation = DecimalMark.COMMA
    return FileMarks(likely, notation, numbers, has_point_language(table, sample, likely))


def mark_evidence(cells: Sequence[str], likely: DecimalMark) -> MarkEvidence:
    """Return the evidence of distinct cells; ``likely`` is the mark to assume without any."""
    # Other texts, such as 1,070 [x], do not show a mark.
    numbers = [cell for cell in cells if not isinstance(cell, StoredNumber) and is_numeric(cell)]
    votes = dict.fromkeys(DecimalMark, 0)
    unclear: dict[DecimalMark, str] = {}
    for cell in numbers:
        if "." not in cell and "," not in cell:
            continue
        proved, seen = _marks_in(strip_unit(cell))
        if proved is None and seen is not None and unit_of(cell) in _WITHOUT_DECIMALS:
            proved = seen.other
        if proved is not None:
            votes[proved] += 1
        elif seen is not None:
            unclear.setdefault(seen, cell)
    point, comma = votes[DecimalMark.POINT], votes[DecimalMark.COMMA]
    if point != comma:
        return MarkEvidence(DecimalMark.POINT if point > comma else DecimalMark.COMMA, None, likely)
    if point:  # the cells contradict each other
        example = next(cell for cell in numbers if _marks_in(strip_unit(cell))[0])
        return MarkEvidence(None, example, likely)
    if not unclear:
        return MarkEvidence(None, None, likely)
    seen = next(iter(unclear))
    if len(unclear) == 1:
        # The mark does not separate thousands if other long numbers have none; it does if the
        # others are short.
        plain = [*map(strip_unit, numbers)]
        if any(map(_LONG_NUMBER.fullmatch, plain)):
            likelier = seen
        else:
            likelier = seen.other if any(map(_SHORT_NUMBER.fullmatch, plain)) else likely
        spread_mark = _mark_by_spread(numbers, likelier)
        return MarkEvidence(spread_mark, None if spread_mark else unclear[seen], likelier)
    return MarkEvidence(None, unclear[seen], likely)


def _mark_by_spread(cells: Sequence[str], likely: DecimalMark) -> DecimalMark | None:
    """Return the mark that makes numbers with marks as large as those without; None if unsure.

    ``987`` among ``1.012`` and the like is a thousand. So is ``3.500``: where whole ones have no
    decimals, others have no zeros at their end.
    """
    marked = [cell for cell in cells if "." in cell or "," in cell]
    are_round = all(strip_unit(cell).rstrip("-+ ").endswith("0") for cell in marked)
    min_marked, min_orders = (
        (_MIN_ROUND_NUMBERS, _MIN_ORDERS_NARROWER / 2)
        if are_round
        else (_MIN_MARKED_NUMBERS, _MIN_ORDERS_NARROWER)
    )
    if len(cells) < _MIN_NUMBERS or not min_marked <= len(marked) < len(cells):
        return None
    spreads = {mark: _orders_of_magnitude(cells, mark) for mark in (likely, likely.other)}
    # Long and short numbers show nothing in several units: 1.012 kg next to 987 g.
    possible = DecimalMark if any(map(is_scaled, cells)) else (likely,)
    is_clear = {mark: spreads[mark] + min_orders <= spreads[mark.other] for mark in possible}
    return next((mark for mark in possible if is_clear[mark]), None)


def _orders_of_magnitude(cells: Sequence[str], mark: DecimalMark) -> float:
    """Return how many orders of magnitude are between the smallest and the largest number."""
    values = [abs(value) for value in (value_of(cell, mark) for cell in cells) if value]
    return math.log10(max(values) / min(values)) if values else 0.0


def has_point_language(table: Table, dates: Sequence[str], likely: DecimalMark) -> bool:
    """Return whether a table's script, or English months or AM and PM of dates, say a point."""
    return any(map(_POINT_SCRIPTS.search, table.cells.iloc[0, :_MAX_NAMES_SEARCHED])) or (
        likely is DecimalMark.POINT
        and (are_english(dates) or is_mostly(dates, lambda date: date.endswith(_HALVES_OF_DAY)))
    )


def decide_by_language(clue: MarkEvidence) -> MarkEvidence:
    """Return the evidence of a column in a language with a point, if its cells show no mark.

    Cells that contradict each other keep their evidence.
    """
    is_open = clue.mark is None and clue.unclear and _marks_in(strip_unit(clue.unclear))[0] is None
    return MarkEvidence(DecimalMark.POINT, None, DecimalMark.POINT) if is_open else clue


def _marks_in(number: str) -> tuple[DecimalMark | None, DecimalMark | None]:
    """Return the decimal mark that a number proves, and the only mark in it."""
    point, comma = number.rfind("."), number.rfind(",")
    if (point < 0 and comma < 0) or not any(map(str.isdigit, number)):
        return None, None
    seen = DecimalMark.POINT if point > comma else DecimalMark.COMMA
    if point >= 0 and comma >= 0:
        return seen, seen
    count = number.count(seen.character)
    if not GROUPED[seen].fullmatch(number):
        return (seen if count == 1 else None), None
    return (seen.other if count > 1 else None), seen


def mark_by_arithmetic(columns: Sequence[pd.Series]) -> DecimalMark | None:
    """Return the only mark with which a column is the sum of two others, or of all; None for both.

    1.200 is 1,200 next to 1.000 and their difference, 200. If all numbers have a mark, it is open.
    """
    if not _MIN_ADDED_COLUMNS <= len(columns) <= _MAX_ADDED_COLUMNS:
        return None
    fitting = [
        mark
        for mark in DecimalMark
        if _has_sum([read_numbers(cells.iloc[:_MAX_ADDED_ROWS], mark) for cells in columns])
    ]
    return fitting[0] if len(fitting) == 1 else None


def _has_sum(columns: Sequence[FloatArray]) -> bool:
    """Return whether a column, shape (n,), has the sums of two others, or of all others."""
    for position, total in enumerate(columns):
        others = [*columns[:position], *columns[position + 1 :]]
        parts = [
            *(first + second for first, second in combinations(others, 2)),
            np.sum(others, axis=0),
        ]
        if any(_are_sums(total, part) for part in parts):
            return True
    return False


def _are_sums(totals: FloatArray, sums: FloatArray) -> bool:
    is_known = np.isfinite(totals) & np.isfinite(sums)
    finite = totals[is_known]
    if finite.size < _MIN_NUMBERS or np.unique(finite).size < _MIN_MARKED_NUMBERS:
        return False
    is_sum = np.abs(finite - sums[is_known]) <= _SUM_TOLERANCE_FRACTION * np.abs(finite)
    return bool(is_sum.mean() >= _MIN_SUM_FRACTION)
