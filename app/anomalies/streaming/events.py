"""The verdict on a point, and the updates of its event.

Four classes of the detectors describe events (`app.watching` has those of monitors). `Event`
(`app.anomalies.results`) is a finished one of a series that is judged as a whole. In a stream,
`EventTracker` is the open event as the detector stores it, `EventPoint` a judged point as the
tracker takes it, and `EventUpdate` what the verdict on a point says about the event.
"""

from dataclasses import dataclass
from enum import StrEnum

from app.anomalies.results import Direction, EventKind


class Stage(StrEnum):
    """The role of a point in the open event."""

    OPENED = "opened"
    CONTINUES = "continues"
    CLOSED = "closed"


class CloseReason(StrEnum):
    """Why an event closed: the series is back to normal, or what it does now became normal."""

    ENDED = "ended"
    NEW_LEVEL = "new_level"


@dataclass(frozen=True)
class EventUpdate:
    """The open event as of one point. The point that closes an event is not part of it."""

    stage: Stage  # the role of this point
    # So far; final when the event closes: points out on one side are a spike or dip, then a level
    # shift, and again a spike or dip if the event ends.
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
    def unjudged(cls, value: float, expected: float) -> "AnomalyVerdict":
        """Return the verdict on a point while learning."""
        lower, upper = sorted((value, expected))
        return cls(expected, lower, upper, 1.0, False, 0.0, is_learning=True)
