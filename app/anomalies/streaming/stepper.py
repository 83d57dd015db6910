"""One step of a stream: forecast a value, judge it, and open, continue or close an event."""

from dataclasses import dataclass, replace
from functools import partial

from app.anomalies.results import (
    HALF_SEVERITY_EVIDENCE,
    AnomalyVerdict,
    CloseReason,
    Direction,
    EventKind,
    EventUpdate,
    severity_of,
)
from app.anomalies.streaming.bounds import NO_LOSS
from app.anomalies.streaming.event_tracker import EventPoint, EventTracker
from app.anomalies.streaming.evidence import (
    Evidence,
    JudgedPoint,
    Signal,
    ValueBand,
    Widening,
    band_limits,
    joint_event_kind,
    point_signals,
    value_band,
)
from app.anomalies.streaming.forecaster import ForecastStep
from app.anomalies.streaming.state import StreamState
from app.anomalies.surges import SurgeBand, SurgeStep, surge_evidence
from app.anomalies.tail import BandLimits

# A band wider than this many times the typical magnitude of the values gets a notice.
WIDE_RATIO = 20
_RELEARNING_POINTS = 50  # learned after a lasting change, before judging begins
# The smallest half-width of an event, in typical distances from the level: the forecasts for a
# random walk move further than its band is wide.
_MIN_WIDTH_DISTANCES = 3.5


