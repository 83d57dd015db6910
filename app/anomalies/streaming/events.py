"""The verdict on a point, and the updates of its event."""

from dataclasses import dataclass
from enum import StrEnum

from app.anomalies.results import Direction, EventKind


class Stage(StrEnum):
    """The role of a point in the open event."""

    OPENED = "opened"
    CONTINUES = "continues"
    CLOSED = "closed"


class Closing(StrEnum):
    """Why an event closed: the series is back to normal, or what it does now became normal."""

    ENDED = "ended"
    NEW_LEVEL = "new_level"


@dataclass(frozen=True)
class EventUpdate:
    """The open event as of one point.

    Attributes:
        stage: The role of this point. The point that closes an event is not part of it.
        kind: The kind so far, final when the event closes: points out on one side are a spike or
            dip, then a level shift, and again a spike or dip if the event ends.
        direction: ``up`` or ``down``.
        severity: 0 to 100, of the most extreme point so far.
        started: Steps from its first point to this one.
        peak: Steps from its peak to this one: of its points so far, the one furthest from its
            forecast on the side of ``direction``.
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
        p_value: Probability of a clean point this far out; below the false alarm rate exactly if
            ``is_anomaly``.
        is_anomaly: Whether the value lies outside the band on a side of ``direction``.
        severity: 0 to 100, below 100: the evidence that something new begins here, comparable
            between series. What is flagged by chance stays below 50.
        is_learning: There are too few points to judge: the band just contains the value.
        relearns: The series has changed for good and is relearned from here on.
        is_band_wide: The band is more than 20 times as wide as the values usually are large.
        event: The event that opened, continues or closed with this point, if any. Each flagged
            point belongs to one.
        improbabilities: -log10 of the p-values that the severity comes from.
    """

    expected: float
    lower: float
    upper: float
    p_value: float
    is_anomaly: bool
    severity: float
    is_learning: bool = False
    relearns: bool = False
    is_band_wide: bool = False
    event: EventUpdate | None = None
    improbabilities: tuple[float, ...] = ()

    @staticmethod
    def unjudged(value: float, expected: float) -> "AnomalyVerdict":
        """Return the verdict on a point while learning."""
        lower, upper = min(value, expected), max(value, expected)
        return AnomalyVerdict(expected, lower, upper, 1.0, False, 0.0, is_learning=True)


@dataclass(frozen=True)
class EventPoint:
    """A judged point as an event sees it, in the fit's units and without its season.

    Attributes:
        is_anomaly: Whether it was flagged.
        severity: 0 to 100.
        value: The value.
        expected: Its forecast.
        level: The slow level before it.
        drift: The smoothed distance of the last values from it.
        width: The half-width of the band.
        joint_severity: The severity of the last points together, new or not.
        is_lasting: Whether most of the few points before it left the level as well.
        is_stuck: Whether it belongs to a run of one value where the series used to move.
        is_unreported: Whether it is outside the band, but not flagged, as its side is not judged.
        run: ``burst`` or ``level_shift`` if the last points together are an event, even if this
            one is not flagged.
    """

    is_anomaly: bool
    severity: float
    value: float
    expected: float
    level: float
    drift: float
    width: float
    joint_severity: float = 0.0
    is_lasting: bool = False
    is_stuck: bool = False
    is_unreported: bool = False
    run: EventKind | None = None

    @property
    def is_outside(self) -> bool:
        """Whether it is outside the band of the event's side."""
        return self.is_anomaly or self.is_unreported
