"""The entry point: one value in, one verdict out, by a model that is refitted as points come."""

from collections.abc import Iterable
from functools import partial

from app.anomalies.results import (
    HALF_SEVERITY_EVIDENCE,
    AnomalyVerdict,
    Direction,
    EventKind,
    EventUpdate,
    severity_of,
)
from app.anomalies.streaming.bounds import NO_LOSS
from app.anomalies.streaming.event_tracker import EventTracker
from app.anomalies.streaming.evidence import (
    JudgedPoint,
    Signal,
    ValueBand,
    band_limits,
    joint_event_kind,
    point_signals,
    value_band,
)
from app.anomalies.streaming.fit import LearningContext, StreamFit
from app.anomalies.streaming.forecaster import Forecaster, ForecastStep
from app.anomalies.streaming.state import MIN_FIT_POINTS, StreamState, pack, unpack
from app.anomalies.surges import SurgeBand, SurgeStep, surge_evidence
from app.anomalies.tail import BandLimits

_MAX_LEARNING_POINTS = 300  # judging begins after two seasons, or after this many points
_REFIT_DIVISOR = 2  # the next fit is due after this part of the points of the last one
_MIN_REFIT_POINTS, _MAX_REFIT_POINTS = 10, 500  # the bounds of that number
_DEFAULT_SEASON_STEPS = 100  # of a series without a season
# A band wider than this many times the typical magnitude of the values gets a notice.
WIDE_RATIO = 20


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
        """Judge the next value, finite and at most 1e100 in magnitude, and learn from it.

        Each step changes other parts of the state, and the steps after it see these changes:

        1. ``flat_run`` counts repetitions of a value.
        2. ``event`` ages, and ``forecaster`` forecasts the value and learns from it.
        3. The point is compared with its band: ``current_surge`` and ``widening`` learn from it,
           and ``fit.bounds`` forget a bound that it is beyond.
        4. ``evidence`` adds how improbable the point is.
        5. ``event`` opens, continues or closes. When it opens, ``before_event`` records what
           ``forecaster`` and ``widening`` restore when it ends.
        6. ``health`` counts flagged points. If they are too many, a fit is due immediately; if they
           still are after it, learning starts again.
        """
        state, time = self._state, self.time
        is_stuck_normal = state.flat_run.add(value, self._rate)
        if not state.has_fit:
            state.forecaster.time += 1
            return AnomalyVerdict.while_learning(value, value)
        step, surge = state.forecast(value)
        if time < state.judging_starts_at:
            expected = state.fit.to_values(step.expected + state.fit.season_at(time))
            return AnomalyVerdict.while_learning(value, expected)
        point = self._compare_with_band(value, time, step, surge)
        state.fit.bounds.observe(value)
        severity, joint_kind = self._weigh_evidence(point, time)
        update, needs_relearning = state.update_event(
            point, severity, joint_kind, self._rate, is_stuck_normal=is_stuck_normal
        )
        band = point.band
        return AnomalyVerdict(
            expected=band.expected,
            lower=band.lower,
            upper=band.upper,
            p_value=point.p_value(self._rate),
            is_anomaly=point.is_anomaly,
            severity=severity,
            needs_relearning=needs_relearning,
            is_band_wide=band.upper - band.lower > WIDE_RATIO * state.fit.typical_size,
            event=None if state.event.is_unreported else update,
        )

    def _compare_with_band(
        self, value: float, time: int, step: ForecastStep, surge: SurgeStep | None
    ) -> JudgedPoint:
        """Return the point and its band; a recurring surge has its own, learned from the past."""
        state, fit = self._state, self._state.fit
        limits = band_limits(fit, state.widening, self._rate, self._direction)
        base = value_band(fit, step, time, limits, self._rate)
        if state.event.return_limit is not None:
            base = base.extended_to(fit.to_values(state.event.return_limit + fit.season_at(time)))
        if surge is None:
            return self._judge(value, step, base, limits)
        total_before = state.current_surge.add_point(surge.position, value - base.expected)
        without = SurgeBand(base.lower, base.expected, base.upper)
        is_last = surge.position == surge.length - 1
        raised = surge.raise_band(without, total_before, is_last=is_last)
        widths = raised.distance(value)  # the error counts in widths of the surge's band
        error = widths * step.scale * limits.on_side(widths > 0)
        surge_error = step._replace(value=step.expected + error, error=error)
        band = base._replace(lower=raised.lower, expected=raised.expected, upper=raised.upper)
        # Where the surge may be over, a value below the band does not show that it is too small.
        is_noise = value < raised.lower == base.lower
        return self._judge(value, surge_error, band, limits, 0.0 if is_noise else widths)

    def _judge(
        self,
        value: float,
        step: ForecastStep,
        band: ValueBand,
        limits: BandLimits,
        surge_widths: float | None = None,
    ) -> JudgedPoint:
        fit, direction = self._state.fit, self._direction
        is_outside = not band.lower <= value <= band.upper
        is_anomaly = is_outside and direction.has_side(value > band.upper)
        scaled_error = step.error / step.scale
        log_p_of = partial(fit.tails.errors.log_p, direction=direction)
        log_p = self._state.widening.log_p(scaled_error, log_p_of)
        if surge_widths is None:
            self._state.widening.adapt(scaled_error, log_p, log_p_of)
        loss = NO_LOSS
        if is_anomaly and value < band.outage_limit:
            loss = fit.bounds.loss_of(value, band.seasonal_level)
        return JudgedPoint(
            step=step,
            band=band,
            limits=limits,
            log_p=log_p,
            loss=loss,
            surge_evidence=0.0 if surge_widths is None else surge_evidence(surge_widths),
            is_outside=is_outside,
            is_anomaly=is_anomaly,
        )

    def _weigh_evidence(self, point: JudgedPoint, time: int) -> tuple[float, EventKind | None]:
        """Return the severity of a point, and the kind of event of the last points together."""
        state, step = self._state, point.step
        min_evidence = point.loss.evidence(state.evidence.add_loss(point.loss))
        if point.is_anomaly:
            min_evidence = max(min_evidence, point.surge_evidence)
        signals = self._signals_of(point, time)
        others = [signal.evidence for signal in signals if not signal.is_lasting]
        for signal in signals:
            if signal.is_lasting and signal.evidence > HALF_SEVERITY_EVIDENCE:
                # Below that, the other signals show the same. The mean with the strongest of them:
                # a single signal is not enough.
                strongest = max(others, default=0.0)
                min_evidence = max(min_evidence, (signal.evidence + strongest) / 2)
        severity = severity_of(state.evidence.add_point(others, min_evidence))
        if state.evidence.current < HALF_SEVERITY_EVIDENCE:
            return severity, None
        kind = joint_event_kind(signals, self._direction)
        # A point on the way back shows no new level.
        is_return = (step.error > 0) != (step.last_drift > 0)
        return severity, None if kind is EventKind.LEVEL_SHIFT and is_return else kind

    def _signals_of(self, point: JudgedPoint, time: int) -> list[Signal]:
        # The way back from an unreported event proves nothing.
        if self._state.event.return_limit is not None and not point.is_anomaly:
            return []
        return point_signals(self._state.fit, point.step, time, point.log_p, self._direction)
