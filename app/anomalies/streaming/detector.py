"""The entrance: one value in, one verdict out, the state as an array between the two."""

import math

import numpy as np

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.evidence import Evidence
from app.anomalies.streaming.expectation import NO_SEASON
from app.anomalies.streaming.runs import Runs
from app.anomalies.streaming.state import ByteArray, pack, settings_of, unpack
from app.anomalies.streaming.statistics import Sign, Statistics
from app.anomalies.streaming.verdict import Verdict
from app.forecasting.types import FloatArray

_DIRECTIONS = tuple(Direction)
# So many values are kept before the first is learned from: they give the origin and the unit.
_FIRST = 20
# Two seasons are learned from before anything is judged, but no more points than this.
_LEARNING = 300
# The engine's forecast is made from at most so many points, to bound what it costs.
_FORECAST_FROM = 3000
# Beyond so many units a value counts as so many.
_FARTHEST = 1e30
# -log10 of the p-value whose severity is 100, and of a series that is stuck.
_GRAVEST = 12.0
# Share of a value that arithmetic may lose between the series' unit and the detector's.
_ROUNDING = 1e-14


class _Memory:
    """All that a detector keeps of a series."""

    def __init__(self, period: int, long_period: int, direction: Direction) -> None:
        self.count = 0
        self.first = [0.0] * _FIRST
        self.origin, self.unit = 0.0, 1.0
        self.statistics = Statistics(period, long_period, direction)
        self.evidence = Evidence()
        self.runs = Runs()


class StreamDetector:
    """A detector of one series that judges each point when it arrives.

    Args:
        period: The shortest seasonal period in steps, 0 where there is none.
        false_alarm_rate: Share of the points of a clean series that may be flagged, 0.0001 to 0.1.
        direction: The sides on which a point counts. With one the rate is that of this side; the
            other bound of the band is as far from ``expected``.
        long_period: The next longer seasonal period, a multiple of ``period``; 0: none.
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
        """Return the detector that ``to_array`` stored; a setting given takes the stored one's
        place for the points from here on.

        Raises:
            ValueError: The array is no state of this version.
        """
        period, rate, side, long_period = settings_of(array)
        direction = direction or _DIRECTIONS[int(side)]
        detector = cls(int(period), false_alarm_rate or rate, direction, int(long_period))
        unpack(array, detector._memory)
        return detector

    def to_array(self) -> ByteArray:
        """Return all that was learned, shape (bytes,); what ``from_array`` makes of it goes on
        exactly as this detector would."""
        direction = _DIRECTIONS.index(self._direction)
        settings = (self._period, self._rate, direction, self._long_period)
        return pack(settings, self._memory)

    @property
    def forecast_horizon(self) -> int:
        """How many steps ``learn_forecast`` takes: one season."""
        return self._period or NO_SEASON

    @property
    def wants_forecast(self) -> bool:
        """Whether a season has passed since the last forecast was learned."""
        expectation, season = self._memory.statistics.expectation, self.forecast_horizon
        passed = expectation.time - expectation.forecast_from > season
        return passed and expectation.time >= 2 * season

    def recent_values(self) -> FloatArray:
        """Return the history for that forecast, oldest first, in the series' units."""
        memory = self._memory
        return memory.origin + memory.unit * memory.statistics.values.latest(_FORECAST_FROM)

    def learn_forecast(self, forecast: FloatArray) -> None:
        """Take the engine's forecast of the next season as one of the experts.

        Args:
            forecast: Medians of the steps after the newest point, at most ``forecast_horizon``
                count. Where points came since it was made, leave their steps out.
        """
        memory = self._memory
        scaled = np.clip((forecast - memory.origin) / memory.unit, -_FARTHEST, _FARTHEST)
        memory.statistics.expectation.learn_forecast(scaled)

    def warm_up(self, values: FloatArray) -> None:
        """Learn from a history, oldest first; events in it are nobody's news."""
        for value in values.tolist():
            self.update(value)
        self._memory.evidence.forget_event()

    @property
    def is_learning(self) -> bool:
        """Whether too little was seen to judge the next point."""
        return self._memory.count < max(_FIRST, min(2 * self._period, _LEARNING))

    def skip(self, steps: int) -> bool:
        """Step over missing points.

        Returns:
            True; or False where more than two seasons are missing: learning begins anew.
        """
        memory = self._memory
        if steps > 2 * self.forecast_horizon:
            self._memory = _Memory(self._period, self._long_period, self._direction)
            return False
        if memory.count >= _FIRST:
            for _ in range(steps):
                memory.statistics.skip()
        return True

    def update(self, value: float) -> Verdict:
        """Judge the next value, finite and at most 1e100 in magnitude, and learn it."""
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
        reading = memory.statistics.read(self._scaled(value))
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
        strongest = max(signs, key=_improbability)
        if memory.runs.is_stuck:
            strongest = Sign(_GRAVEST, EventKind.FLAT, strongest.is_up)
        evidence = memory.evidence.weigh([sign.improbability for sign in signs])
        known = memory.statistics.expectation
        if not memory.evidence.is_open:
            known.aside = 0
        believed = accepted or (not memory.runs.is_stuck and known.believe())
        event = memory.evidence.follow(strongest, severity, believed)
        return Verdict(expected, lower, upper, p_value, is_anomaly, severity, evidence, event=event)

    def _asks_for(self, sign: Sign) -> bool:
        if self._direction is Direction.BOTH:
            return True
        return sign.is_up == (self._direction is Direction.UP)

    def _p_value(self, p_value: float, is_anomaly: bool) -> float:
        """The p-value, on the side of the rate that the band says."""
        if is_anomaly:
            return min(p_value, math.nextafter(self._rate, 0.0))
        return max(p_value, self._rate)


def _unjudged(value: float, expected: float) -> Verdict:
    lower, upper = min(value, expected), max(value, expected)
    return Verdict(expected, lower, upper, 1.0, False, 0.0, 0.0, is_learning=True)


def _improbability(sign: Sign) -> float:
    return sign.improbability


def _severity(p_value: float) -> float:
    return min(100.0, -100.0 / _GRAVEST * math.log10(p_value))


def _origin_and_unit(first: FloatArray) -> tuple[float, float]:
    """Where a series lies and how far it moves, by its first values, robust to wild ones."""
    origin = float(np.median(first))
    distance = np.abs(first - origin)
    unit = float(np.median(distance)) or float(np.mean(distance)) or abs(origin) or 1.0
    return origin, unit
