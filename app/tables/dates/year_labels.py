"""Read labels of years next to months, and recognize years of other calendars."""

import datetime as dt
import itertools
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

import pandas as pd

from app.tables.dates.cells import (
    MAX_DATE_LENGTH,
    is_short_buddhist,
    read_fiscal,
    read_split_year,
    written_year,
)
from app.tables.dates.month_names import fold_text, month_of, months_of
from app.tables.dates.part_values import (
    BUDDHIST_OFFSET,
    BUDDHIST_YEARS,
    ERAS,
    ROC_OFFSET,
    year_of_era,
)
from app.tables.dates.year_patterns import FISCAL_PREFIX, FOUR_DIGITS, MODERN_YEAR
from app.tables.errors import UnreadableTableError, WrongAnswerError
from app.tables.reading import Choice, Reading
from app.timeseries.seconds import MONTHS_PER_YEAR

_WORD = r"[^\x00-\x1f!-\-/-@\[-`{-~£¥€]{0,12}"  # of letters, points and spaces
# With a short word, such as FY2024, 2024 г. or Year 2024; also Buddhist years from 2007 on.
_YEAR = re.compile(rf"({_WORD}?)({MODERN_YEAR}|25[5-7]\d)( ?\(?{_WORD}\)?)", re.ASCII)
_ERA_YEAR = re.compile(
    rf"(?:({'|'.join(ERAS)}|[rhs]) ?(\d{{1,3}}|元)|(1\d{{2}}|[6-9]\d)) ?年(度)?", re.ASCII
)
_ROC_SIGN = re.compile(r"民[國国]|1\d{2} ?年", re.ASCII)
_SUFFIXES = ("年", "年度", "년")
_BEFORE_SPLIT_YEAR = re.compile(rf"^(?:{FISCAL_PREFIX}|ay) ?")
MAX_START_DAY = 28  # of a month: February has no later one
_ONE_WORD = re.compile(r"[^\s\d]+", re.ASCII)
_DAY_OF_MONTH = re.compile(r"\d{1,2}\. ?(\d{1,2})\.", re.ASCII)  # 24.12.
COUNTED_MONTH = re.compile(r"0?[1-9]|1[0-2]", re.ASCII)
QUARTER_OF_YEAR = re.compile(
    r"(?:q|qtr|quarter|quartal|t|trim\.?) ?[1-4]", re.ASCII | re.IGNORECASE
)
_HIJRI = range(1330, 1481)  # 1912 to 2058
# Digits of Persian, or a month of 31 days, which Hijri months never have.
_PERSIAN = re.compile(r"[۰-۹]|^\d{4}([/.-])0?[1-6]\1\s?31\b|^31([/.-])0?[1-6]\2\d{4}\b", re.ASCII)


class YearLabel(NamedTuple):
    """The label of a year.

    Attributes:
        year: The calendar year in which it begins, perhaps a Buddhist one.
        is_fiscal: Whether it ends in the next calendar year.
        word: The rest of the label.
    """

    year: int
    is_fiscal: bool
    word: str = ""


@lru_cache(maxsize=16_384)
def read_year(cell: str) -> YearLabel | None:
    """Read a label such as 2024, Year 2024, 2023/24, FY 2023-24, 2023年度 or 令和5年度."""
    if not 3 <= len(cell) <= MAX_DATE_LENGTH:
        return None
    folded = fold_text(cell)
    if match := _YEAR.fullmatch(folded):
        words = [match[1].strip(" ."), match[3].strip(" .()")]
        is_of_month = any(map(month_of, words))  # Jan 2024
        word = "" if words[1] in _SUFFIXES else " ".join(words)
        return None if is_of_month else YearLabel(int(match[2]), words[1] == "年度", word.strip())
    if match := _ERA_YEAR.fullmatch(folded):
        year = year_of_era(match[1] or "民國", match[2] or match[3])
        return YearLabel(year, match[4] is not None and not _ROC_SIGN.match(folded))
    label = _BEFORE_SPLIT_YEAR.sub("", folded, count=1)
    # Mar 2024/25 has a day of the week, mardi.
    is_split_year = label[:4].isdigit() and read_split_year(label)
    return YearLabel(int(label[:4]), True) if is_split_year else None


def is_part_of_year(cell: str) -> bool:
    """Return whether a cell is the name of a month, or a quarter."""
    return bool(month_of(cell) or QUARTER_OF_YEAR.fullmatch(cell))


def report_roc(cells: Iterable[str], reading: Reading) -> None:
    """Report years of Taiwan, if there are any."""
    if any(map(_ROC_SIGN.match, cells)):
        text = f"The years are those of the Republic of China, {ROC_OFFSET} less than ours."
        reading.add_remark("roc_years", text)


def have_one_word(cells: Iterable[str]) -> bool:
    """Return whether the labels of years among cells differ only in the year."""
    return len({label.word for label in map(read_year, cells) if label}) == 1


def columns_of_one_form(columns: list[int], header: Sequence[str]) -> list[int]:
    """Return the columns of plain years, or else of years with the same word, if any."""
    plain = [i for i in columns if (label := read_year(header[i])) and not label.word]
    return plain or (columns if have_one_word([header[i] for i in columns]) else [])


