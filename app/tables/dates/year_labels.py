"""Read the labels of years beside months or quarters, and of years that begin within another."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import pandas as pd

from app.tables.dates.cells import MAX_DATE_LENGTH, read_season
from app.tables.dates.month_names import fold_text, month_of
from app.tables.dates.part_values import ERAS
from app.tables.results import Choice, Reading, WrongAnswerError

_YEAR = re.compile(r"((?:19|20)\d{2}) ?(?:(年度)|年|년)?", re.ASCII)
_ERA_YEAR = re.compile(rf"({'|'.join(ERAS)})(\d{{1,2}}|元)年(度)?", re.ASCII)
_PREFIX = re.compile(r"(?:fy|ay|gj) ?")
_MONTHS_PER_YEAR = 12
_DIGITS = re.compile(r"\d{4}", re.ASCII)
_ONE_WORD = re.compile(r"[^\s\d]+", re.ASCII)
_DAY_OF_MONTH = re.compile(r"\d{1,2}\. ?(\d{1,2})\.", re.ASCII)  # 24.12.
COUNTED_MONTH = re.compile(r"0?[1-9]|1[0-2]", re.ASCII)


class YearLabel(NamedTuple):
    """``year``: in which it begins; ``is_fiscal``: whether it ends in the next one."""

    year: int
    is_fiscal: bool


def read_year(cell: str) -> YearLabel | None:
    """Read a label such as 2024, 2023/24, FY 2023-24, 2023年度 or 令和5年度."""
    if not 4 <= len(cell) <= MAX_DATE_LENGTH:
        return None
    folded = fold_text(cell)
    if match := _YEAR.fullmatch(folded):
        return YearLabel(int(match[1]), match[2] is not None)
    if match := _ERA_YEAR.fullmatch(folded):
        nth = 1 if match[2] == "元" else int(match[2])
        return YearLabel(ERAS[match[1]] + nth, match[3] is not None)
    season = _PREFIX.sub("", folded, count=1)
    return YearLabel(int(season[:4]), True) if read_season(season) else None


def join_years(
    years: pd.Series,
    parts: pd.Series,
    reading: Reading,
    *,
    parts_first: bool,
    part_order: Iterable[str] | None = None,
) -> pd.Series:
    """Combine labels of years with those of their parts to dates, shape (n,).

    Months from April to March, for example, belong to two calendar years: where the labels do not
    say in which one such a year begins, that is asked. ``parts_first``: days and names of months
    are written before the year. ``part_order``: the parts as the table has them, if the first year
    lacks some of them.
    """
    labels = {cell: read_year(cell) for cell in years.unique()}
    known = {cell: label for cell, label in labels.items() if label}
    begins = years.map({cell: str(label.year) for cell, label in known.items()}).fillna(years)
    ordered = [*(part_order or parts.unique())]
    numbers = {cell: _month_of(cell) for cell in ordered}
    days = {cell: int(match[1]) for cell in ordered if (match := _DAY_OF_MONTH.fullmatch(cell))}
    months = {**numbers, **days}
    later = _months_of_next_year([*months.values()], are_fiscal=_are_fiscal(known))
    # Names of two words, as in the Levant, or with numbers are not in all forms of dates.
    counted = {cell: f"{n}" for cell, n in numbers.items() if n and not _ONE_WORD.fullmatch(cell)}
    if later:
        first = next(iter(months.values())) or 1
        moved = 0 if _are_fiscal(known) else _ask_start(known, first, reading)
        shifts = parts.map({cell: moved + (month in later) for cell, month in months.items()})
        begins = begins.where(~begins.str.fullmatch(_DIGITS), _shifted(begins, shifts))
        counted = {cell: f"{month:02}" for cell, month in numbers.items() if month}
    elif _are_fiscal(known):
        begins = begins.map(
            lambda year: f"FY{year}/{int(year) + 1}" if _DIGITS.fullmatch(year) else year
        )
    written = parts.replace(counted)
    are_counts = written.str.fullmatch(COUNTED_MONTH)
    ends_open = written.str[:1].isin([*"0123456789"]) & written.str.endswith(".")  # 30.12.
    dates = written + " " + begins if parts_first else begins + " " + written
    dates = dates.where(~are_counts, begins + "-" + written.str.zfill(2))
    return dates.where(~ends_open, written + begins)


def _shifted(years: pd.Series, shifts: pd.Series) -> pd.Series:
    return (pd.to_numeric(years, errors="coerce").fillna(0).astype(int) + shifts).astype(str)


def _are_fiscal(known: dict[str, YearLabel]) -> bool:
    return bool(known) and all(label.is_fiscal for label in known.values())


def _month_of(cell: str) -> int | None:
    return int(cell) if COUNTED_MONTH.fullmatch(cell) else month_of(cell)


def _ask_start(known: dict[str, YearLabel], month: int, reading: Reading) -> int:
    """Return how many years before the one of its label a year begins, 0 or -1, as answered."""
    cell, label = next(iter(known.items()))
    answered = reading.answers.start
    days = [dt.date(label.year - back, month, 1) for back in (0, 1)]
    reading.ask(
        "start",
        f"On which day did {cell} begin?",
        [Choice(str(day), f"on {day}", f"{cell} begins in {day:%B %Y}") for day in days],
        required=answered is None,
    )
    if answered and answered.year not in {day.year for day in days}:
        issue = f"{cell} begins in {days[0]:%Y} or {days[1]:%Y}; send {days[0]} or {days[1]}"
        raise WrongAnswerError("start", issue)
    reading.chosen.start = answered
    return answered.year - label.year if answered else 0


def _months_of_next_year(months: Sequence[int | None], *, are_fiscal: bool) -> set[int]:
    """Return which months are in the next calendar year, for a year that begins after January.

    For other years these are none.

    If the labels of years are those of two, some months may be missing, as out of a season.
    """
    known = [month for month, _ in groupby(filter(None, months))]
    ends = [i for i, (before, after) in enumerate(pairwise(known), 1) if after < before]
    if len(ends) != 1 or len({*known}) < len(known) or known[-1] > known[0]:
        return set()
    is_year = len(known) == len(months) == _MONTHS_PER_YEAR
    return {*known[ends[0] :]} if are_fiscal or is_year else set()
