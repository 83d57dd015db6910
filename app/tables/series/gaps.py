"""Report gaps and entries off the grid, and ask how to fill the gaps."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from app.tables.answers import Fill, Summary
from app.tables.dates.time_zones import ask_time_zone
from app.tables.errors import WrongAnswerError
from app.tables.messages import MAX_NAMED_ROWS, list_rows, quote
from app.tables.names.series_names import list_names
from app.tables.reading import Choice, Reading
from app.tables.series.gridded_series import Gaps, GriddedSeries
from app.tables.undated import FREQUENCY_CHOICES
from app.tables.values.summary import summary_by_name
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.words import count_of

_EVERY_DATE = " A forecast needs a value for each date."
_SUM_LEAVES_DATES_OUT = (
    " The sum leaves such dates out, unless each series is filled first; before its first value it "
    "counts as zero."
)
_LEAVE_OUT = " Fill, and such points are left out."
_FILL_NAMES = {Fill.LINEAR: "straight lines", Fill.PREVIOUS: "the value before", Fill.ZERO: "zero"}


@dataclass(frozen=True)
class GapReporter:
    """Reports on the series of a table, and asks once how to fill gaps.

    Attributes:
        rows: The numbers of its rows by time.
        lacking: Which of the summed series lack a date, for each date that some of them lack.
    """

    rows: pd.Series
    lacking: pd.DataFrame
    reading: Reading

    def report(self, series: Sequence[GriddedSeries]) -> None:
        """Report what is irregular, off the grid or missing in series."""
        answers = self.reading.answers
        self.reading.chosen.fill = answers.fill
        self.reading.chosen.data_frequency = answers.data_frequency
        _check_frequency(answers.data_frequency, series)
        self._report_dropped(next((gridded for gridded in series if gridded.dropped), None))
        irregular = (gridded for gridded in series if gridded.first_break is not None)
        self._report_irregular(next(irregular, None))
        self._report_skipped([gridded.gaps.skipped for gridded in series])
        off_grid = self._report_off_grid(
            [gridded for gridded in series if gridded.off_grid_times.size]
        )
        missing = self._describe_missing(series)
        fillable = [gridded for gridded in series if gridded.gaps.can_fill]
        self._report_filled(fillable)
        if not off_grid and not missing:
            return
        if missing and not fillable:
            self.reading.add_remark("too_many_missing", f"{missing} Too many to be filled.")
            return
        if self.reading.asks("per", required=True):
            return  # what is filled comes later
        is_empty = not any(gridded.times.size for gridded in series)
        if is_empty:
            missing += " No date has a value in every series: say what counts where one has none."
        elif missing:
            missing += self._describe_need()
        if off_grid:
            off_grid += " Such points are left out." if answers.fill else _LEAVE_OUT
        choices = [
            Choice(fill, meaning, _filled_example(fill, fillable))
            for fill, meaning in _FILL_NAMES.items()
        ]
        question = " ".join(filter(None, (off_grid, missing)))
        self.reading.ask("fill", question, choices, required=is_empty and not answers.fill)

    def _describe_need(self) -> str:
        """Say why entries must be filled, or how they were filled."""
        fill = self.reading.answers.fill
        if fill:
            return f" Filled with {_FILL_NAMES[fill]}."
        return _EVERY_DATE if self.lacking.empty else _SUM_LEAVES_DATES_OUT

    def _rows_at(self, times: TimeArray) -> list[int]:
        return sorted(self.rows[self.rows.index.isin(times)].tolist())

    def _report_filled(self, fillable: Sequence[GriddedSeries]) -> None:
        fill = self.reading.answers.fill
        if fill and fillable:
            count = sum(gridded.gaps.missing_count for gridded in fillable)
            of_all = sum(gridded.times.size for gridded in fillable)
            text = f"Filled with {_FILL_NAMES[fill]}: {count:,} of {of_all:,} values."
            self.reading.add_remark("filled", text)

    def _report_dropped(self, gridded: GriddedSeries | None) -> None:
        if gridded is not None:
            kept = gridded.times.size
            every = f"{gridded.dropped + kept:,} points are more than the service takes"
            self.reading.add_remark("dropped", f"{every}: the newest {kept:,} are read.")

    def _report_irregular(self, gridded: GriddedSeries | None) -> None:
        if gridded is None or gridded.first_break is None:
            return
        times = gridded.times[gridded.first_break :][:1]
        rows = self._rows_at(times)[:1]
        self.reading.add_remark(
            "irregular",
            "The dates are irregular: no step fits most of them. The first that does not come "
            f"{gridded.spacing} after the one before: {list_rows(rows, self.reading)}, "
            f"{shorten_time(times[0])}.",
            rows,
        )
        question = "Most dates may be missing. How far apart are they?"
        self.reading.ask("data_frequency", question, FREQUENCY_CHOICES, required=False)

    def _report_skipped(self, skipped: Sequence[TimeArray]) -> None:
        times = np.unique(np.concatenate(skipped)) if skipped else np.array([])
        if times.size:
            times_text = ", ".join(shorten_time(time) for time in times[:MAX_NAMED_ROWS])
            self.reading.add_remark(
                "clock_forward",
                f"The clock goes forward: {times_text} does not exist, and is filled in.",
            )
            text = f"The clock goes forward on {str(times[0])[:10]}."
            ask_time_zone(times[0], text, self.reading, is_skipped=True)

    def _report_off_grid(self, off_grid: Sequence[GriddedSeries]) -> str:
        if not off_grid:
            return ""
        rows = self._rows_at(np.concatenate([gridded.off_grid_times for gridded in off_grid]))
        rows_text = list_rows(rows, self.reading)
        text = f"Between the other dates, which are {off_grid[0].spacing} apart: {rows_text}."
        self.reading.add_remark("off_step", text, rows)
        return text

    def _describe_missing(self, series: Sequence[GriddedSeries]) -> str:
        incomplete = [gridded for gridded in series if gridded.gaps.missing_count]
        if not incomplete:
            return ""
        first = incomplete[0]
        text = self._describe_entries(first.gaps)
        if len(series) > 1:
            text += f" in {first.raw.name}"
        if len(incomplete) > 1:
            text += f"; and in {len(incomplete) - 1:,} more series"
        return f"Missing: {text}."

    def _describe_entries(self, gaps: Gaps) -> str:
        """Describe the missing entries: a few one by one, many by their number and span."""
        missing, count = gaps.missing, gaps.missing_count
        if count > MAX_NAMED_ROWS and self.lacking.empty:
            until = f"to {shorten_time(missing[-1])}" if len(missing) == count else "on"
            return f"{count:,} values from {shorten_time(missing[0])} {until}"
        texts = [
            shorten_time(time) + self._series_without(time) for time in missing[:MAX_NAMED_ROWS]
        ]
        text = ("; " if not self.lacking.empty else ", ").join(texts)
        return f"{text} and {count - len(texts):,} more" if count > len(texts) else text

    def _series_without(self, time: np.datetime64) -> str:
        if time not in self.lacking.index:
            return ""
        names = [str(name) for name, lacks in self.lacking.loc[time].items() if lacks]
        return f" in {list_names(names)}"


def report_zeros(filled: Sequence[GriddedSeries], reading: Reading) -> None:
    """Say in which averages zeros were filled, although the table has none.

    One fill counts for all columns: zero is right for calls at night, and not for their duration.
    """
    missing, zeros = Counter[str](), Counter[str]()
    for gridded in filled:
        column = gridded.raw.column
        named_summary = summary_by_name(column.name, column.unit, gridded.raw.row_name)
        if named_summary is Summary.AVERAGE and gridded.gaps.can_fill and not column.is_balance:
            missing[column.name] += gridded.gaps.missing_count
            zeros[column.name] += int((gridded.values == 0).sum())
    remedy = (
        "forecast it on its own, with another" if len(reading.chosen.columns) > 1 else "use another"
    )
    for name, count in missing.items():
        if zeros[name] == count:
            never = f"{quote(name)} is never 0 in the table"
            filled_in = f"0 was filled in {count_of(count, 'time')}"
            reading.add_remark("zeros_filled", f"{never}, but {filled_in}: {remedy} fill.")


def _check_frequency(frequency: Frequency | None, series: Sequence[GriddedSeries]) -> None:
    if frequency is None or any(
        gridded.spacing and gridded.spacing.frequency == frequency for gridded in series
    ):
        return
    apart = next(
        (f"the dates are {gridded.spacing} apart" for gridded in series if gridded.spacing), None
    )
    issue = f"{apart or 'no date fits it'}; leave it out"
    raise WrongAnswerError("data_frequency", issue)


def shorten_time(time: np.datetime64) -> str:
    """Format a time as short as possible: a date only if it is midnight."""
    string = str(time).replace("T", " ")
    date = string.removesuffix(" 00:00:00")
    return date if date != string else string.removesuffix(":00")


def _filled_example(fill: Fill, fillable: Sequence[GriddedSeries]) -> str:
    if not fillable:
        return ""
    gridded, time = fillable[0], fillable[0].gaps.missing[0]
    is_own = ~np.isin(gridded.times, gridded.gaps.missing)
    times, values = gridded.times[is_own], gridded.values[is_own]
    after = int(np.searchsorted(times, time))
    if not 0 < after < times.size:
        return f"{shorten_time(time)} is filled in each series"
    before = values[after - 1]
    steps = 1 + int(np.searchsorted(gridded.gaps.missing, times[after]))
    linear = before + (values[after] - before) / steps
    value = {Fill.LINEAR: linear, Fill.PREVIOUS: before, Fill.ZERO: 0.0}[fill]
    return f"{shorten_time(time)} becomes {value:g}"