def join_years(
    years: pd.Series,
    parts: pd.Series,
    reading: Reading,
    *,
    parts_first: bool,
    part_order: Iterable[str] | None = None,
) -> pd.Series:
    """Combine labels of years and labels of their parts to dates, shape (n,).

    Months from April to March, for example, belong to two calendar years. If the labels do not say
    in which of them such a year begins, ask.

    Args:
        parts_first: Whether days and names of months are written before the year.
        part_order: The order of the parts in the table, if the first year lacks some of them.
    """
    labels = {cell: label for cell in years.unique() if (label := read_year(cell))}
    report_roc(labels, reading)
    ordered = [*(part_order or parts.unique())]
    numbers = months_of(ordered) | {c: int(c) for c in ordered if COUNTED_MONTH.fullmatch(c)}
    are_months = any(numbers.values())  # of FY2024, their order shows when it begins
    plain = {c: str(label.year) for c, label in labels.items() if are_months or not read_fiscal(c)}
    dated_years = years.map(lambda year: plain.get(year, year))
    days = {cell: int(match[1]) for cell in ordered if (match := _DAY_OF_MONTH.fullmatch(cell))}
    months = {**numbers, **days}
    are_fiscal = bool(labels) and all(label.is_fiscal for label in labels.values())
    if later := _months_of_next_year([*months.values()], are_fiscal=are_fiscal):
        first_month = next(iter(months.values())) or 1
        moved = 0 if are_fiscal else _ask_start(labels, first_month, reading)
        shifts = parts.map({cell: moved + (month in later) for cell, month in months.items()})
        dated_years = _shift_years(dated_years, shifts)
    elif are_fiscal:
        dated_years = dated_years.map(
            lambda year: f"FY{year}/{int(year) + 1}" if FOUR_DIGITS.fullmatch(year) else year
        )
    elif are_months and (fiscal := next(filter(read_fiscal, labels), None)):
        text = f"“{fiscal}” is read as the calendar year, in the order of its months."
        reading.add_remark("fiscal_year", text)
    # Names of two words, as in the Levant, or with numbers are not in all forms of dates.
    counted = {
        cell: str(month)
        for cell, month in numbers.items()
        if month and (later or not _ONE_WORD.fullmatch(cell))
    }
    return _join_labels(dated_years, parts.replace(counted), parts_first=parts_first)


def _join_labels(years: pd.Series, parts: pd.Series, *, parts_first: bool) -> pd.Series:
    """Return ``Jan 2024`` or ``2024 Q1``; with numbers ``2024-03`` or ``30.12.2024``."""
    dates = parts + " " + years if parts_first else years + " " + parts
    dates = dates.where(~parts.str.fullmatch(COUNTED_MONTH), years + "-" + parts.str.zfill(2))
    is_day = parts.str[:1].isin([*"0123456789"]) & parts.str.endswith(".")  # 30.12.
    return dates.where(~is_day, parts + years)


def join_years_above(years: pd.Series, parts: pd.Series, reading: Reading) -> pd.Series:
    """Combine years with the months or quarters below each, of which the first may lack some."""
    order = order_parts(years, parts)
    return join_years(years, parts, reading, parts_first=True, part_order=order)


def order_parts(years: pd.Series, parts: pd.Series) -> list[str]:
    """Return the parts of years in the order of one that ends in the next year, or by month."""
    numbers = months_of(parts)
    for _, of_year in parts.groupby(years, sort=False):
        months = [numbers[part] or 0 for part in of_year]
        if months != sorted(months):
            return [*dict.fromkeys([*of_year, *parts])]
    return sorted(numbers, key=lambda part: numbers[part] or 0)


def _shift_years(years: pd.Series, shifts: pd.Series) -> pd.Series:
    shifted = (pd.to_numeric(years, errors="coerce").fillna(0).astype(int) + shifts).astype(str)
    return years.where(~years.str.fullmatch(FOUR_DIGITS), shifted)


def _ask_start(labels: dict[str, YearLabel], month: int, reading: Reading) -> int:
    """Return 0 if a year begins in the year of its label, -1 if in the one before, as answered."""
    cell, label = next(iter(labels.items()))
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


def reject_late_start(answered: dt.date | None) -> None:
    """Raise WrongAnswerError if not every month has the day of an answer."""
    if answered and answered.day > MAX_START_DAY:
        issue = f"not every month has a day {answered.day}; send a day from 1 to {MAX_START_DAY}"
        raise WrongAnswerError("start", issue)


def _months_of_next_year(months: Sequence[int | None], *, are_fiscal: bool) -> set[int]:
    """Return which months are in the next calendar year, for a year that begins after January.

    For other years there are none. If each label has two years, some months may be missing, such as
    those outside a season.
    """
    month_order = [month for month, _ in groupby(filter(None, months))]
    ends = [i for i, (earlier, later) in enumerate(pairwise(month_order), 1) if later < earlier]
    if len(ends) != 1 or len({*month_order}) < len(month_order) or month_order[-1] > month_order[0]:
        return set()
    is_year = len(month_order) == len(months) == MONTHS_PER_YEAR
    return {*month_order[ends[0] :]} if are_fiscal or is_year else set()


def report_calendar(cells: Sequence[str], reading: Reading) -> None:
    """Report years that are not Gregorian; raise UnreadableTableError if they are Persian."""
    report_roc(cells, reading)
    years = filter(None, map(written_year, cells))
    first = next(years, 0)
    calendar = BUDDHIST_YEARS if first in BUDDHIST_YEARS else _HIJRI
    if first and not all(year in calendar for year in itertools.chain([first], years)):
        return
    if first in BUDDHIST_YEARS or (not first and any(map(is_short_buddhist, cells))):
        reading.add_remark(
            "buddhist_years", f"The years are Buddhist ones, {BUDDHIST_OFFSET} more than ours."
        )
    elif first:
        if cell := next(filter(_PERSIAN.search, cells), None):
            raise UnreadableTableError(
                f"dates such as “{cell}” are of the Persian calendar, whose months begin on other "
                "days: send Gregorian dates, such as 2024-01-31"
            )
        reading.add_remark(
            "hijri_years",
            f"Years such as {first} are taken as they are. If they are of the Hijri calendar,"
            " send dates of the Gregorian one: a forecast would mistake its seasons.",
        )
