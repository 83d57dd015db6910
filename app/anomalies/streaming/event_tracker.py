"""The open event: what opens it, its kind, and when it ends.

The thresholds were compared on the series of ``docs/developing/anomaly-figures.md``.
"""

from dataclasses import dataclass

from app.anomalies.results import (
    MIN_LEVEL_POINTS,
    CloseReason,
    Direction,
    EventKind,
    EventUpdate,
    Stage,
)
from app.anomalies.streaming.forecaster import ForecastStep

# An event ends after this many quiet points in a row if their mean has returned to the baseline. By
# chance half of the points of a small shift look quiet.
_QUIET_POINTS = 5
# A point is out if it is further from the baseline than this fraction of the typical distance of
# the event's points. The event is over if the mean of its quiet points is within that distance, and
# within this fraction of the half-width of the band.
_OUT_FRACTION = 0.5
# Within this fraction of the half-width, half a sigma of normal noise, every point is quiet.
_NOISE_FRACTION = 0.2
# The first value inside the band ends an event whose points are further than this many half-widths.
_FAR_WIDTHS = 2.0
_DISTANCE_MEMORY_POINTS = 10  # whose mean, roughly, is the typical distance
# After ``_NEW_LEVEL_POINTS`` points out on one side the level is new; each other point subtracts
# one. Any other change is normal after ``_MAX_EVENT_POINTS``.
_NEW_LEVEL_POINTS, _MAX_EVENT_POINTS = 30, 100
_SIDE_SWITCH_POINTS = 3  # on the other side, after which an event moves there
_MIN_BURST_EXCURSIONS = 3  # separate ones


@dataclass(frozen=True)
class EventPoint:
    """A judged point as an event sees it, in the fit's units and without its season."""

    step: ForecastStep
    width: float = 0.0  # the half-width of the band
    severity: float = 0.0  # 0 to 100
    joint_severity: float = 0.0  # of the last points together, also without ``joint_kind``
    # ``burst`` or ``level_shift`` if the last points together are an event.
    joint_kind: EventKind | None = None
    is_anomaly: bool = False
    is_unreported: bool = False  # outside the band, on the side that is not judged
    is_stuck: bool = False  # in a run of one value in a series that varies
    has_left_level: bool = False  # most of the few points before it left the level as well

    @property
    def is_reported(self) -> bool:
        """Whether it opens an event that is reported."""
        return self.is_anomaly or self.is_stuck or self.joint_kind is not None

    @property
    def is_outside(self) -> bool:
        """Whether it is outside the band of the event's side."""
        return self.is_anomaly or self.is_unreported


