"""The streaming detector's verdict on a point."""

from dataclasses import dataclass
from enum import StrEnum

from app.anomalies.results import Direction, EventKind


class Stage(StrEnum):
    """The role of a point in the open event."""

    OPENED = "opened"
    CONTINUES = "continues"
    CLOSED = "closed"


class Closing(StrEnum):
    """Why an event closed: the series is back to normal, or its new level is the normal one."""

    ENDED = "ended"
    NEW_LEVEL = "new_level"


@dataclass(frozen=True)
class EventUpdate:
    """The open event as of one point.

    Attributes:
        stage: The role of this point. The point that closes an event is not part of it.
        kind: The kind so far; it can change until the event closes. A run on one side is a spike or
            dip at first, then a level shift, and a spike or dip again if it ends.
        direction: ``up`` or ``down``.
        severity: 0 to 100, of the most extreme point so far.
        started: Steps from its first point to this one.
        peak: Steps from its most extreme point to this one.
        ended: Steps from its last point to this one; the quiet points that confirm its end are not
            part of it.
        closing: Why it closed, None unless ``stage`` is ``closed``.
    """

    stage: Stage
    kind: EventKind
    direction: Direction
    severity: float
    started: int
    peak: int
    ended: int
    closing: Closing | None = None


@dataclass(frozen=True)
class AnomalyVerdict:
    """The verdict on one point on arrival; all numbers are finite.

    Attributes:
        expected: The value forecast from the points before.
        lower: Lower bound of the band, at most ``expected``.
        upper: Upper bound, at least ``expected``.
        p_value: Probability that a clean point lies this far out; below the false alarm rate
            exactly if ``is_anomaly``.
        is_anomaly: Whether the value lies outside the band on a side of ``direction``.
        severity: 0 to 100, below 100: the evidence that something new begins here, comparable
            between series. What is flagged by chance stays below 50.
        is_learning: There are too few points yet to judge: the band just contains the value.
        relearns: The series has changed for good: it is learned anew from here on.
        improbabilities: -log10 of the p-values that the severity was weighed from.
        event: The event that opened, continues or closed with this point, if any. Each flagged
            point opens one or belongs to one.
    """

    expected: float
    lower: float
    upper: float
    p_value: float
    is_anomaly: bool
    severity: float
    is_learning: bool = False
    relearns: bool = False
    event: EventUpdate | None = None
    improbabilities: tuple[float, ...] = ()
