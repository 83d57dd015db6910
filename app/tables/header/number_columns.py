"""Find the columns with values, other than keys and counters, and the one that is likely wanted."""

import re
from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from app.tables.codes.key_names import are_lettered_codes, is_named_identifier, is_named_key
from app.tables.codes.missing_codes import are_missing_codes
from app.tables.header.heading import Heading, has_numbers
from app.tables.numbers.durations import are_durations, are_under_an_hour, is_duration
from app.tables.numbers.parsing import without_missing
from app.tables.table import SAMPLE_CELLS, is_mostly, sample_height, sample_rows
from app.tables.units.unit_letters import have_units
from app.tables.words import AMOUNT, LIKELY_VALUE, VALUE

# These show which columns have numbers.
_MIN_SAMPLE_ROWS = 20
_MAX_SAMPLE_CELLS = 100_000
_MIN_DISTINCT_FRACTION = 0.95  # keys differ in at least this fraction of the rows
_MIN_KEY_DIGITS = 8  # keys that are in no order have at least this many digits
_LONG_CODE = re.compile(r"0\d{3,60}|[1-9]\d{8,60}", re.ASCII)  # such as that of a meter
_COUNTER = re.compile(r"(?:unnamed.*|index|idx|id|no\.?|nr\.?|#|row)", re.IGNORECASE)
# Ends of the names of two columns that have the day and the time of one event, such as
# Abschlussdatum and Abschlusszeit.
_DATE, _TIME = (
    re.compile(rf"(?<=\w)[ _-]?(?:{names})$", re.IGNORECASE)
    for names in ("date|datum", "time|uhrzeit|zeit")
)
_LIKELY_NAMES = re.compile(rf"^(?:y|{VALUE}|{AMOUNT}|{LIKELY_VALUE})\b", re.IGNORECASE)


def value_columns(
    heading: Heading, taken: Iterable[int], wanted: Collection[str] = ()
) -> list[int]:
    """Return the columns of numbers, except ``taken`` and columns that number the rows.

    ``wanted``: names of columns that are returned if they have numbers.
    """
    count = sample_height(
        heading.body.shape[1], SAMPLE_CELLS, min_rows=_MIN_SAMPLE_ROWS, max_cells=_MAX_SAMPLE_CELLS
    )
    rows = sample_rows(heading.body, count)
    sample = dict(zip(rows, rows.to_numpy().T.tolist(), strict=True))
    free = [column for column in sample if column not in taken]
    others = [c for c in free if not (has_numbers(sample[c]) or have_units(sample[c]))]
    numeric = sorted({*free}.difference(others))
    numeric = sorted([*numeric, *_columns_of_durations(heading, sample, others, numeric)])
    values = [
        c
        for c in numeric
        if heading.names[c] in wanted
        or not (
            _is_counter(heading.written[c], c, sample[c])
            or (len(numeric) > 1 and _is_identifier(heading.written[c], sample[c]))
            or are_missing_codes(sample[c])
            or are_lettered_codes(heading.written[c], sample[c])
        )
    ]
    return values or numeric


def _columns_of_durations(
    heading: Heading, sample: Mapping[int, list[str]], free: Iterable[int], numeric: list[int]
) -> list[int]:
    """Return the ``free`` columns of durations, which may look like times of day.

    In a table without columns of numbers, they are the values.
    """
    times = [c for c in free if is_mostly(without_missing(sample[c]), is_duration)]
    dated = {_DATE.sub("", name).casefold() for name in heading.written if _DATE.search(name)}
    is_decisive = {c: _TIME.sub("", heading.names[c]).casefold() not in dated for c in times}
    return [
        c
        for c in times
        if not numeric
        or are_durations(heading.names[c] if is_decisive[c] else "", sample[c])
        or are_under_an_hour(sample[c])
    ]


def likely_column(names: Iterable[str], ends: Collection[int]) -> int:
    """Return the index of the column of values that is most likely wanted.

    It is the first with a clear name, or else the first. A column of a plan, which ends later than
    the actual values, comes last. ``ends`` are the positions of the last values of the columns.
    """
    first_end = min(ends, default=0)
    is_plan = 4 * first_end >= 3 * max(ends, default=0)  # else a column has ended long ago
    actual = [i for i, end in enumerate(ends) if not is_plan or end <= first_end + 1]
    clear = {i for i, name in enumerate(names) if _LIKELY_NAMES.match(name)}
    return next((i for i in actual if i in clear), actual[0])


def is_key(name: str, cells: list[str]) -> bool:
    """Return whether a column is named like a key, and numbers hardly ever repeat in it.

    They are long or in order: others, as of ``sales_no``, may be values.
    """
    filled = [cell for cell in cells if cell and cell != name]
    if not is_named_key(name) or len(filled) <= 2 or not all(map(str.isdecimal, filled)):
        return False
    in_order = sorted(filled, key=lambda cell: (len(cell), cell))
    is_ordered = filled in (in_order, in_order[::-1])
    is_likely = is_ordered or min(map(len, filled)) >= _MIN_KEY_DIGITS
    return is_likely and len({*filled}) >= _MIN_DISTINCT_FRACTION * len(filled)


def _is_identifier(name: str, cells: list[str]) -> bool:
    """Return whether a column names one account, customer or the like in all rows, or each row."""
    if is_key(name, cells):
        return True
    distinct = {*cells} - {"", name}  # the header may be repeated on a page
    codes = [cell for cell in cells if _LONG_CODE.fullmatch(cell)]
    if len(codes) > 2 and len({*codes}) == 1 and len(codes) >= _MIN_DISTINCT_FRACTION * len(cells):
        return True  # with other rows above the first date
    if len(distinct) != 1 or len(cells) <= 2:
        return False
    return _LONG_CODE.fullmatch(distinct.pop()) is not None or is_named_identifier(name)


def _is_counter(name: str, column: int, cells: list[str]) -> bool:
    if not (_COUNTER.fullmatch(name) if name else column == 0 and len(cells) > 2):
        return False
    numbers = pd.to_numeric(pd.Series(cells), errors="coerce").dropna()
    steps = numbers.diff().iloc[1:]
    if not len(steps) or steps.iloc[0] <= 0:
        return False
    is_restart = numbers.iloc[1:] == numbers.iloc[0]  # as those of the days of each month
    return bool(((steps == steps.iloc[0]) | is_restart).all())
