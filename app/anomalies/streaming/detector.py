"""The entry point: one value in, one verdict out, by a model that is refitted as points come."""

from collections.abc import Iterable

from app.anomalies.results import AnomalyVerdict, Direction, EventUpdate
from app.anomalies.streaming.event_tracker import EventTracker
from app.anomalies.streaming.fit import LearningContext, StreamFit
from app.anomalies.streaming.forecaster import Forecaster
from app.anomalies.streaming.state import MIN_FIT_POINTS, StreamState, pack, unpack
from app.anomalies.streaming.stepper import StreamStepper

_MAX_LEARNING_POINTS = 300  # judging begins after two seasons, or after this many points
_REFIT_DIVISOR = 2  # the next fit is due after the points of the last one, divided by this
_MIN_REFIT_POINTS, _MAX_REFIT_POINTS = 10, 500  # the bounds of that number
_DEFAULT_SEASON_STEPS = 100  # of a series without a season


def learning_points(period: int) -> int:
    """Return how many points are learned first; ``period`` is the seasonal one, 0 for none."""
    return max(MIN_FIT_POINTS, min(2 * period, _MAX_LEARNING_POINTS))


class StreamDetector:
    """A detector for one series that judges each point on arrival.

    Its owner stores the points and, whenever ``needs_fit``, fits the latest of them::

        if detector.needs_fit:
            latest = points[-detector.learned_steps :]
            detector.learn(*learn_stream(latest, periods, detector.learning_context))
        verdict = detector.update(value)

    Args:
        periods: Seasonal periods in steps that the calendar suggests, shortest first.
        false_alarm_rate: Fraction of points of a clean series that may be flagged, 0.0001 to 0.1.
        direction: The sides on which points are flagged. The rate applies to a single side; the
            other bound is then as if the direction were the other one. A stuck value is always an
            event.
        time: The time at which to begin: the first fit learns from the steps before it.
        missing_points: How many of these steps have no value.
    """

    def __init__(
        self,
        periods: tuple[int, ...],
        false_alarm_rate: float,
        direction: Direction = Direction.BOTH,
        *,
        time: int = 0,
        missing_points: int = 0,
    ) -> None:
        self._period = periods[0] if periods else 0
        self._rate, self._direction = false_alarm_rate, direction
        self._state = StreamState(learning_points(self._period))
        self._state.forecaster.time = time
        self._state.next_fit_at += missing_points

    @classmethod
    def from_bytes(
        cls, packed: bytes, periods: tuple[int, ...], false_alarm_rate: float, direction: Direction
    ) -> "StreamDetector":
        """Return the detector in ``packed``; raise ValueError if it is not of this version."""
        detector = cls(periods, false_alarm_rate, direction)
        unpack(packed, detector._state)
        return detector

    def to_bytes(self) -> bytes:
        """Return the state; a detector restored from it continues exactly like this one."""
        return pack(self._state)

    @property
    def time(self) -> int:
        """The number of steps since learning began, missing ones included: see ``skip``."""
        return self._state.forecaster.time

    @property
    def is_learning(self) -> bool:
        """Whether there are too few points yet to judge the next one."""
        return not self._state.has_fit or self.time < self._state.judging_starts_at

    @property
    def max_gap_steps(self) -> int:
        """The number of missing points that can be skipped: two seasons."""
        return 2 * (self._period or _DEFAULT_SEASON_STEPS)

    @property
    def needs_fit(self) -> bool:
        """Whether the model should be fitted before the next point is judged."""
        return self.time >= self._state.next_fit_at

    @property
    def learned_steps(self) -> int:
        """The number of latest steps to fit to."""
        return self.time - self._state.history_starts_at

    @property
    def learning_context(self) -> LearningContext:
        """What `learn_stream` takes after the values and their periods."""
        state, time = self._state, self.time
        has_new_level = state.level_starts_at > state.history_starts_at
        return LearningContext(
            time,
            level_points=time - state.level_starts_at if has_new_level else 0,
            is_uncertain=time < state.health.uncertain_until,
        )

    def learn(self, fit: StreamFit, forecaster: Forecaster) -> None:
        """Judge by a new fit from here on; ``forecaster`` is at the next step."""
        state, old, event = self._state, self._state.fit, self._state.event
        if event.is_open and state.has_fit:
            baseline = fit.to_units(old.to_values(event.baseline + old.season_at(self.time)))
            ratio = old.unit / fit.unit if old.is_log == fit.is_log else 1.0
            event.convert(baseline - fit.season_at(self.time), ratio)
        state.fit, state.forecaster, state.has_fit = fit, forecaster, True
        state.before_event.scale = 0.0
        due = min(self.learned_steps // _REFIT_DIVISOR, _MAX_REFIT_POINTS)
        state.next_fit_at = self.time + max(_MIN_REFIT_POINTS, due)

    def learn_runs(self, values: Iterable[float]) -> None:
        """Learn how long runs of one value are from values that are not judged."""
        for value in values:
            self._state.flat_run.add(value, self._rate)

    def postpone_fit(self) -> None:
        """Continue with the last fit, because a new one failed."""
        self._state.next_fit_at = self.time + _MIN_REFIT_POINTS

    def skip(self, steps: int) -> EventUpdate | None:
        """Skip missing points; after more than ``max_gap_steps`` learning starts again.

        Returns:
            The end of the open event, if learning starts again: before the first missing point.
            Otherwise None: the event continues, and the steps count for it.
        """
        state = self._state
        if steps > self.max_gap_steps:
            event = state.event
            self._state = StreamState(learning_points(self._period))
            event.advance(1)
            return event.end() if event.is_open and not event.is_unreported else None
        state.event.advance(steps)
        for _ in range(steps):
            if state.has_fit:
                state.forecaster.step(state.fit, None)
            else:  # a missing point does not count for the first fit
                state.forecaster.time += 1
                state.next_fit_at += 1
        return None

    def drop_event(self) -> None:
        """Forget the open event, if any: the next flagged point opens another."""
        self._state.event = EventTracker()

    def update(self, value: float) -> AnomalyVerdict:
        """Judge the next value, finite and at most 1e100 in magnitude, and learn from it."""
        return StreamStepper(self._state, self._rate, self._direction).judge(value)