@dataclass
class EventTracker:
    """The open event of a series; distances are from the baseline, in the fit's units.

    ``baseline`` is where the series was when the event opened: the forecast of its first point,
    which also suits random walks. If only the last points together are an event, forecasts follow
    them, and the baseline is the slow level.
    """

    is_open: bool = False
    is_up: bool = False  # its points are above the baseline, else below
    is_burst: bool = False  # a burst, unless it was stuck
    was_stuck: bool = False  # a flat run
    # On the side that is not judged: neither the event nor the way back from it is reported.
    is_unreported: bool = False
    severity: float = 0.0  # the highest of its points, and as a level shift of them together
    joint_severity: float = 0.0  # the highest joint severity of its points
    baseline: float = 0.0
    width: float = 0.0  # the half-width of the band there
    distance: float = 0.0  # the typical distance of the event's points from the baseline
    quiet_sum: float = 0.0  # the sum of the signed distances of the ``quiet_points`` last points
    peak_deviation: float = 0.0  # the signed distance of the peak from its forecast
    is_peak_flagged: bool = False  # the peak is outside its band
    points_out: int = 0  # points out on the event's side, less those that are not
    points_out_opposite: int = 0  # the same for the other side
    excursions: int = 0  # how often points went out again after a quiet one
    quiet_points: int = 0  # the last points in a row that are within the band and not out
    moving_points: int = 0  # points after the first at which the series was not stuck
    steps_since_start: int = 0  # steps since its first point
    steps_since_peak: int = 0  # steps since its peak
    steps_since_end: int = 0  # steps since its last point

    @classmethod
    def opened_by(cls, point: EventPoint) -> tuple["EventTracker", EventUpdate]:
        """Return the event that a point opens, and its first update."""
        step = point.step
        if point.is_outside:
            joint_kind, baseline, offset = None, step.expected, step.value - step.expected
        else:
            joint_kind, baseline, offset = point.joint_kind, step.level, step.last_drift
        has_shifted = joint_kind is EventKind.LEVEL_SHIFT and point.has_left_level
        event = cls(
            is_open=True,
            is_up=offset > 0,
            is_burst=joint_kind is EventKind.BURST,
            was_stuck=point.is_stuck,
            is_unreported=point.is_unreported,
            severity=point.severity,
            joint_severity=point.joint_severity,
            baseline=baseline,
            width=point.width,
            distance=abs(offset),
            points_out=MIN_LEVEL_POINTS if has_shifted else 1,
            excursions=1,
        )
        event._observe_peak(point)
        return event, event._event_update(Stage.OPENED, event.kind)

    @property
    def kind(self) -> EventKind:
        """The kind of the event so far; a level shift is named only on the side of its peak."""
        is_level = self.has_shifted and self._is_peak_up == self.is_up
        return EventKind.LEVEL_SHIFT if is_level else self._kind_if_over

    @property
    def has_shifted(self) -> bool:
        """Whether the series is at a new level."""
        return self.points_out >= MIN_LEVEL_POINTS and not self.was_stuck

    @property
    def return_limit(self) -> float | None:
        """How far the series may return from an unreported event; None without one.

        It is the far end of the band around the baseline.
        """
        if not (self.is_open and self.is_unreported):
            return None
        return self.baseline - self.width if self.is_up else self.baseline + self.width

    @property
    def level(self) -> float:
        """The typical value of the event's points."""
        return self.baseline + (self.distance if self.is_up else -self.distance)

    def is_return(self, value: float) -> bool:
        """Return whether a value is the first one back, inside the band from before the event."""
        is_far = self.distance > _FAR_WIDTHS * self.width
        is_first = self.is_open and not self.is_unreported and not self.quiet_points
        return is_first and is_far and abs(value - self.baseline) <= self.width

    def add_point(
        self, point: EventPoint, is_stuck_normal: bool = False, surge_steps: int = 0
    ) -> EventUpdate:
        """Continue or close the event with the next point, to which it has been advanced.

        Args:
            point: The next point.
            is_stuck_normal: Whether a stuck value is normal from here on.
            surge_steps: The length of the recurring surge that the event may be: one of twice the
                length is not a new level.
        """
        self.joint_severity = max(self.joint_severity, point.joint_severity)
        self.severity = max(self.severity, point.severity)
        self._observe(point)
        is_new_level = self.points_out >= _NEW_LEVEL_POINTS + surge_steps
        is_long = self.moving_points >= _MAX_EVENT_POINTS + surge_steps
        is_normal = is_stuck_normal or is_new_level or is_long
        if is_normal and not point.is_outside:
            return self.accept_as_normal()
        if self.quiet_points >= _QUIET_POINTS and self._has_returned:
            return self.end()
        if self.quiet_points >= MIN_LEVEL_POINTS:
            self._move_to_quiet_points()
        self._observe_peak(point)
        return self._event_update(Stage.CONTINUES, self.kind)

    def advance(self, steps: int) -> None:
        """Age the event by some steps, missing points included."""
        self.steps_since_start += steps
        self.steps_since_peak += steps
        self.steps_since_end += steps

    def end(self) -> EventUpdate:
        """Close the event: the current point is not part of it."""
        self.is_open = False
        return self._event_update(Stage.CLOSED, self._kind_if_over, CloseReason.ENDED)

    def accept_as_normal(self) -> EventUpdate:
        """Close the event: what the series does now is normal."""
        self.is_open = False
        return self._event_update(Stage.CLOSED, self.kind, CloseReason.NEW_LEVEL)

    def convert(self, baseline: float, ratio: float) -> None:
        """Express the event in another fit's units: ``ratio`` of them are one of these."""
        self.baseline = baseline
        self.width *= ratio
        self.peak_deviation *= ratio
        self.distance *= ratio
        self.quiet_sum *= ratio

    @property
    def _kind_if_over(self) -> EventKind:
        if self.was_stuck:
            return EventKind.FLAT
        if self.is_burst:
            return EventKind.BURST
        return EventKind.SPIKE if self._is_peak_up else EventKind.DIP

    @property
    def _is_peak_up(self) -> bool:
        """Whether the direction of the event is upwards: the side of its peak."""
        return self.peak_deviation > 0 if self.peak_deviation else self.is_up

    @property
    def _max_quiet_distance(self) -> float:
        """The distance up to which a point is not out."""
        return min(max(_OUT_FRACTION * self.distance, _NOISE_FRACTION * self.width), self.width)

    @property
    def _has_returned(self) -> bool:
        """Whether the mean of the quiet points is at the baseline."""
        mean_distance = abs(self.quiet_sum / self.quiet_points)
        return mean_distance <= min(self._max_quiet_distance, _OUT_FRACTION * self.width)

    def _move_to_quiet_points(self) -> None:
        """Take the quiet points, which stay at another distance, for those of the event."""
        offset = self.quiet_sum / self.quiet_points
        self.is_up, self.distance = offset > 0, abs(offset)
        self.points_out, self.quiet_points, self.quiet_sum = self.quiet_points, 0, 0.0

    def _observe(self, point: EventPoint) -> None:
        """Learn whether the point is out, on which side, and whether it is quiet."""
        offset = point.step.value - self.baseline
        distance = offset if self.is_up else -offset  # below 0 on the opposite side
        is_out = distance > self._max_quiet_distance
        is_out_opposite = distance < -self._max_quiet_distance
        # A flagged point on the way back is not beyond the baseline.
        self.is_burst |= point.is_outside and is_out_opposite
        if point.is_stuck:  # `FlatRunTracker` decides when a stuck value is normal
            self.was_stuck = True
        else:
            self.moving_points += 1
            if is_out:
                self._observe_point_out(distance, is_flagged=point.is_outside)
            self.points_out = _leaky_count(self.points_out, is_out)
            self.points_out_opposite = _leaky_count(self.points_out_opposite, is_out_opposite)
        if self.points_out_opposite >= max(_SIDE_SWITCH_POINTS, self.points_out + 1):
            self.is_up, self.distance = offset > 0, abs(offset)
            self.points_out, self.points_out_opposite = self.points_out_opposite, self.points_out
        is_far = is_out or abs(offset) > self.width
        if point.is_outside or point.is_stuck or (is_far and not self.was_stuck):
            self.quiet_points, self.quiet_sum, self.steps_since_end = 0, 0.0, 0
        else:
            self.quiet_points += 1
            self.quiet_sum += offset

    def _observe_point_out(self, distance: float, *, is_flagged: bool) -> None:
        """Learn the typical distance, and whether the event has gone out again often."""
        self.excursions += is_flagged and self.quiet_points > 0
        self.is_burst |= self.excursions >= _MIN_BURST_EXCURSIONS
        count = min(self.points_out + 1, _DISTANCE_MEMORY_POINTS)
        self.distance += (distance - self.distance) / count

    def _observe_peak(self, point: EventPoint) -> None:
        """Move the peak to a point further out on the event's side.

        Points after the event's last one are too late, unless it has no peak yet.
        """
        deviation = point.step.value - point.step.expected
        is_over = self.steps_since_end > 0 and self.peak_deviation != 0
        if is_over or not self._is_on_side(deviation):
            return
        if self._is_beyond_peak(deviation, is_flagged=point.is_anomaly):
            self.steps_since_peak, self.peak_deviation = 0, deviation
            self.is_peak_flagged = point.is_anomaly

    def _is_on_side(self, deviation: float) -> bool:
        """Return whether a deviation is on the event's side; a burst has both."""
        has_both_sides = self.is_burst and not self.has_shifted and not self.was_stuck
        return has_both_sides or (deviation > 0) == self.is_up

    def _is_beyond_peak(self, deviation: float, *, is_flagged: bool) -> bool:
        """Return whether a point is further out than the peak: a flagged one than any other.

        A peak on the other side is not far out, and not flagged if it is of a burst that has ended.
        """
        is_current = self._is_on_side(self.peak_deviation)
        is_peak_flagged = self.is_peak_flagged and (is_current or not self.is_burst)
        if is_flagged != is_peak_flagged:
            return is_flagged
        return abs(deviation) > (abs(self.peak_deviation) if is_current else 0.0)

    def _event_update(
        self, stage: Stage, kind: EventKind, close_reason: CloseReason | None = None
    ) -> EventUpdate:
        if kind is EventKind.LEVEL_SHIFT:  # a spike before it must not lower its severity
            self.severity = max(self.severity, self.joint_severity)
        return EventUpdate(
            stage,
            kind,
            Direction.UP if self._is_peak_up else Direction.DOWN,
            self.severity,
            steps_since_start=self.steps_since_start,
            steps_since_peak=self.steps_since_peak,
            steps_since_end=self.steps_since_end,
            close_reason=close_reason,
        )


def _leaky_count(count: int, is_hit: bool) -> int:
    """Return a count of hits, from which each miss takes one, after the next point."""
    return count + 1 if is_hit else max(0, count - 1)
