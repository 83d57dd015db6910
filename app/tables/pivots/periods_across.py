"""Find the row of a pivot's header that has periods, and the column that names the rows."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import pandas as pd

from app.tables.codes.key_names import is_named_thing
from app.tables.dates.cells import (
    DateNotation,
    date_reader,
    is_written_date,
    read_fiscal,
    read_split_year,
)
from app.tables.dates.columns.likely_dates import is_likely_date
from app.tables.dates.month_names import month_of
from app.tables.dates.notation import is_week_with_s
from app.tables.dates.year_labels import columns_of_one_form, have_one_word, read_year
from app.tables.dates.year_patterns import FULL_YEAR
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.pivots.labels import (
    COUNTED_WEEK,
    HALF,
    WEEK_LABEL,
    are_week_labels,
    are_weeks,
    is_month_or_quarter,
    is_part_of_year_label,
    is_period_label,
    is_yearless_label,
    join_labelled_weeks,
    join_weeks,
    may_be_part_of_year,
)
from app.tables.pivots.melt import CellKind, Pivot, are_numbers, has_values, other_columns
from app.tables.pivots.period_header import PivotHeader, read_header, split_measures
from app.tables.table import is_mostly, sample_height
from app.timeseries.seconds import DAY_SECONDS

_SAMPLE_ROWS = 50  # below a header
_MIN_PERIODS = 3
_MAX_LABELS_TRIED = 20  # columns at the left that may name the rows
_BEYOND_QUARTERS = re.compile(r"[qt][5-9]", re.ASCII | re.IGNORECASE)  # of questions or tests
_COUNT = re.compile(r"\d{1,2}", re.ASCII)
_DAYS_OF_YEARS = {365, 366}
_MONTHS = [str(month) for month in range(1, 13)]


def find_periods_across(
    cells: pd.DataFrame, row: int, kind_of: Callable[[str], CellKind]
) -> Pivot | None:
    """Return the pivot with periods in a row, in the first of these layouts that fits.

    Store | Jan 2024 | Feb 2024     dates
    Year  | Jan      | Feb          months, or other parts of years
    Year  | H1       | H2           half-years
    Year  | W1       | W2           weeks, or more numbers than months
    Year  | 1        | 2            numbers of months
    Month | 2023     | 2024         years
    Store | FY23     | FY24         fiscal years
    """
    sample = _sample_below(cells, row, kind_of)
    if sample is None:
        return None
    finders = (
        _dates_across,
        _months_across,
        _halves_across,
        _weeks_across,
        _numbered_months_across,
        _years_across,
        _fiscal_years_across,
    )
    return next(filter(None, (find(sample) for find in finders)), None)


@dataclass(frozen=True)
class _PivotSample:
    """A row that may be the header of a pivot, and a sample of the rows below it.

    Attributes:
        row: The index of the header.
        above: The row above it.
        top: The header with the rows that belong to it.
        columns: The cells of each column below the header, without rows that are only notes.
        kind_of: Returns the kind of a cell.
    """

    row: int
    above: Sequence[str]
    top: PivotHeader
    columns: Sequence[Sequence[str]]
    kind_of: Callable[[str], CellKind]

    @property
    def header(self) -> list[str]:
        return self.top.periods

    @cached_property
    def years_across(self) -> list[int]:
        return columns_of_one_form(self.across(read_year), self.header)

    def across(self, fits: Callable[[str], object]) -> list[int]:
        """Return the columns with values whose label fits."""
        fitting = [i for i, label in enumerate(self.header) if fits(label)]
        numeric = {i for i in fitting if has_values(self.columns[i], self.kind_of)}
        # A word in the other columns may say why there is no value.
        return [
            i
            for i in fitting
            if i in numeric or (len(numeric) > 1 and are_numbers(self.columns[i]))
        ]

    def down(self, fits: Callable[[str], object], across: Sequence[int]) -> int | None:
        """Return the first column whose cells fit, other than the columns ``across``."""
        labels = islice(other_columns(across, len(self.header)), _MAX_LABELS_TRIED)
        return next((i for i in labels if is_mostly(self.columns[i], fits)), None)

    def has_row_names(self, across: Sequence[int]) -> bool:
        """Return whether a column other than those ``across`` has a name for each row."""
        others = (self.columns[i] for i in other_columns(across, len(self.header)))
        return any(
            len({*cells}) == len(cells) and not any(map(is_numeric, cells))
            for cells in islice(others, _MAX_LABELS_TRIED)
        )


def _sample_below(
    cells: pd.DataFrame, row: int, kind_of: Callable[[str], CellKind]
) -> _PivotSample | None:
    end = row + 1 + sample_height(cells.shape[1], _SAMPLE_ROWS)
    header, *rows = cells.iloc[row:end].to_numpy().tolist()
    if not rows:
        return None
    above = cells.iloc[row - 1].tolist() if row else [""] * len(header)
    top = split_measures(header) or read_header(above, header, rows, _is_period_or_year)
    body = rows[top.rows_below :]
    body = [cells for cells in body if any(map(is_numeric, cells))] or body  # others are notes
    return _PivotSample(row, above, top, [*zip(*body, strict=True)], kind_of)


def _is_period_or_year(cell: str) -> bool:
    return is_period_label(cell) or FULL_YEAR.fullmatch(cell) is not None


def _dates_across(sample: _PivotSample) -> Pivot | None:
    header = sample.header
    across, split_years = sample.across(is_period_label), sample.across(read_split_year)
    are_split_years = len(split_years) >= len(across)  # 2009/10 could be a month
    across = split_years if are_split_years else across
    if len(across) < _MIN_PERIODS:
        return None
    fits, fits_part = (
        (read_split_year, is_part_of_year_label)
        if are_split_years
        else (is_period_label, is_yearless_label)
    )
    are_years = {*across} <= {*sample.years_across}
    if are_years and sample.down(fits_part, across) is not None:
        return None  # parts of these years are down
    across = _without_longer(_with_empty(across, header, sample.columns, fits), header)
    if len(across) < _MIN_PERIODS or sample.down(is_likely_date, across) is not None:
        return None
    return Pivot(sample.row, across, None, header=sample.top)


def _months_across(sample: _PivotSample) -> Pivot | None:
    header = sample.header
    across = sample.across(month_of)
    if len(across) < _MIN_PERIODS and not any(map(_BEYOND_QUARTERS.fullmatch, header)):
        across = sample.across(is_month_or_quarter)
    if len(across) < _MIN_PERIODS and (len(across), len(header)) != (2, 3):
        return None
    years = sample.down(read_year, across)
    if years is not None and is_named_thing(header[years]):
        return None
    if years is not None and not have_one_word(sample.columns[years]):
        years = None
    is_single_row = len(sample.columns[0]) == 1
    return Pivot(sample.row, across, years) if years is not None or is_single_row else None


def _halves_across(sample: _PivotSample) -> Pivot | None:
    across = sample.across(HALF.fullmatch)
    if sorted(sample.header[i][-1] for i in across) != ["1", "2"]:
        return None
    years = sample.down(FULL_YEAR.fullmatch, across)
    return None if years is None else Pivot(sample.row, across, years)


def _numbered_months_across(sample: _PivotSample) -> Pivot | None:
    header = sample.header
    across = [i for i, label in enumerate(header) if label in _MONTHS]
    labels = [header[i] for i in across]
    if labels != _MONTHS[: len(labels)] or len(labels) < _MIN_PERIODS:
        return None
    years = sample.down(read_year, across)
    if years is None:
        return None
    is_value_row = read_year(header[years]) is not None  # the row is not a header
    if is_value_row or is_named_thing(header[years]) or not have_one_word(sample.columns[years]):
        return None
    return Pivot(sample.row, across, years)


def _weeks_across(sample: _PivotSample) -> Pivot | None:
    across = [i for i, label in enumerate(sample.header) if WEEK_LABEL.fullmatch(label)]
    if not are_week_labels([sample.header[i] for i in across]):
        return None
    years = sample.down(FULL_YEAR.fullmatch, across)
    return None if years is None else Pivot(sample.row, across, years, join=join_labelled_weeks)


def _years_across(sample: _PivotSample) -> Pivot | None:
    row, header, years = sample.row, sample.header, sample.years_across
    if len(years) < 2 or sample.down(is_written_date, years) is not None:
        return None
    is_plain = (label := read_year(header[years[0]])) is None or not label.word
    labels = sample.down(is_part_of_year_label if is_plain else is_yearless_label, years)
    if labels is not None and not is_numeric(header[labels]):
        return Pivot(row, years, labels, are_years=True, header=sample.top)
    weeks = sample.down(COUNTED_WEEK.fullmatch, years) if is_plain else None
    if weeks is not None and are_weeks((sample.above[weeks], header[weeks]), sample.columns[weeks]):
        return Pivot(row, years, weeks, are_years=True, join=join_weeks)
    numbers = [int(header[i]) for i in years if FULL_YEAR.fullmatch(header[i])]
    are_plain = len(numbers) == len(years) >= _MIN_PERIODS
    if are_plain and {abs(later - year) for year, later in pairwise(numbers)} == {1}:
        return Pivot(row, years, None)
    return None


def _fiscal_years_across(sample: _PivotSample) -> Pivot | None:
    across = sample.across(read_fiscal)
    starts = [date.seconds for i in across if (date := read_fiscal(sample.header[i]))]
    days = {abs(later - start) // DAY_SECONDS for start, later in pairwise(starts)}
    if len(across) < _MIN_PERIODS or not days <= _DAYS_OF_YEARS:
        return None
    if sample.down(may_be_part_of_year, across) is not None:
        return None
    if sample.down(_COUNT.fullmatch, across) is not None and not sample.has_row_names(across):
        return None  # these may be months or weeks
    return Pivot(sample.row, across, None)


def _with_empty(
    across: list[int],
    header: Sequence[str],
    columns: Sequence[Sequence[str]],
    fits: Callable[[str], object],
) -> list[int]:
    """Return the columns ``across``, and those of other periods that have no values."""
    filled = {*across}
    return [
        i
        for i, label in enumerate(header)
        if i in filled or (fits(label) and all(map(is_missing, {*columns[i]})))
    ]


def _without_longer(across: list[int], header: Sequence[str]) -> list[int]:
    """Return the columns ``across`` without longer periods, such as quarters between months."""
    read = date_reader(
        DateNotation(has_weeks_with_s=any(is_week_with_s(header[i]) for i in across))
    )
    dates = {i: date for i in across if (date := read(header[i]))}
    counts = Counter(date.granularity for date in dates.values())
    if len(counts) < 2:
        return across
    usual = counts.most_common(1)[0][0]
    return [i for i in across if i not in dates or dates[i].granularity <= usual]
