"""The detectors under test: the verdict of each on a series, at each of its settings."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.anomalies.detect import detect
from app.anomalies.results import Event
from app.timeseries.history import History
from app.timeseries.types import BoolArray
from benchmarks.anomalies.replay import events_of, replay

RATES = (0.05, 0.01, 0.001)
RATE = 0.001  # the rate that power is measured at, the service's default


@dataclass(frozen=True)
class Judgement:
    """The verdict of a detector on a series: flagged points, shape (n,), events, change points.

    ``unjudged`` points were only learned from. Rivals have no events.
    """

    flags: BoolArray
    events: tuple[Event, ...] = ()
    change_points: tuple[int, ...] = ()
    unjudged: int = 0


@dataclass(frozen=True)
class Method:
    """A detector by its name; ``judge`` returns a verdict for each of its settings.

    A slow one gets every ``every``-th series.
    """

    name: str
    settings: tuple[str, ...]
    judge: Callable[[History], tuple[Judgement, ...]]
    every: int = 1


def _judge_whole(rates: tuple[float, ...], history: History) -> tuple[Judgement, ...]:
    results = [detect(history, rate) for rate in rates]
    return tuple(
        Judgement(
            detection.is_anomaly,
            detection.events,
            tuple(change.index for change in detection.change_points),
        )
        for detection in results
    )


def _judge_streaming(rates: tuple[float, ...], history: History) -> tuple[Judgement, ...]:
    # One replay, at the lowest rate, serves all: only the flags depend on the rate.
    verdicts = replay(history, min(rates))
    p_values = np.array([verdict.p_value for verdict in verdicts])
    events = events_of(verdicts)
    unjudged = sum(verdict.is_learning for verdict in verdicts)
    return tuple(Judgement(p_values < rate, events, unjudged=unjudged) for rate in rates)


def own_methods(rates: tuple[float, ...]) -> list[Method]:
    """Return the service's detectors that judge every point, at these false alarm rates."""
    settings = tuple(f"{100 * rate:g} %" for rate in rates)
    return [
        Method("whole series", settings, partial(_judge_whole, rates)),
        Method("streaming", settings, partial(_judge_streaming, rates), every=3),
    ]
