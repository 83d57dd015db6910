"""A series as it was read, whatever it was read from: the middle between data and request."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import Any, Literal

from forecast_client.errors import DataError

Duplicates = Literal["sum", "mean", "last"]
Fill = Literal["linear", "previous", "zero"]
MOST_FILLED = 50_000


@dataclass(frozen=True)
class Raw:
    """``wall``: local times without their zone; ``values``: NaN where there is none.

    ``utc``: the same times in UTC, where the zone's offset changes. ``unit``, ``period`` and
    ``index_name`` are those of ``Labels``.
    """

    wall: list[datetime]
    values: list[float]
    zone: tzinfo | None = None
    utc: list[datetime] | None = None
    unit: str | None = None
    period: str | None = None
    index_name: Any = None
    name: str | None = None

    @property
    def keys(self) -> list[datetime]:
        """The key that orders and distinguishes the points."""
        return self.wall if self.utc is None else self.utc

    def has_times_of(self, other: "Raw") -> bool:
        """Return whether the times are the same, and are to be shown alike."""
        return (
            self.wall == other.wall
            and self.utc == other.utc
            and (self.zone, self.unit, self.period, self.index_name)
            == (other.zone, other.unit, other.period, other.index_name)
        )

    def taking(self, entries: Sequence[int], values: list[float]) -> "Raw":
        """Return the points of some entries, with other values."""
        utc = None if self.utc is None else [self.utc[entry] for entry in entries]
        return replace(self, wall=[self.wall[entry] for entry in entries], values=values, utc=utc)


def is_increasing(moments: Sequence[datetime]) -> bool:
    """Return whether each time is after the one before it."""
    return all(before < after for before, after in pairwise(moments))


def ordered(raw: Raw, duplicates: Duplicates | None) -> tuple[Raw, list[str]]:
    """Return a series in the order of time with each time once, and what was done for it.

    Raises:
        DataError: A time occurs twice, and ``duplicates`` does not say which value counts.
    """
    notes: list[str] = []
    keys = raw.keys
    if is_increasing(keys):
        return raw, notes
    order = sorted(range(len(keys)), key=keys.__getitem__)
    if any(after < before for before, after in pairwise(keys)):
        notes.append("the points were sorted by time")
    groups: list[list[int]] = []
    for entry in order:
        if groups and keys[groups[-1][0]] == keys[entry]:
            groups[-1].append(entry)
        else:
            groups.append([entry])
    repeated = [group for group in groups if len(group) > 1]
    if not repeated:
        return raw.taking(order, [raw.values[entry] for entry in order]), notes
    if duplicates is None:
        raise DataError(_duplicate(raw, repeated))
    combine = _combining(duplicates)
    values = [combine([raw.values[entry] for entry in group]) for group in groups]
    times = _count(len(repeated), "timestamp was", "timestamps were")
    notes.append(f"{times} there more than once: {_DONE[duplicates]}")
    return raw.taking([group[0] for group in groups], values), notes


_DONE = {"sum": "summed", "mean": "averaged", "last": "the last value was taken"}


def _combining(duplicates: Duplicates) -> Callable[[list[float]], float]:
    """Return what makes one value of several; missing ones do not count."""
    if duplicates not in _DONE:
        raise DataError(
            f'unknown duplicates={duplicates!r}: send duplicates="sum", "mean" or "last"'
        )

    def combine(values: list[float]) -> float:
        there = [value for value in values if not math.isnan(value)]
        if not there:
            return math.nan
        if duplicates == "last":
            return there[-1]
        total = math.fsum(there)
        return total / len(there) if duplicates == "mean" else total

    return combine


def _duplicate(raw: Raw, repeated: list[list[int]]) -> str:
    first = repeated[0]
    more = f" (and {len(repeated) - 1} more timestamps)" if len(repeated) > 1 else ""
    return (
        f"duplicate timestamp: {raw.wall[first[0]]} is in entries {first[0]} and {first[1]}{more}: "
        'say which value counts with duplicates="sum", "mean" or "last"; if these are several '
        'series, name the column of their ids with id_column="…"'
    )


def filled(
    values: list[float], fill: Fill, shown: Callable[[int], str]
) -> tuple[int, list[float], list[str]]:
    """Return how many points at the start were left out, the others without gaps, and notes.

    ``values`` has NaN in its gaps, ``shown`` returns the time of each place. Before the first
    value only zeros can fill: with another ``fill`` these points are left out.
    """
    holes = [place for place, value in enumerate(values) if math.isnan(value)]
    notes: list[str] = []
    start = 0
    if fill != "zero":
        start = next(place for place, value in enumerate(values) if not math.isnan(value))
    if start:
        notes.append(f"{_count(start, 'point', 'points')} at the start without a value left out")
    inner = [place for place in holes if place >= start]
    if inner:
        how = {"linear": "linear", "previous": "with the previous value", "zero": "with 0"}[fill]
        missing = _count(len(inner), "missing point was", "missing points were")
        notes.append(f"{missing} filled ({how}), the first is {shown(inner[0])}")
    return start, _without_holes(values[start:], fill), notes


def _without_holes(values: list[float], fill: Fill) -> list[float]:
    if fill == "zero":
        return [0.0 if math.isnan(value) else value for value in values]
    result = list(values)
    last = 0
    for place in range(1, len(result)):
        if math.isnan(result[place]):
            continue
        before, apart = result[last], place - last
        for hole in range(last + 1, place):
            share = (hole - last) / apart if fill == "linear" else 0.0
            result[hole] = before + (result[place] - before) * share
        last = place
    # After the last value a line has no end: the value is repeated.
    return result[: last + 1] + [result[last]] * (len(result) - last - 1)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
