"""What the streaming detector says of a point."""

from dataclasses import dataclass
from enum import StrEnum

from app.anomalies.results import Direction, EventKind


class Stage(StrEnum):
    """What a point is to the event under way."""

    OPENED = "opened"
    CONTINUES = "continues"
    CLOSED = "closed"


class Closing(StrEnum):
    """Why an event closed: the series is as it was, or its new level is the normal one now."""

    ENDED = "ended"
    NEW_LEVEL = "new_level"


@dataclass(frozen=True)
class EventNews:
    """The event under way, as of one point.

    Attributes:
        stage: What this point is to it. The point that closes an event is not part of it.
        kind: What it looks like so far; it can change until the event closes. A run on one side is
            a spike or dip at first, then a level shift, and a spike or dip again where it ends.
        direction: ``up`` or ``down``.
        severity: 0 to 100, of the most extreme point so far.
        started: Steps from its first point to this one.
        peak: Steps from its most extreme point to this one.
        ended: Steps from its last point to this one; points that only wait for it to be over are
            not part of it.
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
class Verdict:
    """What is known of one point when it arrives; all numbers are finite.

    Attributes:
        expected: The forecast of the value from those before.
        lower: Lower bound of the band, at most ``expected``.
        upper: Upper bound, at least ``expected``.
        p_value: Probability that a clean point lies as far out; below the false alarm rate exactly
            where ``is_anomaly``.
        is_anomaly: Whether the value lies outside the band, on a side that was asked for.
        severity: 0 to 100, growing with the improbability.
        evidence: How much speaks for something new that begins here, comparable between series:
            the sum of the last points' improbabilities where it reaches a new height, a tenth of
            it elsewhere. For an event it must also be large among what the series usually shows.
        is_learning: Too little was seen yet to judge: the band just holds the value.
        event: The event that opened, continues or closed with this point, if any. Each flagged
            point opens one or belongs to one.
    """

    expected: float
    lower: float
    upper: float
    p_value: float
    is_anomaly: bool
    severity: float
    evidence: float
    is_learning: bool = False
    event: EventNews | None = None
