"""The detectors under test: what each says of a series, at each of its settings."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from app.anomalies.detect import detect
from app.anomalies.results import BoolArray, Detection, Event
from app.forecasting.types import History

RATES = (0.05, 0.01, 0.001)
# The rate that power is measured at, the service's default.
RATE = 0.001


@dataclass(frozen=True)
class Verdict:
    """The points flagged, shape (n,), and what the detector makes of them; rivals make nothing."""

    flags: BoolArray
    events: tuple[Event, ...] = ()
    change_points: tuple[int, ...] = ()


@dataclass(frozen=True)
class Method:
    """A detector by its name; ``judge`` gives one verdict a setting."""

    name: str
    settings: tuple[str, ...]
    judge: Callable[[History], tuple[Verdict, ...]]


def verdict_of(detection: Detection) -> Verdict:
    """What counts of a detection."""
    changes = tuple(change.index for change in detection.change_points)
    return Verdict(detection.is_anomaly, detection.events, changes)


def _judge_whole(rates: tuple[float, ...], history: History) -> tuple[Verdict, ...]:
    return tuple(verdict_of(detect(history, rate)) for rate in rates)


def own_methods(rates: tuple[float, ...]) -> list[Method]:
    """The service's detectors that judge every point, at these false alarm rates."""
    settings = tuple(f"{100 * rate:g} %" for rate in rates)
    return [Method("whole series", settings, partial(_judge_whole, rates))]
