"""Read months of fiscal years, such as FY2023 Apr: the year may be that in which it ends."""

import re
from itertools import pairwise

import pandas as pd

from app.tables.dates.cells import MAX_DATE_LENGTH
from app.tables.dates.month_names import month_of
from app.tables.dates.year_labels import join_years
from app.tables.results import Reading

FISCAL_YEAR = re.compile(r"(?:FY|GJ|FJ|EJ) ?'?((?:19|20)?\d{2})", re.ASCII | re.IGNORECASE)
_FISCAL_MONTH = re.compile(
    rf"{FISCAL_YEAR.pattern}[- /,]*([^\W\d_]+)\.?|([^\W\d_]+)\.?[- /,]*{FISCAL_YEAR.pattern}",
    re.IGNORECASE,
)
_MONTHS_PER_YEAR = 12


def split_fiscal_month(cell: str) -> tuple[str, str] | None:
    """Return the fiscal year and the name of the month in a cell such as ``FY23 Apr``."""
    match = _FISCAL_MONTH.fullmatch(cell) if len(cell) <= MAX_DATE_LENGTH else None
    if match is None:
        return None
    year, name = match[1] or match[4], match[2] or match[3]
    return (f"FY{year if len(year) > 2 else '20' + year}", name) if month_of(name) else None


def join_fiscal_months(cells: pd.Series, reading: Reading) -> pd.Series:
    """Return dates such as ``Apr 2022``; ask in which calendar year a fiscal one begins.

    It begins with the month of the row in which the year changes.
    """
    pairs = [split_fiscal_month(cell) or ("", "") for cell in cells]
    years, parts = (pd.Series(part, cells.index, dtype=object) for part in zip(*pairs, strict=True))
    ordered = [pair for pair in pairs if pair[0]]
    changes = (pair for pair in pairwise(ordered) if pair[0][0] != pair[1][0])
    _, start = next((max(pair, key=_year_of) for pair in changes), ordered[0])
    first = month_of(start) or 1
    after_first = {name: ((month_of(name) or 0) - first) % _MONTHS_PER_YEAR for name in {*parts}}
    names = sorted({*parts} - {""}, key=after_first.__getitem__)
    dates = join_years(years, parts, reading, parts_first=True, part_order=names)
    return dates.where(years != "", "")


def _year_of(pair: tuple[str, str]) -> str:
    return pair[0]
