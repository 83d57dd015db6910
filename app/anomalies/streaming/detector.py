"""The entry point: one value in, one verdict out, with the state as an array in between."""

import math
from collections.abc import Sequence

import numpy as np

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.events import EventUnderWay, Shown
from app.anomalies.streaming.evidence import Evidence
from app.anomalies.streaming.expectation import NO_SEASON
from app.anomalies.streaming.runs import Runs
from app.anomalies.streaming.state import ByteArray, pack, settings_of, unpack
from app.anomalies.streaming.statistics import Reading, Sign, Statistics
from app.anomalies.streaming.verdict import Closing, EventNews, Verdict
from app.forecasting.types import FloatArray

# A longer history is cut: the detector only remembers its end.
MOST_LEARNED = 10_000
_DIRECTIONS = tuple(Direction)
# Values kept before learning starts: they determine the origin and the unit.
_FIRST = 20
# Learning before the first judgement takes two seasons, but at most this many points.
_LEARNING = 300
# The engine's forecast uses at most this many points, to limit its cost.
_FORECAST_FROM = 3000
# Values are clipped at this many units.
_FARTHEST = 1e30
# -log10 of the p-value whose severity is 100, and of a series that is stuck.
_GRAVEST = 12.0
# A new level is learned at once where an event was beyond doubt: by its evidence, or by a point of
# this severity, whose p-value is below 1e-5.
_GRAVE = 41.7
# A run without a flagged point is an event if it is this improbable, -log10 of its p-value.
_RUN = 2.0
# Fraction of a value that may be lost in conversion between the series' unit and the detector's.
_ROUNDING = 1e-14


class _Memory:
    """Everything that a detector stores about a series."""

    def __init__(self, period: int, long_period: int, direction: Direction) -> None:
        self.count = 0
        self.first = [0.0] * _FIRST
        self.origin, self.unit = 0.0, 1.0
        self.statistics = Statistics(period, long_period, direction)
        self.evidence = Evidence()
        self.event = EventUnderWay()
        self.runs = Runs()