@dataclass(frozen=True)
class StreamStepper:
    """Judges the next value of a stream by its ``state``, which changes."""

    state: StreamState
    rate: float
    direction: Direction

    def judge(self, value: float) -> AnomalyVerdict:
        """Judge the next value, as `StreamDetector.update`.

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
        state, time = self.state, self.state.forecaster.time
        is_stuck_normal = state.flat_run.add(value, self.rate)
        if not state.has_fit:
            state.forecaster.time += 1
            return AnomalyVerdict.while_learning(value, value)
        step, surge = self._forecast(value)
        if time < state.judging_starts_at:
            expected = state.fit.to_values(step.expected + state.fit.season_at(time))
            return AnomalyVerdict.while_learning(value, expected)
        point = self._compare_with_band(value, time, step, surge)
        state.fit.bounds.observe(value)
        severity, joint_kind = self._weigh_evidence(point, time)
        update = self._update_event(self._event_point(point, severity, joint_kind), is_stuck_normal)
        # A surge that is missing, late or long says nothing about the model.
        state.health.record_point(time + 1, point.is_anomaly and not self._surge_steps)
        needs_relearning = state.health.is_failing(self.rate) and self._repair_model()
        if needs_relearning and state.event.is_open:
            update = state.event.accept_as_normal()
        band = point.band
        return AnomalyVerdict(
            expected=band.expected,
            lower=band.lower,
            upper=band.upper,
            p_value=point.p_value(self.rate),
            is_anomaly=point.is_anomaly,
            severity=severity,
            needs_relearning=needs_relearning,
            is_band_wide=band.upper - band.lower > WIDE_RATIO * state.fit.typical_size,
            event=None if state.event.is_unreported else update,
        )

    def _forecast(self, value: float) -> tuple[ForecastStep, SurgeStep | None]:
        """Forecast the value and learn from it, unless it is in the window of a surge."""
        state, fit, event = self.state, self.state.fit, self.state.event
        forecaster = state.forecaster
        units, surge = fit.to_units(value), fit.surge_at(forecaster.time)
        if event.is_open:
            event.advance(1)
        if event.is_return(units - fit.season_at(forecaster.time)):
            forecaster.return_to(event.baseline, event.steps_since_start)
            before = state.before_event
            forecaster.shift_level(before.level if before.scale > 0 else event.baseline)
        return forecaster.step(fit, None if surge else units), surge

    def _compare_with_band(
        self, value: float, time: int, step: ForecastStep, surge: SurgeStep | None
    ) -> JudgedPoint:
        """Return the point and its band; a recurring surge has its own, learned from the past."""
        state, fit = self.state, self.state.fit
        limits = band_limits(fit, state.widening, self.rate, self.direction)
        base = value_band(fit, step, time, limits, self.rate)
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
        fit, widening = self.state.fit, self.state.widening
        is_outside = not band.lower <= value <= band.upper
        is_anomaly = is_outside and self.direction.has_side(value > band.upper)
        scaled_error = step.error / step.scale
        log_p_of = partial(fit.tails.errors.log_p, direction=self.direction)
        log_p = widening.log_p(scaled_error, log_p_of)
        if surge_widths is None:
            widening.adapt(scaled_error, log_p, log_p_of)
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
        evidence, step = self.state.evidence, point.step
        min_evidence = point.loss.evidence(evidence.add_loss(point.loss))
        if point.is_anomaly:
            min_evidence = max(min_evidence, point.surge_evidence)
        signals: list[Signal] = []  # the way back from an unreported event proves nothing
        if point.is_anomaly or self.state.event.return_limit is None:
            signals = point_signals(self.state.fit, step, time, point.log_p, self.direction)
        others = [signal.evidence for signal in signals if not signal.is_lasting]
        for signal in signals:
            if signal.is_lasting and signal.evidence > HALF_SEVERITY_EVIDENCE:
                # Below that, the other signals show the same. The mean with the strongest of them:
                # a single signal is not enough.
                strongest = max(others, default=0.0)
                min_evidence = max(min_evidence, (signal.evidence + strongest) / 2)
        severity = severity_of(evidence.add_point(others, min_evidence))
        if evidence.current < HALF_SEVERITY_EVIDENCE:
            return severity, None
        kind = joint_event_kind(signals, self.direction)
        # A point on the way back shows no new level.
        is_return = (step.error > 0) != (step.last_drift > 0)
        return severity, None if kind is EventKind.LEVEL_SHIFT and is_return else kind

    def _event_point(
        self, judged: JudgedPoint, severity: float, joint_kind: EventKind | None
    ) -> EventPoint:
        state, step, event = self.state, judged.step, self.state.event
        spread = state.forecaster.spread
        point = EventPoint(
            step,
            severity=max(severity, severity_of(state.flat_run.evidence)),
            joint_severity=severity_of(state.evidence.current),
            joint_kind=joint_kind,
            is_anomaly=judged.is_anomaly,
            is_stuck=state.flat_run.is_stuck,
            has_left_level=abs(step.recent - step.level) > spread,
        )
        # An event that is reported continues on both sides.
        continues = event.is_open and not event.is_unreported
        is_unreported = judged.is_outside and not point.is_reported and not continues
        # An unreported event is left on the other side, which is the judged one.
        width = step.scale * judged.limits.on_side((step.error > 0) != is_unreported)
        min_width = _MIN_WIDTH_DISTANCES * spread
        # Where single points are not out, their band may be far wider than the level moved.
        width = max(width, min_width) if judged.is_outside else min_width
        return replace(point, is_unreported=is_unreported, width=width)

    def _update_event(self, point: EventPoint, is_stuck_normal: bool) -> EventUpdate | None:
        """Open, continue or close an event; return its update, None without one."""
        state, event = self.state, self.state.event
        if event.is_open and not (event.is_unreported and point.is_reported):
            return self._continue_event(point, is_stuck_normal)
        if not (point.is_reported or point.is_unreported):
            return None
        if not event.is_open:  # else the state before the unreported event still counts
            state.before_event.record(state.forecaster, state.widening)
        state.event, update = EventTracker.opened_by(point)
        return update

    def _continue_event(self, point: EventPoint, is_stuck_normal: bool) -> EventUpdate:
        state, event = self.state, self.state.event
        update = event.add_point(point, is_stuck_normal, self._surge_steps)
        if update.close_reason is CloseReason.ENDED:
            state.evidence.end_event(update.steps_since_start)
            if state.before_event.scale > 0:  # the event says nothing about the noise without one
                state.before_event.restore(state.forecaster, state.widening)
        elif update.close_reason is CloseReason.NEW_LEVEL:
            state.next_fit_at = state.forecaster.time
            state.level_starts_at = self._event_start
            if event.has_shifted:
                state.forecaster.shift_level(event.level)
            elif update.kind in (EventKind.FLAT, EventKind.BURST):
                # The points before say nothing about the noise from here on.
                state.history_starts_at, state.widening = state.level_starts_at, Widening()
        return update

    @property
    def _event_start(self) -> int:
        """The time of the first point of the event."""
        last_time = self.state.forecaster.time - 1  # the forecaster is at the next step
        return last_time - self.state.event.steps_since_start

    @property
    def _surge_steps(self) -> int:
        """The length of the recurring surge in or just after which the event began, 0 without."""
        fit, start = self.state.fit, self._event_start
        surge = fit.surge_at(start) or fit.surge_at(start - 1)
        return surge.length if surge else 0

    def _repair_model(self) -> bool:
        """Schedule a refit of a model that flags too many points; return whether to relearn all."""
        state, health, time = self.state, self.state.health, self.state.forecaster.time
        was_uncertain = time < health.uncertain_until
        state.next_fit_at = time
        if not health.record_repair(time, self._event_start if state.event.is_open else None):
            return False
        if not was_uncertain:
            state.history_starts_at = health.failing_since
        first_judged = max(time, state.history_starts_at + _RELEARNING_POINTS)
        state.judging_starts_at = state.next_fit_at = first_judged
        state.evidence = Evidence()
        return True
