"""Feed the streaming detector as a monitor does: fits included."""

import numpy as np

from app.anomalies.results import AnomalyVerdict, Direction, EventUpdate, Stage
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import MAX_LEARNED_POINTS
from app.anomalies.streaming.learning import learn_stream
from app.timeseries.types import FloatArray

DAY, WEEK = 24, 168
HOURS = (DAY, WEEK)


class Stream:
    """A detector and the values that it has had, NaN for those missing.

    ``values``: a history that it has learned from.
    ``is_stored``: the detector goes through bytes between any two points.
    """

    def __init__(
        self,
        periods: tuple[int, ...] = (),
        rate: float = 0.001,
        direction: Direction = Direction.BOTH,
        *,
        values: FloatArray | None = None,
        is_stored: bool = False,
    ) -> None:
        self.settings = (periods, rate, direction)
        self.values = [] if values is None else values.tolist()
        self.detector = StreamDetector(*self.settings, time=len(self.values))
        self.fits = 0
        self._is_stored = is_stored

    def judge_all(self, values: FloatArray) -> list[AnomalyVerdict]:
        """Return the verdicts on the next values."""
        return [self.judge(value) for value in values.tolist()]

    def judge(self, value: float) -> AnomalyVerdict:
        """Return the verdict on the next value."""
        if self._is_stored:
            self.detector = StreamDetector.from_bytes(self.detector.to_bytes(), *self.settings)
        if self.detector.needs_fit:
            self.fit()
        self.values.append(value)
        return self.detector.update(value)

    def fit(self) -> None:
        """Fit the detector to the values that it wants to learn from."""
        detector = self.detector
        steps = min(detector.learned_steps, MAX_LEARNED_POINTS)
        learned = np.array(self.values[-steps:])
        learned = learned[np.flatnonzero(~np.isnan(learned))[0] :]
        detector.learn(*learn_stream(learned, self.settings[0], detector.learning_context))
        self.fits += 1

    def skip(self, steps: int) -> EventUpdate | None:
        """Step over missing values."""
        if self.detector.needs_fit:
            self.fit()
        self.values += [np.nan] * steps
        return self.detector.skip(steps)


def verdicts_on(
    values: FloatArray,
    periods: tuple[int, ...] = (),
    rate: float = 0.001,
    direction: Direction = Direction.BOTH,
) -> list[AnomalyVerdict]:
    """Return the verdicts of a new detector on values."""
    return Stream(periods, rate, direction).judge_all(values)


def seasonal_series(length: int, seed: int = 0) -> FloatArray:
    """Return a daily wave of hours with noise of standard deviation 1."""
    time = np.arange(length)
    return 100 + 10 * np.sin(2 * np.pi * time / DAY) + noise(length, seed)


def noise(count: int, seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).standard_normal(count)


def flags(verdicts: list[AnomalyVerdict]) -> int:
    """Return how many points are flagged."""
    return sum(verdict.is_anomaly for verdict in verdicts)


def closings(verdicts: list[AnomalyVerdict]) -> list[EventUpdate]:
    """Return the last updates of the events that closed."""
    return [v.event for v in verdicts if v.event and v.event.stage is Stage.CLOSED]


def openings(verdicts: list[AnomalyVerdict]) -> list[int]:
    """Return the positions at which events opened."""
    return [i for i, v in enumerate(verdicts) if v.event and v.event.stage is Stage.OPENED]
