"""Make a regular series of a caller's data, with pandas."""

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd

from forecast_client.errors import DataError
from forecast_client.frames import read
from forecast_client.labels import index_of, is_fixed, localize, strings_of
from forecast_client.results import count_text
from forecast_client.series import (
    LONG_FREQUENCIES,
    Duplicates,
    Fill,
    Labels,
    PreparedSeries,
    frequency_name,
)
from forecast_client.steps import Step, Times, find_step

MAX_FILLED = 50_000


def prepare(
    data: Any,
    *,
    frequency: str | None = None,
    fill: Fill | None = None,
    duplicates: Duplicates | None = None,
    time_column: Any = None,
    value_column: Any = None,
) -> PreparedSeries:
    """Return ``data`` in the form to send, or raise DataError; see ``Reading``."""
    _check_choice(fill, Fill, "fill")
    series, notes = _sort_and_merge(read(data, time_column, value_column), duplicates)
    if len(series) == 1:
        raise DataError(
            f"the series has one point, {series.index[0]}: a step cannot be found; send at least "
            "10 points"
        )
    name = None if frequency is None else frequency_name(frequency)
    step, labels = _fit(series.index, name)
    values = series.to_numpy()
    start = 0
    if step.size > len(values) or np.isnan(values).any():
        limit = len(values) if name is None else MAX_FILLED
        values, start, filling = _fill_gaps(values, step, labels, fill, limit)
        notes += filling
    return PreparedSeries(
        strings_of(step.times(start), labels),
        values.tolist(),
        step.frequency,
        step.count,
        tuple(notes),
        None if series.name is None else str(series.name),
        labels,
    )


def points(
    data: Any,
    *,
    frequency: str | None = None,
    duplicates: Duplicates | None = None,
    time_column: Any = None,
    value_column: Any = None,
) -> tuple[list[str], list[float]]:
    """Return one or more points to append to a monitor, without searching for a step.

    ``frequency`` is the monitor's. It is needed if the times are in a zone with changing
    offsets, where days are counted by the local calendar, hours by elapsed time.
    """
    empty = "there are no points: send at least one"
    series, _ = _sort_and_merge(read(data, time_column, value_column, empty), duplicates)
    if series.hasnans:
        missing = series.index[series.isna()][0]
        raise DataError(f"the point {missing} has no value: leave it out")
    labels, wall = _wall_times(series.index)
    if labels.zone is None or is_fixed(labels.zone):
        return strings_of(wall, labels), series.tolist()
    if frequency is None:
        raise DataError(
            f"the times are in {labels.zone}, which changes its clocks: say what the monitor's "
            'steps are, such as frequency="Daily" or "Hours", or convert the times to UTC'
        )
    if frequency_name(frequency) not in LONG_FREQUENCIES:
        labels = replace(labels, is_utc=True)
        wall = _seconds(series.index.tz_convert(None))
    return strings_of(wall, labels), series.tolist()


def _sort_and_merge(
    series: pd.Series, duplicates: Duplicates | None
) -> tuple[pd.Series, list[str]]:
    """Sort a series by time and merge duplicates; also return notes about the changes."""
    _check_choice(duplicates, Duplicates, "duplicates")
    notes = []
    if not series.index.is_monotonic_increasing:
        series = series.sort_index(kind="stable")
        notes.append("the points were sorted by time")
    if series.index.is_unique:
        return series, notes
    repeated = series.index[series.index.duplicated()].unique()
    if duplicates is None:
        more = f" (and {len(repeated) - 1} more timestamps)" if len(repeated) > 1 else ""
        raise DataError(
            f"duplicate timestamp: {repeated[0]} has several values{more}: say which one counts "
            'with duplicates="sum", "mean" or "last"; if these are several series, name the column '
            'of their ids with id_column="…"'
        )
    groups = series.groupby(level=0)
    merged = groups.sum(min_count=1) if duplicates == "sum" else groups.agg(duplicates)
    notes.append(
        f"{count_text(len(repeated), 'timestamp')} with several values: {duplicates} taken"
    )
    return merged, notes


def _check_choice(chosen: str | None, choices: Any, argument: str) -> None:
    if chosen is not None and chosen not in get_args(choices):
        raise DataError(f"unknown {chosen!r}: send {', '.join(get_args(choices))}", argument)


