"""Find the regular step of a series, and its gaps; fill them."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.answers import Fill, Summary
from app.tables.dated_values import UngriddedSeries
from app.tables.dates.time_zones import are_skipped
from app.timeseries.calendar.axes import SecondAxis
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.spacing import Spacing
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.seconds import HOUR_SECONDS
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MAX_LISTED_MISSING = 1_000
_MAX_FILLED_PER_DATE = 50  # for each date of the table
_MAX_SUM_DECIMALS = 6
_SIGNIFICANT_DIGITS = 15
_NO_TIMES = np.array([], dtype="datetime64[s]")


class Gaps(NamedTuple):
    """The entries of a grid that a table lacks.

    Attributes:
        missing: The first ones, or all if they can be filled.
        missing_count: The number of all of them.
        can_fill: Whether they can be filled.
        skipped: Entries of an hour that the clock skips, which are always filled and not counted.
    """

    missing: TimeArray = _NO_TIMES
    missing_count: int = 0
    can_fill: bool = False
    skipped: TimeArray = _NO_TIMES


@dataclass(frozen=True)
class GriddedSeries:
    """A series on its grid.

    Attributes:
        raw: The series as the table has it.
        times: The times, shape (n,), with those of filled entries.
        values: The values, shape (n,), with those of filled entries.
        spacing: The step of the grid, None for a single time. It fits only a few irregular times.
        dropped: The number of oldest points that were left out, beyond the limit.
        off_grid_times: Times between the entries.
        has_off_grid_times: Whether ``times`` has such times, as nothing was filled.
        first_break: The index of the first time that is not one step after the previous one, if no
            step fits most of the times.
        summary: What several of its values become.
    """

    raw: UngriddedSeries
    times: TimeArray
    values: FloatArray
    spacing: Spacing | None
    dropped: int = 0
    gaps: Gaps = field(default_factory=Gaps)
    off_grid_times: TimeArray = field(default_factory=lambda: _NO_TIMES)
    has_off_grid_times: bool = False
    first_break: int | None = None
    summary: Summary = Summary.TOTAL

    @property
    def regular_spacing(self) -> Spacing | None:
        """The spacing, unless a time is off the grid; entries may be missing."""
        is_regular = self.first_break is None and not self.has_off_grid_times
        return self.spacing if is_regular else None


def align_to_grid(
    raw: UngriddedSeries, *, suffix: str, fill: Fill | None, frequency: Frequency | None, limit: int
) -> GriddedSeries:
    """Return a series on its grid; dates without a value show the step, too.

    Args:
        raw: The series. With substitutes, entries before the first and after the last value count.
        suffix: The end of the timestamps.
        fill: How to fill missing entries; None: they stay missing.
        frequency: The frequency of irregular times, if that was answered.
        limit: The maximum number of points.
    """
    trimmed, dropped = _trim_ends(raw, limit)
    series = _without_weekends(trimmed)
    filled = series._replace(values=series.values.dropna())
    spacing = find_spacing(series.times)
    if frequency is not None and (spacing is None or spacing.defect_count):
        spacing = find_spacing(series.times, frequency)
    first_break = None
    if spacing and frequency is None and not spacing.is_mostly_regular:
        spacing = find_spacing(filled.times) or spacing
        first_break = _first_break(filled.times, spacing)
    elif spacing:
        gridded = _fill_grid(series, spacing, limit, suffix, fill)
        if gridded is not None:
            return replace(gridded, dropped=dropped)
        spacing = None
    values = filled.values.to_numpy()
    return GriddedSeries(raw, filled.times, values, spacing, dropped, first_break=first_break)


def _fill_grid(
    raw: UngriddedSeries, spacing: Spacing, limit: int, suffix: str, fill: Fill | None
) -> GriddedSeries | None:
    """Return a series on the grid of ``spacing``, its gaps filled; None if no value is on it."""
    times, values, has_ends = raw.times, raw.values.to_numpy(), raw.substitutes is not None
    has_value = ~np.isnan(values)
    is_on_grid = np.zeros(times.size, dtype=bool)
    is_on_grid[spacing.on_grid] = True
    off_grid = times[~is_on_grid & has_value]
    marks = spacing.positions[is_on_grid & has_value]
    if not marks.size and not has_ends:
        return None
    ends = spacing.positions[spacing.on_grid] if has_ends else marks
    bounds = np.concatenate([[ends[0] - spacing.stride], marks, [ends[-1] + spacing.stride]])
    lengths = np.diff(bounds) // spacing.stride - 1
    count = int(lengths.sum())
    max_filled = min(limit - int(has_value.sum()), _MAX_FILLED_PER_DATE * times.size)
    can_fill = 0 < count <= max_filled
    missing = spacing.axis.times(
        _missing_positions(
            bounds, lengths, spacing.stride, count if can_fill else _MAX_LISTED_MISSING
        )
    )
    is_skipped = np.zeros(missing.size, dtype=bool)
    if can_fill and not suffix:
        is_skipped = _is_skipped_hour(missing, times, spacing)
    is_kept = is_on_grid & has_value if fill else has_value
    known_times, known_values = times[is_kept], values[is_kept]
    filled = missing if fill and can_fill else missing[is_skipped]
    if filled.size:
        known_times, known_values = _fill_gaps(
            known_times, known_values, filled, fill, raw.substitutes
        )
    gaps = Gaps(
        missing[~is_skipped],
        count - int(is_skipped.sum()),
        can_fill and not is_skipped.all(),
        missing[is_skipped],
    )
    return GriddedSeries(
        raw,
        known_times,
        known_values,
        spacing,
        gaps=gaps,
        off_grid_times=off_grid,
        has_off_grid_times=off_grid.size > 0 and not fill,
    )


def round_sum(value: float) -> float:
    """Round away the error of adding binary fractions."""
    return float(f"{value:.{_SIGNIFICANT_DIGITS}g}")


def round_sums(sums: pd.Series, addends: FloatArray) -> pd.Series:
    """Round sums to the decimals of their addends: more decimals are an error of adding.

    Large amounts that nearly cancel leave an error that is large in relation to their sum.
    """
    finite = addends[np.isfinite(addends)]
    with np.errstate(over="ignore", invalid="ignore"):  # of huge values, which have no decimals
        for decimals in range(_MAX_SUM_DECIMALS + 1):
            if np.array_equal(np.round(finite, decimals), finite):
                return sums.round(decimals)
    return sums.map(round_sum)


def _first_break(times: TimeArray, spacing: Spacing) -> int:
    """Return the index of the first time that is not one step after the previous one."""
    due = spacing.axis.times(spacing.axis.positions(times[:-1]) + spacing.stride)
    breaks = np.flatnonzero(times[1:] != due) + 1
    return int(breaks[0]) if breaks.size else 0


def _trim_ends(raw: UngriddedSeries, limit: int) -> tuple[UngriddedSeries, int]:
    """Return the newest entries, from the first value to the last, and the number dropped."""
    positions = np.flatnonzero(raw.values.notna())
    dropped = max(positions.size - limit, 0)
    has_ends = raw.substitutes is not None
    first = 0 if has_ends and not dropped else int(positions[dropped])
    end = raw.values.size if has_ends else int(positions[-1]) + 1
    return raw._replace(values=raw.values.iloc[first:end]), dropped


def _without_weekends(raw: UngriddedSeries) -> UngriddedSeries:
    """Leave out the entries without a value if they are exactly those on weekends."""
    has_value = raw.values.notna().to_numpy()
    is_workday = np.is_busday(raw.times.astype("datetime64[D]"))
    are_weekends = is_workday[has_value].all() and not is_workday[~has_value].any()
    return raw._replace(values=raw.values[has_value]) if are_weekends else raw


def _missing_positions(bounds: IntArray, gaps: IntArray, step: int, limit: int) -> IntArray:
    parts = [np.array([], dtype=np.int64)]
    count = 0
    for position in np.flatnonzero(gaps > 0).tolist():
        added = min(int(gaps[position]), limit - count)
        parts.append(bounds[position] + step * np.arange(1, added + 1, dtype=np.int64))
        count += added
        if count >= limit:
            break
    return np.concatenate(parts)


def _is_skipped_hour(missing: TimeArray, times: TimeArray, spacing: Spacing) -> BoolArray:
    """Return which missing entries are in an hour that a local clock skips, and not in the table.

    ``times`` are all times of the table, with and without a value.
    """
    if not isinstance(spacing.axis, SecondAxis) or spacing.stride > HOUR_SECONDS:
        return np.zeros(missing.size, dtype=bool)
    runs = np.cumsum(np.append(True, np.diff(missing).astype(np.int64) != spacing.stride)) - 1
    is_hour = np.bincount(runs)[runs] * spacing.stride == HOUR_SECONDS
    is_likely = is_hour & ~np.isin(missing, times)
    is_likely[is_likely] = are_skipped(missing[is_likely])
    return is_likely


def _fill_gaps(
    times: TimeArray,
    values: FloatArray,
    added: TimeArray,
    fill: Fill | None,
    substitutes: pd.Series | None,
) -> tuple[TimeArray, FloatArray]:
    all_times = np.union1d(times, added)
    all_values = np.full(all_times.size, np.nan)
    all_values[np.searchsorted(all_times, times)] = values
    if substitutes is not None:
        is_missing = np.isnan(all_values)
        all_values[is_missing] = substitutes.reindex(all_times[is_missing]).to_numpy()
    if fill is Fill.ZERO:
        filled = np.nan_to_num(all_values, nan=0.0)
    elif fill is Fill.PREVIOUS:
        filled = pd.Series(all_values).ffill().to_numpy()
    else:
        filled = pd.Series(all_values).interpolate().to_numpy()
    return all_times, filled
