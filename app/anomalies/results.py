"""What a detection gives; light to import."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from app.forecasting.types import FloatArray

BoolArray = npt.NDArray[np.bool_]

SHORTEST_LEVEL = 12  # points: what lasts no longer is an event of the level before it
SEVERITY_DECIMALS = 1  # as shown: more digits say nothing, and would make a long response longer


class Direction(StrEnum):
    """The sides of the band on which a point counts as an anomaly."""

    BOTH = "both"
    UP = "up"
    DOWN = "down"


class EventKind(StrEnum):
    """What an event is.

    ``spike`` and ``dip`` are short and above or below what was expected, ``burst`` is restless for
    longer, ``level_shift`` begins a new level, and ``flat`` is a run of one value where the series
    used to move.
    """

    SPIKE = "spike"
    DIP = "dip"
    BURST = "burst"
    LEVEL_SHIFT = "level_shift"
    FLAT = "flat"


@dataclass(frozen=True)
class Event:
    """One thing that happened: the indices of its first, last and most extreme point.

    ``direction`` is ``up`` or ``down``; ``severity`` is 0 to 100.
    """

    start: int
    end: int
    kind: EventKind
    direction: Direction
    peak: int
    severity: float


@dataclass(frozen=True)
class ChangePoint:
    """The level of a series changes at ``index``, the first point of the new one.

    ``before`` and ``after`` are the levels on its two sides, in the series' units.
    """

    index: int
    before: float
    after: float
    p_value: float


@dataclass(frozen=True)
class Detection:
    """What is known of the points judged: arrays of shape (n,), one entry a point.

    Where every point is judged n is that of the series, where only the last one is n is 1; events
    and change points count in the series, not in the arrays.

    Attributes:
        is_anomaly: Whether the value lies outside the band, on a side that was asked for.
        expected: What the value would have been without noise.
        lower: Lower bound of the band, at most ``expected``.
        upper: Upper bound, at least ``expected``.
        p_value: Probability that a clean point lies as far out; below the false alarm rate exactly
            where ``is_anomaly``.
        severity: 0 to 100, growing with the improbability.
        events: Oldest first; they do not overlap.
        change_points: Oldest first.
        periods: The seasonal periods found, in steps, shortest first.
        notices: Short sentences about what to know.
    """

    is_anomaly: BoolArray
    expected: FloatArray
    lower: FloatArray
    upper: FloatArray
    p_value: FloatArray
    severity: FloatArray
    events: tuple[Event, ...] = ()
    change_points: tuple[ChangePoint, ...] = ()
    periods: tuple[int, ...] = ()
    notices: tuple[str, ...] = ()