def _fit(index: Any, frequency: str | None) -> tuple[Step, Labels]:
    labels, wall = _wall_times(index)
    if labels.zone is None or is_fixed(labels.zone):
        step = find_step(wall, frequency)
    else:
        step, labels = _fit_in_zone(index, wall, labels, frequency)
    return step, replace(labels, business=step.business)


def _wall_times(index: pd.DatetimeIndex | pd.PeriodIndex) -> tuple[Labels, Times]:
    """Return the labels of an index, and its wall-clock times; for periods their starts."""
    if isinstance(index, pd.PeriodIndex):
        starts = index.asfreq("s", how="start").astype("int64").to_numpy()
        return Labels(period=index.freqstr, name=index.name), starts.view("datetime64[s]")
    labels = Labels(zone=index.tz, unit=index.unit, name=index.name)
    return labels, _seconds(index.tz_localize(None))


def _fit_in_zone(
    index: pd.DatetimeIndex, wall: Times, labels: Labels, frequency: str | None
) -> tuple[Step, Labels]:
    """Return the step and labels for a zone whose offset changes.

    Try days and longer steps on the local calendar, then any step in elapsed time, then steps such
    as 12 hours by the wall clock.
    """
    assert labels.zone is not None
    # If the change of clocks skips midnight, the day begins at one o'clock.
    days = wall.astype("datetime64[D]")
    clocks, counts = np.unique(wall - days, return_counts=True)
    regular = days + clocks[counts.argmax()]
    if (localize(pd.DatetimeIndex(regular), labels.zone) == index).all():
        wall = regular
    elapsed = _seconds(index.tz_convert(None))
    fitted: list[tuple[Step, Labels]] = []
    errors: list[DataError] = []
    for times, time_labels in ((wall, labels), (elapsed, replace(labels, is_utc=True))):
        if not (np.diff(times) > np.timedelta64(0)).all():
            continue
        try:
            step = find_step(times, frequency)
        except DataError as error:
            errors.append(error)
        else:
            if time_labels.is_utc or step.frequency in LONG_FREQUENCIES:
                return step, time_labels
            fitted.append((step, time_labels))
    if fitted:
        return fitted[0]
    raise errors[0]  # the first error's message has local times


def _seconds(index: pd.DatetimeIndex) -> Times:
    return index.as_unit("s").to_numpy()


def _fill_gaps(
    values: Any, step: Step, labels: Labels, fill: Fill | None, limit: int
) -> tuple[Any, int, list[str]]:
    """Return the values without gaps, the index of the first one, and notes about the filling.

    Missing points before the first value are filled only with zeros, otherwise left out.
    """
    known = int((~np.isnan(values)).sum())
    if not known:
        raise DataError("no point has a value: all are missing (NaN)")
    if step.size - known > limit:
        raise DataError(
            f"{step.size - known:,} of {step.size:,} points are missing, if they are {step} apart: "
            "look for a wrong timestamp, or sum or average to a longer step"
        )
    complete = pd.Series(np.nan, index=range(step.size))
    complete.iloc[step.indices] = values
    start = int(complete.notna().argmax()) if fill in ("linear", "previous") else 0
    gaps = np.flatnonzero(complete.isna())
    gaps = gaps[gaps >= start]
    shown = ""
    if gaps.size:
        wall = labels if labels.is_utc else replace(labels, zone=None)
        first = index_of(step.times(int(gaps[0]))[:1], wall)[0]
        shown = str(first).removesuffix(" 00:00:00")
    notes = [f"{count_text(start, 'point')} at the start without a value left out"] if start else []
    if fill is None:
        more = f", the first of {len(gaps)}" if len(gaps) > 1 else ""
        raise DataError(
            f"missing: {shown} has no value{more}; points are {step} apart: send it, or fill gaps "
            'with fill="linear", "previous" or "zero"'
        )
    if gaps.size:
        missing = count_text(len(gaps), "missing point")
        notes.append(f"{missing} filled ({fill}), the first is {shown}")
    if fill == "zero":
        complete = complete.fillna(0.0)
    # After the last value, linear interpolation repeats it.
    complete = complete.interpolate() if fill == "linear" else complete.ffill()
    return complete.to_numpy()[start:], start, notes
