"""What a detector stores about a series, and its bytes: a version and numbers, no pickle."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from app.anomalies.results import CloseReason, EventKind, EventUpdate, severity_of
from app.anomalies.streaming.event_tracker import EventPoint, EventTracker
from app.anomalies.streaming.evidence import Evidence, JudgedPoint, Widening
from app.anomalies.streaming.fit import StreamFit
from app.anomalies.streaming.flat_run_tracker import FlatRunTracker
from app.anomalies.streaming.forecaster import Forecaster, ForecastStep
from app.anomalies.surges import CurrentSurge, SurgeStep

_RELEARNING_POINTS = 50  # learned after a lasting change, before judging begins

MIN_FIT_POINTS = 20  # points that the first fit needs

# The model is wrong if more of the last points are flagged than this multiple of the false alarm
# rate, and than this fraction.
_MIN_RATE_RATIO = 10
_MIN_FLAGGED_FRACTION = 0.02
_HEALTH_WINDOW_POINTS = 500
# A series that is flagged too often in spite of a new fit has changed for good after this many
# points. The number doubles each time that the series was relearned before, up to this often.
_MIN_LASTING_POINTS, _MAX_DOUBLINGS = 20, 6
# After a second repair within this many points, and for as many, no value counts as an anomaly in
# a fit.
_UNCERTAIN_POINTS = 5_000

# Increase this whenever the stored attributes, their order or their meaning change. A test compares
# it with the names of the attributes.
_VERSION = 16.0

# The smallest half-width of an event, in typical distances from the level: the forecasts for a
# random walk move further than its band is wide.
_MIN_WIDTH_DISTANCES = 3.5


@dataclass
class Health:
    """Whether the model still fits: the points flagged since the last repair.

    Times are numbers of steps, as `Forecaster.time`.
    """

    flagged_times: list[float] = field(default_factory=list)
    failing_since: int = -_HEALTH_WINDOW_POINTS  # time of the first point after the last repair
    repaired_at: int = -_HEALTH_WINDOW_POINTS  # time of the last repair since the last relearning
    uncertain_until: int = 0  # before this time, what looks like an anomaly may be normal
    relearnings: int = 0  # how often the series was relearned
    last_repaired_at: int = -_UNCERTAIN_POINTS  # time of the last repair of any kind

    def record_point(self, time: int, is_flagged: bool) -> None:
        while self.flagged_times and self.flagged_times[0] <= time - _HEALTH_WINDOW_POINTS:
            del self.flagged_times[0]
        if is_flagged:
            self.flagged_times.append(time)

    def is_failing(self, rate: float) -> bool:
        """Return whether the number of flagged points shows that the model is wrong."""
        fraction = max(_MIN_RATE_RATIO * rate, _MIN_FLAGGED_FRACTION)
        return len(self.flagged_times) > fraction * _HEALTH_WINDOW_POINTS

    def record_repair(self, time: int, event_start: int | None) -> bool:
        """Record a repair; return whether to relearn the series from ``failing_since`` on.

        ``event_start`` is the time of the open event's first point, None without an event.
        """
        is_again = time - self.repaired_at < _HEALTH_WINDOW_POINTS
        if not is_again:
            self.failing_since = int(self.flagged_times[0]) if event_start is None else event_start
        self.flagged_times = []
        self.repaired_at = time
        if time - self.last_repaired_at < _UNCERTAIN_POINTS:
            self.uncertain_until = time + _UNCERTAIN_POINTS
        self.last_repaired_at = time
        needed = _MIN_LASTING_POINTS * 2 ** min(self.relearnings, _MAX_DOUBLINGS)
        if not is_again or time - self.failing_since < needed:
            return False
        self.relearnings += 1
        self.repaired_at = -_HEALTH_WINDOW_POINTS
        return True


@dataclass
class PreEventState:
    """The scale, the level and the width before the open event, restored when it ends."""

    scale: float = 0.0  # 0 until recorded: a new fit, with other units, forgets it
    spread: float = 0.0
    level: float = 0.0
    log_factor: float = 0.0  # both are those of the `Widening`
    log_tail_factor: float = 0.0
    size: float = 0.0  # the median error, in units of the scale

    def record(self, forecaster: Forecaster, widening: Widening) -> None:
        self.scale, self.spread, self.level = forecaster.scale, forecaster.spread, forecaster.level
        self.log_factor, self.log_tail_factor = widening.log_factor, widening.log_tail_factor
        self.size = median(forecaster.sizes)

    def restore(self, forecaster: Forecaster, widening: Widening) -> None:
        """Undo what the event taught."""
        forecaster.shift_level(self.level)
        forecaster.scale = min(forecaster.scale, self.scale)
        forecaster.spread = min(forecaster.spread, self.spread)
        forecaster.sizes = [min(size, self.size) for size in forecaster.sizes]
        widening.log_factor = min(widening.log_factor, self.log_factor)
        widening.log_tail_factor = min(widening.log_tail_factor, self.log_tail_factor)


@dataclass
class StreamState:
    """Everything that a detector stores about a series; what is ``_at`` something is a time.

    `StreamDetector.update` says which of its parts a point changes, in which order.
    """

    judging_starts_at: int
    history_starts_at: int = 0  # the next fit learns from the points since
    next_fit_at: int = MIN_FIT_POINTS
    level_starts_at: int = -1  # at the first point at a new level, -1 without one
    current_surge: CurrentSurge = field(default_factory=CurrentSurge)
    before_event: PreEventState = field(default_factory=PreEventState)
    health: Health = field(default_factory=Health)
    flat_run: FlatRunTracker = field(default_factory=FlatRunTracker)
    evidence: Evidence = field(default_factory=Evidence)
    widening: Widening = field(default_factory=Widening)
    event: EventTracker = field(default_factory=EventTracker)
    forecaster: Forecaster = field(default_factory=Forecaster)
    has_fit: bool = False
    fit: StreamFit = field(default_factory=StreamFit)

    def forecast(self, value: float) -> tuple[ForecastStep, SurgeStep | None]:
        """Forecast the next value and learn from it, unless it is in the window of a surge."""
        fit, forecaster, event = self.fit, self.forecaster, self.event
        units, surge = fit.to_units(value), fit.surge_at(forecaster.time)
        if event.is_open:
            event.advance(1)
        if event.is_return(units - fit.season_at(forecaster.time)):
            forecaster.return_to(event.baseline, event.steps_since_start)
            forecaster.shift_level(
                self.before_event.level if self.before_event.scale > 0 else event.baseline
            )
        return forecaster.step(fit, None if surge else units), surge

    def update_event(
        self,
        judged: JudgedPoint,
        severity: float,
        joint_kind: EventKind | None,
        rate: float,
        *,
        is_stuck_normal: bool,
    ) -> tuple[EventUpdate | None, bool]:
        """Open, continue or close an event; then repair a model that flags too many points.

        Returns:
            Its update, if there is one, and whether the series has changed for good and is
            relearned.
        """
        event = self.event
        point = self._event_point(judged, severity, joint_kind)
        update = None
        if event.is_open and not (event.is_unreported and point.is_reported):
            update = self._continue_event(point, is_stuck_normal)
        elif point.is_reported or point.is_unreported:
            if not event.is_open:  # else the state before the unreported event still counts
                self.before_event.record(self.forecaster, self.widening)
            self.event, update = EventTracker.opened_by(point)
        # A surge that is missing, late or long says nothing about the model.
        self.health.record_point(self.forecaster.time, point.is_anomaly and not self._surge_steps)
        if not self.health.is_failing(rate) or not self._repair_model():
            return update, False
        return self.event.accept_as_normal() if self.event.is_open else update, True

    def _event_point(
        self, judged: JudgedPoint, severity: float, joint_kind: EventKind | None
    ) -> EventPoint:
        step, event, spread = judged.step, self.event, self.forecaster.spread
        point = EventPoint(
            step,
            severity=max(severity, severity_of(self.flat_run.evidence)),
            joint_severity=severity_of(self.evidence.current),
            joint_kind=joint_kind,
            is_anomaly=judged.is_anomaly,
            is_stuck=self.flat_run.is_stuck,
            has_left_level=abs(step.recent - step.level) > spread,
        )
        # An event that is reported continues on both sides.
        continues = event.is_open and not event.is_unreported
        is_unreported = judged.is_outside and not point.is_reported and not continues
        # An unreported event is left on the other side, which is the judged one.
        width = step.scale * judged.limits.on_side((step.error > 0) != is_unreported)
        width = max(width, _MIN_WIDTH_DISTANCES * spread)
        return replace(point, is_unreported=is_unreported, width=width)

    @property
    def _event_start(self) -> int:
        """The time of the first point of the event."""
        last_time = self.forecaster.time - 1  # the forecaster is at the next step
        return last_time - self.event.steps_since_start

    @property
    def _surge_steps(self) -> int:
        """The length of the recurring surge in or just after which the event began, 0 without."""
        start = self._event_start
        surge = self.fit.surge_at(start) or self.fit.surge_at(start - 1)
        return surge.length if surge else 0

    def _continue_event(self, point: EventPoint, is_stuck_normal: bool) -> EventUpdate:
        event = self.event
        update = event.add_point(point, is_stuck_normal, self._surge_steps)
        if update.close_reason is CloseReason.ENDED:
            self.evidence.end_event(update.steps_since_start)
            if self.before_event.scale > 0:  # the event says nothing about the noise without one
                self.before_event.restore(self.forecaster, self.widening)
        elif update.close_reason is CloseReason.NEW_LEVEL:
            self.next_fit_at = self.forecaster.time
            self.level_starts_at = self._event_start
            if event.has_shifted:
                self.forecaster.shift_level(event.level)
            elif update.kind in (EventKind.FLAT, EventKind.BURST):
                # The points before say nothing about the noise from here on.
                self.history_starts_at, self.widening = self.level_starts_at, Widening()
        return update

    def _repair_model(self) -> bool:
        """Schedule a refit of a model that flags too many points; return whether to relearn all."""
        time = self.forecaster.time
        was_uncertain = time < self.health.uncertain_until
        self.next_fit_at = time
        if not self.health.record_repair(time, self._event_start if self.event.is_open else None):
            return False
        if not was_uncertain:
            self.history_starts_at = self.health.failing_since
        self.judging_starts_at = self.next_fit_at = max(
            time, self.history_starts_at + _RELEARNING_POINTS
        )
        self.evidence = Evidence()
        return True


def pack(component: object) -> bytes:
    """Return all attributes: numbers, lists of floats, tuples of integers, and components."""
    numbers = [_VERSION]
    _append_numbers(component, numbers)
    return array("d", numbers).tobytes()


def _append_numbers(component: object, numbers: list[float]) -> None:
    for value in vars(component).values():
        if isinstance(value, (bool, int, float)):
            numbers.append(value)
        elif isinstance(value, (list, tuple)):
            numbers.append(len(value))
            numbers.extend(value)
        else:
            _append_numbers(value, numbers)


def unpack(packed: bytes, component: object) -> None:
    """Restore ``packed`` into a new component of the same class.

    Raise ValueError if it was packed by another version, or is not a state.
    """
    numbers = array("d")
    if len(packed) % numbers.itemsize:
        raise ValueError("not a state: its length is not that of numbers")
    numbers.frombytes(packed)
    if not numbers or numbers[0] != _VERSION:
        raise ValueError(f"not a state of version {_VERSION:g}")
    following = iter(numbers.tolist()[1:])
    try:
        _restore_attributes(component, following)
    except (StopIteration, OverflowError):  # a length may be infinite
        raise ValueError("the state is truncated or damaged") from None
    if next(following, None) is not None:
        raise ValueError("the state is longer than its attributes")


def _restore_attributes(component: Any, numbers: Iterator[float]) -> None:
    for name, value in list(vars(component).items()):
        if isinstance(value, (bool, int, float)):
            setattr(component, name, type(value)(next(numbers)))
        elif isinstance(value, (list, tuple)):
            items = [next(numbers) for _ in range(int(next(numbers)))]
            setattr(component, name, tuple(map(int, items)) if isinstance(value, tuple) else items)
        else:
            _restore_attributes(value, numbers)
