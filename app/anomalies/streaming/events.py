"""The open event: what opens it, its kind, and when it ends."""

from dataclasses import dataclass

from app.anomalies.results import SHORTEST_LEVEL, Direction, EventKind
from app.anomalies.streaming.verdict import Closing, EventNews, Stage

# An event ends after so many quiet points in a row. A point of a dip or burst looks quiet in at
# most half of the cases, by chance: five of them do so once in 32 times.
_QUIET_POINTS = 5
# A point is out there beyond this share of the distance that points of the event usually have.
_OUT = 0.5
# That distance follows the last points out there, about so many.
_DISTANCE_MEMORY = 10
# A level is new after so many points out there on one side; one that is not takes back one.
_BELIEVED = 30
# So many separate times out there are a burst.
_RESTLESS = 3


@dataclass(frozen=True)
class Shown:
    """A judged point as an event sees it.

    Attributes:
        is_anomaly: Whether it was flagged.
        severity: 0 to 100.
        error: Signed distance from the expectation, in the detector's unit.
        away: Signed distance from the slow level and its season.
        drift: ``away`` of the last points, smoothed.
        is_stuck: Whether it belongs to a run of one value where the series used to move.
        run: ``burst`` or ``level_shift`` if the last points together indicate an event, even if
            this one is not flagged.
        is_loud: Whether the last points together are still improbable.
        is_beyond_doubt: Whether there is certainly an event.
    """

    is_anomaly: bool
    severity: float
    error: float
    away: float
    drift: float
    is_stuck: bool = False
    run: EventKind | None = None
    is_loud: bool = False
    is_beyond_doubt: bool = False


class EventUnderWay:
    """The state of an event; ``is_open`` is False without one.

    Distances are from ``home``, where the series was when the event opened: the forecast of its
    first point, which also suits series that wander, moved along with the season.
    """

    def __init__(self, first: Shown | None = None) -> None:
        self.is_open = first is not None
        first = first or _NOTHING
        self.was_flagged, self.was_stuck = first.is_anomaly, first.is_stuck
        # Of a flagged point the point itself counts.
        self.is_restless = not first.is_anomaly and first.run is EventKind.BURST
        self.is_beyond_doubt = first.is_beyond_doubt
        self.severity = first.severity
        offset = first.error if first.is_anomaly else first.drift
        self.is_up, self.distance = offset > 0, abs(offset)
        # Home, as distance from the slow level and its season. The forecast is not the home of
        # a point that comes back to the level, nor of a run, which forecasts follow.
        forecast = first.away - first.error
        comes_back = abs(first.away) <= _OUT * abs(forecast)
        self.home = forecast if first.is_anomaly and not comes_back else 0.0
        self.out = self.excursions = 1
        self.started = self.peak = self.ended = self.quiet = 0

    @property
    def kind(self) -> EventKind:
        """The kind of the event so far."""
        if self.out > SHORTEST_LEVEL and not self.was_stuck:
            return EventKind.LEVEL_SHIFT
        return self._kind_if_over

    @property
    def level(self) -> float:
        """Where the points out there are, as distance from the slow level and its season."""
        return self.home + (self.distance if self.is_up else -self.distance)

    def open(self) -> EventNews:
        """Return the news that the event opened with the current point."""
        return self._news(Stage.OPENED, self.kind)

    def follow(self, shown: Shown, stuck_is_normal: bool = False) -> EventNews:
        """Continue or close the event by the next point.

        ``stuck_is_normal``: the value of a run is normal from here on.
        """
        self.pass_by(1)
        if shown.severity > self.severity:
            self.severity, self.peak = shown.severity, 0
        self._look(shown)
        if shown.is_anomaly:
            return self._news(Stage.CONTINUES, self.kind)
        if stuck_is_normal or (self.out >= _BELIEVED and not self.was_stuck):
            self.is_open = False
            return self._news(Stage.CLOSED, self.kind, Closing.NEW_LEVEL)
        if self.quiet >= _QUIET_POINTS:
            return self.end()
        return self._news(Stage.CONTINUES, self.kind)

    def pass_by(self, steps: int) -> None:
        """Advance by one step."""
        self.started += steps
        self.peak += steps
        self.ended += steps

    def end(self) -> EventNews:
        """Close the event: the current point is not part of it."""
        self.is_open = False
        return self._news(Stage.CLOSED, self._kind_if_over, Closing.ENDED)

    @property
    def _kind_if_over(self) -> EventKind:
        if self.was_stuck:
            return EventKind.FLAT
        if self.is_restless:
            return EventKind.BURST
        return EventKind.SPIKE if self.is_up else EventKind.DIP

    def _look(self, shown: Shown) -> None:
        """Learn whether the point is out there, on which side, and whether it is quiet."""
        side = 1 if self.is_up else -1
        away = side * (shown.away - self.home)
        is_out = away > _OUT * self.distance
        if is_out:
            self.excursions += shown.is_anomaly and self.quiet > 0
            self.out += 1
            self.distance += (away - self.distance) / min(self.out, _DISTANCE_MEMORY)
        else:
            self.out = max(0, self.out - 1)
        # A flagged point on the way back is not beyond home, or not beyond the level.
        is_opposite = max(away, side * shown.away) < -_OUT * self.distance
        self.is_restless |= self.excursions >= _RESTLESS or (shown.is_anomaly and is_opposite)
        self.is_beyond_doubt |= shown.is_beyond_doubt
        self.was_flagged |= shown.is_anomaly
        self.was_stuck |= shown.is_stuck
        lasts = (is_out and not self.was_stuck) or (shown.is_loud and not self.was_flagged)
        if shown.is_anomaly or shown.is_stuck or lasts:
            self.quiet = self.ended = 0
        else:
            self.quiet += 1

    def _news(self, stage: Stage, kind: EventKind, closing: Closing | None = None) -> EventNews:
        direction = Direction.UP if self.is_up else Direction.DOWN
        return EventNews(
            stage,
            kind,
            direction,
            self.severity,
            started=self.started,
            peak=self.peak,
            ended=self.ended,
            closing=closing,
        )


_NOTHING = Shown(False, 0.0, 0.0, 0.0, 0.0)
