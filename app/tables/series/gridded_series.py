"""Find the regular step of a series, and its gaps; fill them."""

from dataclasses import dataclass, field, replace

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


@dataclass(frozen=True)
class GriddedSeries:
    """A series on its grid.

    Attributes:
        raw: The series as the table has it.
        times: The times, shape (n,), with those of filled entries.
        values: The values, shape (n,), with those of filled entries.
        spacing: The step of the grid, None for a single time. It fits only a few irregular times.
        dropped: The number of oldest points that were left out, beyond the limit.
        missing: The first entries that the table lacks.
        missing_count: The number of all entries that the table lacks.
        can_fill: Whether these can be filled.
        skipped: Entries of an hour that the clock skips, which are always filled.
        off_grid_times: Times between the entries.
        has_off_grid_times: Whether ``times`` has such times, as nothing was filled.
        is_irregular: Whether no step fits most of the times.
        first_break: The index of the first irregular time that is not one step after the previous.
        summary: What several of its values become.
    """

    raw: UngriddedSeries
    times: TimeArray
    values: FloatArray
    spacing: Spacing | None
    dropped: int = 0
    missing: TimeArray = field(default_factory=lambda: _NO_TIMES)
    missing_count: int = 0
    can_fill: bool = False
    skipped: TimeArray = field(default_factory=lambda: _NO_TIMES)
    off_grid_times: TimeArray = field(default_factory=lambda: _NO_TIMES)
    has_off_grid_times: bool = False
    is_irregular: bool = False
    first_break: int = 0
    summary: Summary = Summary.TOTAL

    @property
    def regular_spacing(self) -> Spacing | None:
        """The spacing, unless a time is off the grid; entries may be missing."""
        return None if self.is_irregular or self.has_off_grid_times else self.spacing


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
    times, values, dropped = _trim_ends(
        raw.values.index.to_numpy().astype("datetime64[s]"),
        raw.values.to_numpy(),
        limit,
        with_ends=raw.substitutes is not None,
    )
    times, values = _without_weekends(times, values)
    has_value = ~np.isnan(values)
    known_times, known_values = times[has_value], values[has_value]
    spacing = find_spacing(times)
    if frequency is not None and (spacing is None or spacing.defect_count):
        spacing = find_spacing(times, frequency)
    if spacing is None:
        return GriddedSeries(raw, known_times, known_values, None, dropped)
    if frequency is None and not spacing.is_mostly_regular:
        spacing = find_spacing(known_times) or spacing
        index = _first_break(known_times, spacing)
        return GriddedSeries(
            raw, known_times, known_values, spacing, dropped, is_irregular=True, first_break=index
        )
    gridded = _fill_grid(raw, times, values, spacing, limit, suffix, fill)
    if gridded is None:
        return GriddedSeries(raw, known_times, known_values, None, dropped)
    return replace(gridded, dropped=dropped)


def _fill_grid(
    raw: UngriddedSeries,
    times: TimeArray,
    values: FloatArray,
    spacing: Spacing,
    limit: int,
    suffix: str,
    fill: Fill | None,
) -> GriddedSeries | None:
    """Return a series on the grid of ``spacing``, its gaps filled; None if no value is on it.

    ``times`` and ``values`` are those of ``raw`` that are left, shape (n,).
    """
    has_ends = raw.substitutes is not None
    has_value = ~np.isnan(values)
    is_on_grid = np.zeros(times.size, dtype=bool)
    is_on_grid[spacing.on_grid] = True
    off_grid = times[~is_on_grid & has_value]
    marks = spacing.positions[is_on_grid & has_value]
    if not marks.size and not has_ends:
        return None
    ends = spacing.positions[spacing.on_grid] if has_ends else marks
    max_filled = min(limit - int(has_value.sum()), _MAX_FILLED_PER_DATE * times.size)
    gaps = _find_gaps(marks, (ends[0], ends[-1]), spacing, max_filled)
    if gaps.can_fill and not suffix:
        gaps = replace(gaps, is_skipped=_is_skipped_hour(gaps.missing, times, spacing))
    is_kept = is_on_grid & has_value if fill else has_value
    known_times, known_values = times[is_kept], values[is_kept]
    filled = gaps.missing if fill and gaps.can_fill else gaps.missing[gaps.is_skipped]
    if filled.size:
        known_times, known_values = _fill_gaps(
            known_times, known_values, spacing.axis.times(filled), fill, raw.substitutes
        )
    return GriddedSeries(
        raw,
        known_times,
        known_values,
        spacing,
        missing=spacing.axis.times(gaps.missing[~gaps.is_skipped]),
        missing_count=gaps.count - int(gaps.is_skipped.sum()),
        can_fill=gaps.can_fill and not gaps.is_skipped.all(),
        skipped=spacing.axis.times(gaps.missing[gaps.is_skipped]),
        off_grid_times=off_grid,
        has_off_grid_times=off_grid.size > 0 and not fill,
    )


@dataclass(frozen=True)
class _Gaps:
    """The entries that are missing on a grid.

    Attributes:
        count: The number of missing entries.
        can_fill: Whether they can be filled.
        missing: The positions of the first ones, or of all if they can be filled.
        is_skipped: Which of these positions are in an hour that the clock skips.
    """

    count: int
    can_fill: bool
    missing: IntArray
    is_skipped: BoolArray


def _find_gaps(marks: IntArray, ends: tuple[int, int], spacing: Spacing, max_filled: int) -> _Gaps:
    """Return the gaps between the positions ``marks`` and at the outermost positions, ``ends``."""
    step = spacing.stride
    bounds = np.concatenate([[ends[0] - step], marks, [ends[1] + step]])
    gaps = np.diff(bounds) // step - 1
    count = int(gaps.sum())
    can_fill = 0 < count <= max_filled
    missing = _missing_positions(bounds, gaps, step, count if can_fill else _MAX_LISTED_MISSING)
    return _Gaps(count, can_fill, missing, np.zeros(missing.size, dtype=bool))


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


def _trim_ends(
    times: TimeArray, values: FloatArray, limit: int, *, with_ends: bool
) -> tuple[TimeArray, FloatArray, int]:
    """Return the newest entries, from the first value to the last, and the number dropped."""
    positions = np.flatnonzero(~np.isnan(values))
    dropped = max(positions.size - limit, 0)
    first = 0 if with_ends and not dropped else int(positions[dropped])
    end = times.size if with_ends else int(positions[-1]) + 1
    return times[first:end], values[first:end], dropped


def _without_weekends(times: TimeArray, values: FloatArray) -> tuple[TimeArray, FloatArray]:
    """Leave out the entries without a value if they are exactly those on weekends."""
    has_value = ~np.isnan(values)
    is_workday = np.is_busday(times.astype("datetime64[D]"))
    if is_workday[has_value].all() and not is_workday[~has_value].any():
        return times[has_value], values[has_value]
    return times, values


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


def _is_skipped_hour(missing: IntArray, times: TimeArray, spacing: Spacing) -> BoolArray:
    """Return which missing entries are in an hour that a local clock skips, and not in the table.

    ``times`` are all times of the table, with and without a value.
    """
    if not isinstance(spacing.axis, SecondAxis) or spacing.stride > HOUR_SECONDS:
        return np.zeros(missing.size, dtype=bool)
    absent = spacing.axis.times(missing)
    runs = np.cumsum(np.append(True, np.diff(missing) != spacing.stride)) - 1
    is_hour = np.bincount(runs)[runs] * spacing.stride == HOUR_SECONDS
    is_likely = is_hour & ~np.isin(absent, times)
    is_likely[is_likely] = are_skipped(absent[is_likely])
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