class StreamDetector:
    """A detector for one series that judges each point on arrival.

    Args:
        period: The shortest seasonal period in steps, 0 for none.
        false_alarm_rate: Fraction of points of a clean series that may be flagged, 0.0001 to 0.1.
        direction: The sides on which points are flagged. With one side the rate applies to it; the
            other bound is as far from ``expected``. A stuck value is always an event.
        long_period: The next longer seasonal period, a multiple of ``period``; 0 for none.
    """

    def __init__(
        self,
        period: int,
        false_alarm_rate: float,
        direction: Direction = Direction.BOTH,
        long_period: int = 0,
    ) -> None:
        self._period, self._long_period = period, long_period
        self._rate, self._direction = false_alarm_rate, direction
        self._memory = _Memory(period, long_period, direction)

    @classmethod
    def from_array(
        cls,
        array: ByteArray,
        false_alarm_rate: float | None = None,
        direction: Direction | None = None,
    ) -> "StreamDetector":
        """Return the detector stored by ``to_array``; settings given replace the stored ones from
        the next point on.

        Raises:
            ValueError: The array is not a state of this version.
        """
        period, rate, side, long_period = settings_of(array)
        direction = direction or _DIRECTIONS[int(side)]
        detector = cls(int(period), false_alarm_rate or rate, direction, int(long_period))
        unpack(array, detector._memory)
        return detector

    def to_array(self) -> ByteArray:
        """Return the learned state, shape (bytes,); a detector restored by ``from_array`` continues
        exactly like this one."""
        direction = _DIRECTIONS.index(self._direction)
        settings = (self._period, self._rate, direction, self._long_period)
        return pack(settings, self._memory)

    @property
    def forecast_horizon(self) -> int:
        """The number of steps for ``learn_forecast``: one season, or a part of a long one."""
        return self._memory.statistics.expectation.forecast_horizon

    @property
    def wants_forecast(self) -> bool:
        """Whether the last learned forecast has ended."""
        expectation, horizon = self._memory.statistics.expectation, self.forecast_horizon
        passed = expectation.time - expectation.forecast_from > horizon
        return passed and expectation.time >= 2 * horizon

    def recent_values(self) -> FloatArray:
        """Return the history for that forecast, oldest first, in the series' units."""
        memory = self._memory
        return memory.origin + memory.unit * memory.statistics.values.latest(_FORECAST_FROM)

    def learn_forecast(self, forecast: FloatArray) -> None:
        """Use the engine's forecast of the next season as one of the experts.

        Args:
            forecast: Medians of the steps after the newest point, of which ``forecast_horizon`` are
                used. Leave out the steps of points that arrived since it was made.
        """
        memory = self._memory
        scaled = np.clip((forecast - memory.origin) / memory.unit, -_FARTHEST, _FARTHEST)
        memory.statistics.expectation.learn_forecast(scaled)

    def warm_up(self, values: FloatArray) -> None:
        """Learn from a history, oldest first, without reporting its events."""
        for value in values.tolist():
            self.update(value)
        self._memory.evidence.forget_height()
        self._memory.event = EventUnderWay()

    @property
    def is_learning(self) -> bool:
        """Whether there are too few points yet to judge the next one."""
        return self._memory.count < max(_FIRST, min(2 * self._period, _LEARNING))

    @property
    def longest_gap(self) -> int:
        """The number of missing points that can be skipped: two seasons."""
        return 2 * (self._period or NO_SEASON)

    def skip(self, steps: int) -> EventNews | None:
        """Skip missing points; after more than ``longest_gap`` learning starts again.

        Returns:
            The news that the open event, if any, ended before the first missing point, if learning
            starts again. Otherwise the event continues, and the steps count for it.
        """
        memory = self._memory
        if steps > self.longest_gap:
            self._memory = _Memory(self._period, self._long_period, self._direction)
            memory.event.pass_by(1)
            return memory.event.end() if memory.event.is_open else None
        memory.event.pass_by(steps)
        if memory.count >= _FIRST:
            for _ in range(steps):
                memory.statistics.skip()
        return None

    def update(self, value: float) -> Verdict:
        """Judge the next value, finite and at most 1e100 in magnitude, and learn from it."""
        memory = self._memory
        memory.count += 1
        if memory.count > _FIRST:
            return self._judge(value)
        memory.first[memory.count - 1] = value
        if memory.count == _FIRST:
            memory.origin, memory.unit = _origin_and_unit(np.array(memory.first))
            memory.statistics.start(self._scaled(memory.first[0]))
            for early in memory.first[1:]:
                self._judge(early)
            memory.evidence = Evidence()
        return _unjudged(value, value)

    def _scaled(self, value: float) -> float:
        memory = self._memory
        return max(-_FARTHEST, min(_FARTHEST, (value - memory.origin) / memory.unit))

    def _judge(self, value: float) -> Verdict:
        memory = self._memory
        accepted = memory.runs.take(value, self._rate)
        limit = memory.statistics.limit(self._rate)
        most = limit if memory.event.is_open else math.inf
        reading = memory.statistics.read(self._scaled(value), most)
        expected = memory.origin + memory.unit * reading.expected
        if memory.count <= max(_FIRST, min(2 * self._period, _LEARNING)):
            return _unjudged(value, expected)
        lost = _ROUNDING * (abs(memory.origin) + abs(expected))
        half = max(limit * reading.scale * memory.unit, lost)
        lower, upper = expected - half, expected + half
        is_anomaly = (value > upper and self._direction is not Direction.DOWN) or (
            value < lower and self._direction is not Direction.UP
        )
        p_value = self._p_value(reading.p_value, is_anomaly)
        severity = _severity(p_value)
        signs = [sign for sign in reading.signs if self._asks_for(sign)] or reading.signs[:1]
        evidence = memory.evidence.weigh([sign.improbability for sign in signs])
        shown = self._shown(reading, signs, is_anomaly, severity)
        event = self._follow(shown, accepted)
        return Verdict(expected, lower, upper, p_value, is_anomaly, severity, evidence, event=event)

    def _shown(
        self, reading: Reading, signs: Sequence[Sign], is_anomaly: bool, severity: float
    ) -> Shown:
        memory = self._memory
        return Shown(
            is_anomaly,
            severity,
            reading.error,
            reading.away,
            memory.statistics.expectation.drift,
            memory.runs.is_stuck,
            self._run(signs) if memory.evidence.is_enough else None,
            memory.evidence.is_loud,
            memory.evidence.is_enough or severity >= _GRAVE,
        )

    def _run(self, signs: Sequence[Sign]) -> EventKind | None:
        """Return the kind of event of the last points together, if they are improbable."""
        kinds = {EventKind.LEVEL_SHIFT}
        if self._direction is Direction.BOTH:  # a burst has both sides
            kinds.add(EventKind.BURST)
        runs = [sign for sign in signs if sign.kind in kinds and sign.improbability >= _RUN]
        return max(runs, key=_improbability).kind if runs else None

    def _follow(self, shown: Shown, stuck_is_normal: bool) -> EventNews | None:
        """Open, continue or close an event; a confirmed new level becomes the normal one."""
        memory = self._memory
        if not memory.event.is_open:
            if not (shown.is_anomaly or shown.is_stuck or shown.run):
                return None
            memory.event = EventUnderWay(shown)
            return memory.event.open()
        news = memory.event.follow(shown, stuck_is_normal)
        is_new = news.closing is Closing.NEW_LEVEL and not stuck_is_normal
        if is_new and memory.event.is_beyond_doubt:
            memory.statistics.expectation.shift_level(memory.event.level)
        return news

    def _asks_for(self, sign: Sign) -> bool:
        if self._direction is Direction.BOTH:
            return True
        return sign.is_up == (self._direction is Direction.UP)

    def _p_value(self, p_value: float, is_anomaly: bool) -> float:
        """Return the p-value, moved to the side of the rate that agrees with the band."""
        if is_anomaly:
            return min(p_value, math.nextafter(self._rate, 0.0))
        return max(p_value, self._rate)


def new_detector(
    periods: tuple[int, ...], false_alarm_rate: float, direction: Direction
) -> StreamDetector:
    """Return a detector for the seasonal ``periods`` in steps, shortest first.

    The second is used if it is a multiple of the first.
    """
    period, longer = (*periods, 0, 0)[:2]
    long_period = longer if period and longer % period == 0 else 0
    return StreamDetector(period, false_alarm_rate, direction, long_period)


def _unjudged(value: float, expected: float) -> Verdict:
    lower, upper = min(value, expected), max(value, expected)
    return Verdict(expected, lower, upper, 1.0, False, 0.0, 0.0, is_learning=True)


def _improbability(sign: Sign) -> float:
    return sign.improbability


def _severity(p_value: float) -> float:
    return min(100.0, -100.0 / _GRAVEST * math.log10(p_value))


def _origin_and_unit(first: FloatArray) -> tuple[float, float]:
    """Return a robust location and scale of a series from its first values."""
    origin = float(np.median(first))
    distance = np.abs(first - origin)
    unit = float(np.median(distance)) or float(np.mean(distance)) or abs(origin) or 1.0
    return origin, unit
