"""The entry point: one value in, one verdict out; the model is fitted anew again and again."""

import math
from statistics import median
from typing import NamedTuple

from app.anomalies.results import Direction, EventKind
from app.anomalies.severity import HALF_SEVERITY_EVIDENCE, severity_of
from app.anomalies.streaming.events import EventPoint, OpenEvent
from app.anomalies.streaming.evidence import Evidence
from app.anomalies.streaming.fit import StreamFit
from app.anomalies.streaming.forecaster import Forecaster, ForecastStep
from app.anomalies.streaming.health import Health
from app.anomalies.streaming.runs import Runs
from app.anomalies.streaming.state import pack, unpack
from app.anomalies.streaming.verdict import AnomalyVerdict, Closing, EventUpdate
from app.anomalies.streaming.widening import Widening
from app.anomalies.tail import MIN_P_VALUE

# The first fit needs so many points. Judging begins after two seasons, but at most so many points;
# after a lasting change after so many.
_FIRST_FIT_POINTS, _MAX_LEARNING_POINTS, _RELEARNING_POINTS = 20, 300, 50
# The next fit follows after half as many points as were learned from, within these bounds.
_REFIT_DIVISOR, _MIN_REFIT_POINTS, _MAX_REFIT_POINTS = 2, 10, 500
# What counts as a season, in steps, where a series has none.
_DEFAULT_SEASON_STEPS = 100
# A run without a flagged point is an event if a statistic of the last points together is this
# improbable, -log10 of its p-value.
_MIN_RUN_IMPROBABILITY = 2.0
# Share of a value that may be lost in conversion between the series' unit and the fit's.
_ROUNDING_SHARE = 1e-14
# A series whose forecasts follow it wanders further than its band is wide: so many usual distances
# from its level.
_WANDER_DISTANCES = 3.5
_LOG_10, _LOG_2 = math.log(10.0), math.log(2.0)


class _Signal(NamedTuple):
    """The result of one statistic: -log10 of its p-value, the kind of event, the direction."""

    improbability: float
    kind: EventKind
    is_up: bool


class _State:
    """Everything that a detector stores about a series; what moves with each point comes first."""

    def __init__(self) -> None:
        self.began = self.judges_from = 0
        self.next_fit = _FIRST_FIT_POINTS
        self.level_from = -1  # time of the first point at a new level, -1 without one
        self.calm_scale = self.calm_spread = self.calm_level = 0.0
        self.calm_near = self.calm_far = self.calm_size = 0.0
        self.health = Health()
        self.runs = Runs()
        self.evidence = Evidence()
        self.widening = Widening()
        self.event = OpenEvent()
        self.forecaster = Forecaster()
        self.has_fit = False
        self.fit = StreamFit()


