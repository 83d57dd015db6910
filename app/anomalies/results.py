"""The settings and the results of detections; light to import.

`Event` is a finished event of a series that is judged as a whole, `EventUpdate` what the verdict on
a point of a stream says about the open one (`app.watching` has those of monitors).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from app.timeseries.types import BoolArray, FloatArray

MIN_LEVEL_POINTS = 12  # points: a shorter change is an event at the old level
SEVERITY_DECIMALS = 1  # more digits are noise, and would lengthen the response
# The evidence with severity 50: points flagged by chance at the default rate have less.
HALF_SEVERITY_EVIDENCE = 5.6
_MAX_SEVERITY = math.nextafter(100.0, 0.0)


def severity_of(evidence: float) -> float:
    """Return 0 to 100, never quite 100: 50 at ``HALF_SEVERITY_EVIDENCE``, 75 at twice as much.

    ``evidence`` is -log10 of a p-value, or an equivalent. Severities of all series are comparable.
    """
    return min(_MAX_SEVERITY, 100.0 - 100.0 * math.exp2(-evidence / HALF_SEVERITY_EVIDENCE))


class Direction(StrEnum):
    """The sides of the band on which a point counts as an anomaly."""

    BOTH = "both"
    UP = "up"
    DOWN = "down"

    def has_side(self, is_up: bool) -> bool:
        """Return whether a deviation upwards, or else downwards, is on one of these sides."""
        return self is Direction.BOTH or is_up == (self is Direction.UP)


EVENT_DIRECTIONS = (Direction.UP, Direction.DOWN)  # `both` exists only in requests
MIN_FALSE_ALARM_RATE, DEFAULT_FALSE_ALARM_RATE, MAX_FALSE_ALARM_RATE = 0.0001, 0.001, 0.1


class EventKind(StrEnum):
    """What an event is.

    ``spike`` and ``dip`` are short and above or below what was expected, ``burst`` is noisy for
    longer, ``level_shift`` begins a new level, and ``flat`` is a run of one value in a series that
    varies.
    """

    SPIKE = "spike"
    DIP = "dip"
    BURST = "burst"
    LEVEL_SHIFT = "level_shift"
    FLAT = "flat"


def event_name(kind: str, direction: str | None) -> str:
    """Return an event in words: ``spike``, ``level shift up``."""
    has_both_sides = kind in (EventKind.BURST, EventKind.LEVEL_SHIFT)  # other names imply a side
    return kind.replace("_", " ") + (f" {direction}" if has_both_sides else "")


@dataclass(frozen=True)
class Event:
    """An event, by the indices of its points."""

    start: int
    end: int  # of its last point
    kind: EventKind
    direction: Direction  # ``up`` or ``down``
    peak: int  # of its most extreme point
    severity: float  # 0 to 100


@dataclass(frozen=True)
class ChangePoint:
    """A lasting change of the level of a series."""

    index: int  # of the first point at the new level
    before: float  # the old level, in the series' units
    after: float
    p_value: float


@dataclass(frozen=True)
class AnomalousSegment:
    """Adjacent points that are anomalous as a whole."""

    start: int
    end: int  # of its last point
    kind: EventKind  # any but a level shift
    p_value: float  # of its contrast or its length


def segment_mask(segments: Sequence[AnomalousSegment], length: int) -> BoolArray:
    """Return whether each of ``length`` points is in a segment."""
    is_inside = np.zeros(length, dtype=bool)
    for segment in segments:
        is_inside[segment.start : segment.end + 1] = True
    return is_inside


@dataclass(frozen=True)
class Detection:
    """The judged points: arrays of shape (n,), one entry per point.

    n is the length of the series, or 1 if only the last point is judged. Events and change points
    have indices into the series in both cases.
    """

    is_anomaly: BoolArray  # outside the band, on a requested side
    expected: FloatArray  # the values without noise
    lower: FloatArray  # the band's lower bounds, at most ``expected``
    upper: FloatArray  # the upper bounds, at least ``expected``
    # Probability of a clean point as far out; below the rate exactly if ``is_anomaly``.
    p_value: FloatArray
    # 0 to 100, below 100, growing with the improbability: 50 at a p-value of 2.5e-6.
    severity: FloatArray
    events: tuple[Event, ...] = ()  # oldest first, without overlap
    change_points: tuple[ChangePoint, ...] = ()  # oldest first
    periods: tuple[int, ...] = ()  # the seasonal periods found, in whole steps, shortest first
    notices: tuple[str, ...] = ()  # short sentences about the result


class BatchDetection(NamedTuple):
    """Many series judged: arrays with an entry for each of their points, concatenated."""

    expected: FloatArray
    lower: FloatArray
    upper: FloatArray
    is_anomaly: BoolArray

    @staticmethod
    def join(parts: list["BatchDetection"]) -> "BatchDetection":
        return BatchDetection(*map(np.concatenate, zip(*parts, strict=True)))


class Stage(StrEnum):
    """The role of a point in the open event."""

    OPENED = "opened"
    CONTINUES = "continues"
    CLOSED = "closed"


class CloseReason(StrEnum):
    """Why an event closed: the series returned to normal, or its new behaviour became normal."""

    ENDED = "ended"
    NEW_LEVEL = "new_level"


@dataclass(frozen=True)
class EventUpdate:
    """The open event after one point; a point that closes it is not part of it."""

    stage: Stage  # the role of this point
    # The kind so far; it is final when the event closes. Points outside the band on one side are a
    # spike or dip at first, then a level shift, and again a spike or dip if the event ends.
    kind: EventKind
    direction: Direction  # ``up`` or ``down``
    severity: float  # 0 to 100, of the most extreme point so far
    steps_since_start: int  # steps from its first point to this one
    # Steps from its peak to this one: of its points so far on the side of ``direction``, the one
    # furthest from its forecast, of those flagged if any is.
    steps_since_peak: int
    # Steps from its last point to this one, without the quiet points that confirm its end.
    steps_since_end: int
    close_reason: CloseReason | None = None  # why it closed, None unless ``stage`` is ``closed``


@dataclass(frozen=True)
class AnomalyVerdict:
    """The verdict on one point on arrival; all numbers are finite."""

    expected: float  # the value forecast from the points before
    lower: float  # lower bound of the band, at most ``expected``
    upper: float  # upper bound, at least ``expected``
    # Probability of a clean point this far out; below the rate exactly if ``is_anomaly``.
    p_value: float
    is_anomaly: bool  # outside the band on a side of the detector's direction
    # 0 to 100, below 100: the evidence that something new begins here, comparable between series.
    # What is flagged by chance stays below 50.
    severity: float
    is_learning: bool = False  # too few points to judge: the band just contains the value
    needs_relearning: bool = False  # the series has changed for good and is relearned from here on
    is_band_wide: bool = False  # wider than 20 times the typical magnitude
    # The event that opened, continues or closed with this point. Each flagged point has one.
    event: EventUpdate | None = None

    @classmethod
    def while_learning(cls, value: float, expected: float) -> "AnomalyVerdict":
        """Return the verdict on a point while learning."""
        lower, upper = sorted((value, expected))
        return cls(expected, lower, upper, 1.0, False, 0.0, is_learning=True)
