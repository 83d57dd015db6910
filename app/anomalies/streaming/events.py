"""The open event: what opens it, its kind, and when it ends."""

from dataclasses import dataclass

from app.anomalies.results import MIN_LEVEL_POINTS, Direction, EventKind
from app.anomalies.streaming.verdict import Closing, EventUpdate, Stage

# An event ends after so many quiet points in a row whose mean is back: by chance one point in two
# of a small shift looks quiet.
_QUIET_POINTS = 5
# A point is out there beyond this share of the distance that points of the event usually have, or
# beyond the band; the mean of the quiet ones is back within this share of either.
_OUT_SHARE = 0.5
# That distance follows the last points out there, about so many.
_DISTANCE_MEMORY_POINTS = 10
# A level is new after so many points out there on one side; one that is not takes back one. Any
# other change is the normal one after so many points.
_NEW_LEVEL_POINTS, _MAX_EVENT_POINTS = 30, 100
# An event moves to the other side after so many points there.
_SIDE_SWITCH_POINTS = 3
# So many separate times out there are a burst.
_MIN_BURST_EXCURSIONS = 3


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
        gravity: The severity of the last points together, whether it is new or not.
        is_stuck: Whether it belongs to a run of one value where the series used to move.
        run: ``burst`` or ``level_shift`` if the last points together indicate an event, even if
            this one is not flagged.
    """

    is_anomaly: bool
    severity: float
    value: float
    expected: float
    level: float
    drift: float
    width: float
    gravity: float = 0.0
    is_stuck: bool = False
    run: EventKind | None = None


class OpenEvent:
    """The state of an event; ``is_open`` is False without one.

    Distances are from ``home``, where the series was when the event opened: the forecast of its
    first point, which also suits series that wander; for a run, which forecasts follow, the slow
    level. ``width`` is that of the band there. ``out`` counts the points out there, ``other`` those
    as far on the other side, and ``moved`` those after the first at which the series was not stuck.
    """

    def __init__(self) -> None:
        self.is_open = self.is_up = self.is_restless = self.was_stuck = False
        self.severity = self.gravity = self.home = self.width = self.distance = self.quiet_sum = 0.0
        self.out = self.other = self.excursions = self.quiet = self.moved = 0
        self.started = self.peak = self.ended = 0

    def begin(self, shown: EventPoint) -> EventUpdate:
        """Open an event with the current point; return the news."""
        self.__init__()  # type: ignore[misc]
        self.is_open, self.was_stuck = True, shown.is_stuck
        self.is_restless = not shown.is_anomaly and shown.run is EventKind.BURST
        self.severity, self.gravity = shown.severity, shown.gravity
        self.width = shown.width
        self.home = shown.expected if shown.is_anomaly else shown.level
        offset = shown.value - self.home if shown.is_anomaly else shown.drift
        self.is_up, self.distance = offset > 0, abs(offset)
        self.out = self.excursions = 1
        if not shown.is_anomaly and shown.run is EventKind.LEVEL_SHIFT:
            self.out = MIN_LEVEL_POINTS
        return self._event_update(Stage.OPENED, self.kind)

    @property
    def kind(self) -> EventKind:
        """The kind of the event so far."""
        if self.out >= MIN_LEVEL_POINTS and not self.was_stuck:
            return EventKind.LEVEL_SHIFT
        return self._kind_if_over

    @property
    def level(self) -> float:
        """Where the points out there are."""
        return self.home + (self.distance if self.is_up else -self.distance)

    def add_point(self, shown: EventPoint, stuck_is_normal: bool = False) -> EventUpdate:
        """Continue or close the event by the next point.

        ``stuck_is_normal``: the value of a run is normal from here on.
        """
        self.advance(1)
        self.gravity = max(self.gravity, shown.gravity)
        if shown.severity > self.severity:
            self.severity, self.peak = shown.severity, 0
        self._observe(shown)
        if shown.is_anomaly:
            return self._event_update(Stage.CONTINUES, self.kind)
        if stuck_is_normal or self.out >= _NEW_LEVEL_POINTS or self.moved >= _MAX_EVENT_POINTS:
            return self.accept_as_normal()
        if self.quiet >= _QUIET_POINTS and self._is_back():
            return self.end()
        return self._event_update(Stage.CONTINUES, self.kind)

    def advance(self, steps: int) -> None:
        """Advance by some steps."""
        self.started += steps
        self.peak += steps
        self.ended += steps

    def end(self) -> EventUpdate:
        """Close the event: the current point is not part of it."""
        self.is_open = False
        return self._event_update(Stage.CLOSED, self._kind_if_over, Closing.ENDED)

    def accept_as_normal(self) -> EventUpdate:
        """Close the event: what the series does now is normal."""
        self.is_open = False
        return self._event_update(Stage.CLOSED, self.kind, Closing.NEW_LEVEL)

    def move(self, home: float, ratio: float) -> None:
        """Express the event in another fit's units, of which ``ratio`` make one of these."""
        self.home = home
        self.width *= ratio
        self.distance *= ratio
        self.quiet_sum *= ratio

    @property
    def _kind_if_over(self) -> EventKind:
        if self.was_stuck:
            return EventKind.FLAT
        if self.is_restless:
            return EventKind.BURST
        return EventKind.SPIKE if self.is_up else EventKind.DIP

    @property
    def _near_distance(self) -> float:
        """The distance from home up to which a point is not out there."""
        return min(_OUT_SHARE * self.distance, self.width)

    def _is_back(self) -> bool:
        """Return whether the quiet points are at home; a lasting small distance is the event's."""
        mean = self.quiet_sum / self.quiet
        if abs(mean) <= min(_OUT_SHARE * self.distance, _OUT_SHARE * self.width):
            return True
        if self.quiet >= MIN_LEVEL_POINTS:
            self.is_up, self.distance = mean > 0, abs(mean)
            self.out, self.quiet, self.quiet_sum = self.quiet, 0, 0.0
        return False

    def _observe(self, shown: EventPoint) -> None:
        """Learn whether the point is out there, on which side, and whether it is quiet."""
        away = shown.value - self.home
        side = 1 if self.is_up else -1
        self.was_stuck |= shown.is_stuck
        self.moved += not shown.is_stuck
        is_out, is_opposite = side * away > self._near_distance, side * away < -self._near_distance
        if is_out and not shown.is_stuck:
            self.excursions += shown.is_anomaly and self.quiet > 0
            self.distance += (side * away - self.distance) / min(
                self.out + 1, _DISTANCE_MEMORY_POINTS
            )
        if not shown.is_stuck:  # When a stuck value is normal is left to `Runs`.
            self.out = self.out + 1 if is_out else max(0, self.out - 1)
            self.other = self.other + 1 if is_opposite else max(0, self.other - 1)
        if self.other >= _SIDE_SWITCH_POINTS and self.other > self.out:
            self.is_up, self.distance = away > 0, abs(away)
            self.out, self.other = self.other, self.out
        # A flagged point on the way back is not beyond home.
        self.is_restless |= self.excursions >= _MIN_BURST_EXCURSIONS or (
            shown.is_anomaly and is_opposite
        )
        is_far = is_out or abs(away) > self.width
        if shown.is_anomaly or shown.is_stuck or (is_far and not self.was_stuck):
            self.quiet, self.quiet_sum, self.ended = 0, 0.0, 0
        else:
            self.quiet += 1
            self.quiet_sum += away

    def _event_update(
        self, stage: Stage, kind: EventKind, closing: Closing | None = None
    ) -> EventUpdate:
        direction = Direction.UP if self.is_up else Direction.DOWN
        return EventUpdate(
            stage,
            kind,
            direction,
            # Evidence is held for a while after a spike: a level behind it is as grave as it is.
            max(self.severity, self.gravity) if kind is EventKind.LEVEL_SHIFT else self.severity,
            started=self.started,
            peak=self.peak,
            ended=self.ended,
            closing=closing,
        )
