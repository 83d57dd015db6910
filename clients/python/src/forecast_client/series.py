"""From the data of a caller to a series for the service."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, get_args

from forecast_client.errors import DataError
from forecast_client.grid import LONG, Grid, find_grid, frequency_name
from forecast_client.labels import AS_SENT, Labels, is_fixed, unskipped
from forecast_client.raw import MOST_FILLED, Duplicates, Fill, Raw, filled, is_increasing, ordered
from forecast_client.reading import SeriesLike, read

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Duplicates", "Fill", "PointReading", "Prepared", "Reading", "SeriesLike"]
__all__ += ["points", "prepare", "prepare_raw"]


class PointReading(TypedDict, total=False):
    """How points are read.

    ``frequency``: one of the service's, else found from the timestamps. ``duplicates``: what
    becomes of several values of one timestamp, else that is an error. ``time_column``,
    ``value_column``: of a DataFrame or of rows, else recognised.
    """

    frequency: str | None
    duplicates: Duplicates | None
    time_column: str | None
    value_column: str | None


class Reading(PointReading, total=False):
    """How a series is read; every call that takes a series takes these.

    ``fill``: the value for missing ones; without it they are an error.
    """

    fill: Fill | None


@dataclass(frozen=True)
class Prepared:
    """A series as it is sent.

    ``timestamps`` are strings as the service takes them, ``frequency`` is its data frequency,
    ``step`` how many units of it lie between two points. ``notes`` say what was done to the data.
    """

    timestamps: Sequence[str]
    values: Sequence[float]
    frequency: str
    step: int = 1
    notes: tuple[str, ...] = ()
    name: str | None = None
    labels: Labels = field(default=AS_SENT, repr=False)

    def index(self, timestamps: Sequence[str]) -> "pd.Index":
        """Return timestamps of a response as labels of the kind that the data had."""
        return self.labels.index(timestamps)

    def datetimes(self, timestamps: Sequence[str]) -> list[datetime]:
        """Return timestamps of a response as datetimes, with the time zone that the data had."""
        return self.labels.datetimes(timestamps)


def prepare(
    data: SeriesLike,
    *,
    frequency: str | None = None,
    fill: Fill | None = None,
    duplicates: Duplicates | None = None,
    time_column: str | None = None,
    value_column: str | None = None,
) -> Prepared:
    """Return ``data`` as they are sent; a ``Prepared`` is returned as it is.

    The arguments are those of ``Reading``.

    Raises:
        DataError: They cannot be sent; the message says what to change.
    """
    if isinstance(data, Prepared):
        return data
    return prepare_raw(read(data, time_column, value_column), frequency, fill, duplicates)


def prepare_raw(
    raw: Raw,
    frequency: str | None = None,
    fill: Fill | None = None,
    duplicates: Duplicates | None = None,
) -> Prepared:
    """Return a series that was read as it is sent."""
    if fill is not None and fill not in get_args(Fill):
        raise DataError(f'unknown fill={fill!r}: send fill="linear", "previous" or "zero"')
    if not raw.wall:
        raise DataError("the series is empty: send at least 10 points")
    raw, notes = ordered(raw, duplicates)
    if len(raw.wall) == 1:
        raise DataError(
            f"the series has one point, {raw.wall[0]}: a step cannot be found; "
            "send at least 10 points"
        )
    named = None if frequency is None else frequency_name(frequency)
    grid, labels, moments = _fit(raw, named)
    values = raw.values
    if grid.breaks or any(map(math.isnan, values)):
        most = len(raw.values) if named is None else MOST_FILLED
        moments, values, filling = _fill_holes(raw, grid, labels, fill, most)
        notes += filling
    if labels.snapped is not None:
        own, sent = labels.snapped
        moments = [sent.moment(own.position(moment)) for moment in moments]
    return Prepared(
        labels.sent(moments), values, grid.frequency, grid.step, tuple(notes), raw.name, labels
    )


class Preparing:
    """Prepares one series after the other; times that are those of the one before are kept."""

    def __init__(
        self, frequency: str | None, fill: Fill | None, duplicates: Duplicates | None
    ) -> None:
        self._how = frequency, fill, duplicates
        self._last: tuple[Raw, Prepared] | None = None

    def prepare(self, raw: Raw) -> Prepared:
        """Return what ``prepare_raw`` does."""
        if self._last is not None:
            before, prepared = self._last
            if raw.has_times_of(before) and not any(map(math.isnan, raw.values)):
                return replace(prepared, values=raw.values, name=raw.name)
        prepared = prepare_raw(raw, *self._how)
        if not prepared.notes:
            self._last = raw, prepared
        return prepared


def points(
    data: SeriesLike,
    *,
    frequency: str | None = None,
    duplicates: Duplicates | None = None,
    time_column: str | None = None,
    value_column: str | None = None,
) -> tuple[list[str], list[float]]:
    """Return the points to append to a monitor: one or more, no step is looked for.

    ``frequency`` is that of the monitor. It is needed where the times are in a zone that changes
    its clocks: days are counted by the local calendar there, hours by elapsed time.
    """
    raw, _ = ordered(read(data, time_column, value_column), duplicates)
    missing = next((place for place, value in enumerate(raw.values) if math.isnan(value)), None)
    if missing is not None:
        raise DataError(f"the point {raw.wall[missing]} has no value: leave it out")
    labels = _labels(raw)
    if raw.utc is None:
        return labels.sent(raw.wall), raw.values
    if frequency is None:
        raise DataError(
            f"the times are in {raw.zone}, which changes its clocks: say what the monitor's steps "
            'are, such as frequency="Daily" or "Hours", or convert the times to UTC'
        )
    if frequency_name(frequency) in LONG:
        return labels.sent(raw.wall), raw.values
    return replace(labels, clock="utc").sent(raw.utc), raw.values


def _labels(raw: Raw) -> Labels:
    return Labels(raw.zone, "wall", raw.unit, raw.period, raw.index_name)


def _fit(raw: Raw, frequency: str | None) -> tuple[Grid, Labels, list[datetime]]:
    """Return the grid of a series, its labels, and its times by the clock that is sent."""
    labels = _labels(raw)
    if raw.utc is None or raw.zone is None or is_fixed(raw.zone):
        grid, moments = find_grid(raw.wall, frequency), raw.wall
    else:
        labels, grid, moments = _fit_in_zone(raw, labels, frequency)
    if grid.sent_axis != grid.axis:
        labels = replace(labels, snapped=(grid.axis, grid.sent_axis))
    return grid, labels, moments


def _fit_in_zone(
    raw: Raw, labels: Labels, frequency: str | None
) -> tuple[Labels, Grid, list[datetime]]:
    """Return what ``_fit`` does, for a zone whose offset changes.

    Days and longer steps are looked for on the local calendar first, then all in elapsed time, then
    noon and midnight and the like by the wall clock.
    """
    assert raw.zone is not None
    assert raw.utc is not None
    wall = unskipped(raw.wall, raw.zone)
    by_calendar, refusal = None, None
    try:
        by_calendar = find_grid(wall, frequency) if is_increasing(wall) else None
    except DataError as error:
        refusal = error
    if by_calendar is not None and by_calendar.frequency in LONG:
        return labels, by_calendar, wall
    try:
        return replace(labels, clock="utc"), find_grid(raw.utc, frequency), raw.utc
    except DataError:
        if by_calendar is not None:
            return labels, by_calendar, wall
        if refusal is not None:  # it names local times
            raise refusal from None
        raise


def _fill_holes(
    raw: Raw, grid: Grid, labels: Labels, fill: Fill | None, most: int
) -> tuple[list[datetime], list[float], list[str]]:
    """Return times and values without gaps, and what was filled: at most ``most`` of them."""
    known = [value for value in raw.values if not math.isnan(value)]
    if not known:
        raise DataError("no point has a value: all are missing (NaN)")
    missing = grid.size - len(known)
    if missing > most:
        raise DataError(
            f"{missing:,} of {grid.size:,} points are missing, if they are {grid} apart from "
            f"{raw.wall[0]} to {raw.wall[-1]}: look for a wrong timestamp, or sum or average to a "
            "longer step"
        )
    first = grid.positions[0]
    values = [math.nan] * grid.size
    for position, value in zip(grid.positions, raw.values, strict=True):
        values[(position - first) // grid.stride] = value

    def moment(place: int) -> datetime:
        return grid.axis.moment(first + place * grid.stride)

    def shown(place: int) -> str:
        return labels.shown(moment(place), is_long=grid.frequency in LONG)

    if fill is None:
        raise DataError(_hole(grid, values, shown))
    start, complete, notes = filled(values, fill, shown)
    return [moment(place) for place in range(start, grid.size)], complete, notes


def _hole(grid: Grid, values: list[float], shown: Callable[[int], str]) -> str:
    """Return the error of gaps: where they are and how to fill them."""
    holes = [place for place, value in enumerate(values) if math.isnan(value)]
    more = "" if len(holes) == 1 else f", the first of {len(holes)}"
    position = grid.positions[0] + holes[0] * grid.stride
    if position in grid.positions:
        entry = grid.positions.index(position)
        what = f"missing value: {shown(holes[0])} (entry {entry}) has none{more}"
    else:
        what = f"missing point: {shown(holes[0])} is not there{more}; points are {grid} apart"
    return f'{what}: send it, or fill gaps with fill="linear", "previous" or "zero"'