class StreamDetector:
    """A detector for one series that judges each point on arrival.

    Whoever keeps the points calls ``learn`` with a new fit whenever ``needs_fit``.

    Args:
        periods: Seasonal periods in steps that the calendar suggests, shortest first.
        false_alarm_rate: Fraction of points of a clean series that may be flagged, 0.0001 to 0.1.
        direction: The sides on which points are flagged. With one side the rate applies to it; the
            other bound is that of the other side. A stuck value is always an event.
    """

    def __init__(
        self,
        periods: tuple[int, ...],
        false_alarm_rate: float,
        direction: Direction = Direction.BOTH,
    ) -> None:
        self._period = periods[0] if periods else 0
        self._rate, self._direction = false_alarm_rate, direction
        self._memory = _State()
        self._memory.judges_from = max(
            _FIRST_FIT_POINTS, min(2 * self._period, _MAX_LEARNING_POINTS)
        )

    @classmethod
    def from_bytes(
        cls,
        packed: bytes,
        periods: tuple[int, ...],
        false_alarm_rate: float,
        direction: Direction,
    ) -> "StreamDetector":
        """Return the detector stored by ``to_bytes``.

        Raises:
            ValueError: The bytes are not a state of this version.
        """
        detector = cls(periods, false_alarm_rate, direction)
        unpack(packed, detector._memory)
        return detector

    @classmethod
    def from_fit(
        cls,
        fit: StreamFit,
        forecaster: Forecaster,
        false_alarm_rate: float,
        direction: Direction = Direction.BOTH,
    ) -> "StreamDetector":
        """Return a detector that judges by a fit from the next point on."""
        detector = cls((), false_alarm_rate, direction)
        detector._memory.judges_from = 0
        detector.learn(fit, forecaster)
        return detector

    @classmethod
    def from_steps(
        cls,
        periods: tuple[int, ...],
        false_alarm_rate: float,
        direction: Direction = Direction.BOTH,
        *,
        steps: int,
    ) -> "StreamDetector":
        """Return a detector of a series that has had so many steps, to be fitted to them."""
        detector = cls(periods, false_alarm_rate, direction)
        detector._memory.forecaster.time = steps
        return detector

    def to_bytes(self) -> bytes:
        """Return the state; a detector restored from it continues exactly like this one."""
        return pack(self._memory)

    @property
    def time(self) -> int:
        """The number of steps so far, missing ones included."""
        return self._memory.forecaster.time

    @property
    def is_learning(self) -> bool:
        """Whether there are too few points yet to judge the next one."""
        return not self._memory.has_fit or self.time < self._memory.judges_from

    @property
    def max_gap_steps(self) -> int:
        """The number of missing points that can be skipped: two seasons."""
        return 2 * (self._period or _DEFAULT_SEASON_STEPS)

    @property
    def needs_fit(self) -> bool:
        """Whether the model should be fitted before the next point is judged."""
        return self.time >= self._memory.next_fit

    @property
    def learned_steps(self) -> int:
        """The number of latest steps to fit to."""
        return self.time - self._memory.began

    @property
    def level_steps(self) -> int:
        """The number of latest steps at a new level, 0 if none is known."""
        since = self._memory.level_from
        return self.time - since if since > self._memory.began else 0

    @property
    def is_uncertain(self) -> bool:
        """Whether the model was wrong not long ago: a fit must take no point for an anomaly."""
        return self.time < self._memory.health.uncertain_until

    def learn(self, fit: StreamFit, forecaster: Forecaster) -> None:
        """Judge by a new fit from here on; ``forecaster`` is at the next step."""
        memory = self._memory
        if memory.event.is_open and memory.has_fit:
            self._move_event(fit)
        memory.fit, memory.forecaster, memory.has_fit = fit, forecaster, True
        memory.calm_scale = 0.0
        self._plan_fit()

    def postpone_fit(self) -> None:
        """Continue with the last fit: no other could be made."""
        self._memory.next_fit = self.time + _MIN_REFIT_POINTS

    def skip(self, steps: int) -> EventUpdate | None:
        """Skip missing points; after more than ``max_gap_steps`` learning starts again.

        Returns:
            The news that the open event, if any, ended before the first missing point, if learning
            starts again. Otherwise the event continues, and the steps count for it.
        """
        memory = self._memory
        if steps > self.max_gap_steps:
            event = memory.event
            self._memory = _State()
            self._memory.judges_from = max(
                _FIRST_FIT_POINTS, min(2 * self._period, _MAX_LEARNING_POINTS)
            )
            event.advance(1)
            return event.end() if event.is_open else None
        memory.event.advance(steps)
        for _ in range(steps):
            if memory.has_fit:
                memory.forecaster.skip(memory.fit)
            else:
                memory.forecaster.time += 1
        return None

    def drop_event(self) -> None:
        """Forget the open event, if any: whatever comes is another one."""
        self._memory.event = OpenEvent()

    def update(self, value: float) -> AnomalyVerdict:
        """Judge the next value, finite and at most 1e100 in magnitude, and learn from it."""
        memory = self._memory
        accepted = memory.runs.add(value, self._rate)
        if not memory.has_fit:
            memory.forecaster.time += 1
            return _unjudged_verdict(value, value)
        fit, forecaster, time = memory.fit, memory.forecaster, self.time
        level, drift = forecaster.level, forecaster.drift
        step = forecaster.step(fit, fit.plain(value))
        season, scale = fit.season_at(time), step.scale
        expected = fit.restored(step.expected + season)
        if time < memory.judges_from:
            return _unjudged_verdict(value, expected)
        below, above = self._limits()
        lost = _ROUNDING_SHARE * (abs(fit.centre) + abs(expected))
        lower = min(fit.restored(step.expected + season - scale * below), expected - lost)
        upper = max(fit.restored(step.expected + season + scale * above), expected + lost)
        is_anomaly = (value > upper and self._direction is not Direction.DOWN) or (
            value < lower and self._direction is not Direction.UP
        )
        log_p = self._learn_width(step.error / scale)
        p_value = self._reconcile_p_value(math.exp(log_p), is_anomaly)
        signs = self._signals(step, (step.value - fit.base) / fit.phase_at(time), log_p)
        improbabilities = tuple(sign.improbability for sign in signs)
        evidence = memory.evidence.add_point(improbabilities)
        severity = severity_of(evidence)
        run = (
            self._run_kind(signs) if memory.evidence.height_now >= HALF_SEVERITY_EVIDENCE else None
        )
        width = max(
            scale * (above if step.error > 0 else below), _WANDER_DISTANCES * forecaster.spread
        )
        shown = EventPoint(
            is_anomaly,
            severity,
            step.value,
            step.expected,
            level,
            drift,
            width,
            severity_of(memory.evidence.height_now),
            memory.runs.is_stuck,
            run,
        )
        news, relearns = self._update_event(shown, accepted)
        return AnomalyVerdict(
            expected,
            lower,
            upper,
            p_value,
            is_anomaly,
            severity,
            relearns=relearns,
            event=news,
            improbabilities=improbabilities,
        )

    def _limits(self) -> tuple[float, float]:
        """Return how many usual errors below and above its forecast a point may be."""
        fit, rate = self._memory.fit, self._rate
        share = math.log(rate)
        if self._direction is Direction.BOTH and not (fit.up.is_bare or fit.down.is_bare):
            share -= _LOG_2
        times = math.exp(self._memory.widening.log_factor(math.log(rate)))
        return (
            max(0.0, fit.down.quantile(share)) * times,
            max(0.0, fit.up.quantile(share)) * times,
        )

    def _log_p(self, surprise: float) -> float:
        """Return the logarithm of the p-value of an error in usual errors, unwidened."""
        fit = self._memory.fit
        if self._direction is Direction.UP:
            return fit.up.log_p(surprise)
        if self._direction is Direction.DOWN:
            return fit.down.log_p(-surprise)
        beyond = fit.up.log_p(surprise) if surprise > 0 else fit.down.log_p(-surprise)
        sides = 0.0 if fit.up.is_bare or fit.down.is_bare else _LOG_2
        return min(0.0, beyond + sides)

    def _learn_width(self, surprise: float) -> float:
        """Return the logarithm of the p-value of an error; the widening learns from it."""
        widening = self._memory.widening
        near = self._log_p(surprise * math.exp(-widening.near))
        log_p = widening.solve(near, lambda times: self._log_p(surprise / times))
        widening.learn(near, log_p)
        return log_p

    def _signals(self, step: ForecastStep, away: float, log_p: float) -> list[_Signal]:
        """Return the signs of a point on the sides asked for."""
        fit, is_up = self._memory.fit, step.error > 0
        drifts = step.drift > 0
        signs = [
            _make_signal(log_p, EventKind.SPIKE if is_up else EventKind.DIP, is_up),
            _make_signal(fit.burst.log_p(step.burst), EventKind.BURST, is_up),
            _make_signal(fit.drift.log_p(abs(step.drift)), EventKind.LEVEL_SHIFT, drifts),
            _make_signal(fit.high.log_p(away), EventKind.SPIKE, True),
            _make_signal(fit.low.log_p(-away), EventKind.DIP, False),
        ]
        if self._direction is Direction.BOTH:
            return signs
        asked = self._direction is Direction.UP
        return [sign for sign in signs if sign.is_up == asked]

    def _run_kind(self, signs: list[_Signal]) -> EventKind | None:
        """Return the kind of event of the last points together, if they are improbable."""
        kinds = {EventKind.LEVEL_SHIFT}
        if self._direction is Direction.BOTH:  # a burst has both sides
            kinds.add(EventKind.BURST)
        runs = [
            sign
            for sign in signs
            if sign.kind in kinds and sign.improbability >= _MIN_RUN_IMPROBABILITY
        ]
        return max(runs, key=lambda sign: sign.improbability).kind if runs else None

    def _update_event(
        self, shown: EventPoint, stuck_is_normal: bool
    ) -> tuple[EventUpdate | None, bool]:
        """Open, continue or close an event.

        Returns:
            Its news, if any, and whether the series has changed for good: it is learned anew.
        """
        memory, event, forecaster = self._memory, self._memory.event, self._memory.forecaster
        news = None
        if event.is_open:
            news = event.add_point(shown, stuck_is_normal)
            if news.closing is Closing.ENDED and memory.calm_scale:
                # What came during the event says nothing about the noise without one.
                forecaster.reset_after_event(
                    memory.calm_scale, memory.calm_spread, memory.calm_level, memory.calm_size
                )
                memory.evidence.total = 0.0
                memory.widening.near = min(memory.widening.near, memory.calm_near)
                memory.widening.far = min(memory.widening.far, memory.calm_far)
            elif news.closing is Closing.NEW_LEVEL:
                memory.level_from = self.time - event.started - 1
                memory.next_fit = self.time
                if news.kind is EventKind.LEVEL_SHIFT:
                    forecaster.shift_level(event.level)
                elif news.kind in (EventKind.FLAT, EventKind.BURST):
                    # What was learned before says nothing of the noise from here on.
                    memory.began, memory.widening = memory.level_from, Widening()
        elif shown.is_anomaly or shown.is_stuck or shown.run:
            memory.calm_scale, memory.calm_spread = forecaster.scale, forecaster.spread
            memory.calm_level, memory.calm_size = forecaster.level, median(forecaster.sizes)
            memory.calm_near, memory.calm_far = memory.widening.near, memory.widening.far
            news = event.begin(shown)
        began = self.time - 1 - event.started if event.is_open else None
        if not memory.health.is_failing(self.time, shown.is_anomaly, self._rate):
            return news, False
        was_doubted = self.is_uncertain
        memory.next_fit = self.time
        if not memory.health.record_repair(self.time, began):
            return news, False
        if not was_doubted:
            memory.began = memory.health.failing_since
        memory.judges_from = memory.next_fit = max(self.time, memory.began + _RELEARNING_POINTS)
        memory.evidence = Evidence()
        return event.accept_as_normal() if event.is_open else news, True

    def _move_event(self, fit: StreamFit) -> None:
        """Express the open event in the units of a new fit."""
        old, time = self._memory.fit, self.time
        home = fit.plain(old.restored(self._memory.event.home + old.season_at(time)))
        ratio = old.unit / fit.unit if old.is_log == fit.is_log else 1.0
        self._memory.event.move(home - fit.season_at(time), ratio)

    def _plan_fit(self) -> None:
        learned = self.learned_steps
        self._memory.next_fit = self.time + max(
            _MIN_REFIT_POINTS, min(learned // _REFIT_DIVISOR, _MAX_REFIT_POINTS)
        )

    def _reconcile_p_value(self, p_value: float, is_anomaly: bool) -> float:
        """Return the p-value, moved to the side of the rate that agrees with the band."""
        if is_anomaly:
            return max(MIN_P_VALUE, min(p_value, math.nextafter(self._rate, 0.0)))
        return max(p_value, self._rate)


def _make_signal(log_p: float, kind: EventKind, is_up: bool) -> _Signal:
    return _Signal(-log_p / _LOG_10, kind, is_up)


def _unjudged_verdict(value: float, expected: float) -> AnomalyVerdict:
    lower, upper = min(value, expected), max(value, expected)
    return AnomalyVerdict(expected, lower, upper, 1.0, False, 0.0, is_learning=True)
