"""The windows that the high-frequency recipes' numbers are learned from.

They are of series of hours to weeks, synthetic metrics, minutes and seconds, cut to many lengths,
with many horizons.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.calibrate import SEED
from benchmarks.series import long_series
from benchmarks.synthetic import KINDS, make_metric

# Points kept of a history; 0 keeps all. Most requests send the whole.
LENGTHS = (0, 0, 0, 250, 120, 60, 30, 15)
# Steps forecast; 0 takes the series' own horizon.
HORIZONS = (0, 0, 0, 1, 3, 8, 20, 100)
ORIGINS = 3
METRIC_SEEDS = range(SEED + 1_000, SEED + 1_030)
# Synthetic series: their frequency, shortest cycles in steps, points of history, and seeds.
SYNTHETIC: dict[str, tuple[Frequency, tuple[int, int], int, range]] = {
    "Metrics": (Frequency.HOURS, (24, 168), 700, METRIC_SEEDS),
    "Minutes": (Frequency.MINUTES, (288, 2_016), 3_000, METRIC_SEEDS[:6]),
    "Seconds": (Frequency.SECONDS, (60, 3_600), 2_000, METRIC_SEEDS[:6]),
}


@dataclass(frozen=True)
class Window:
    """A history, cut to ``length`` points (0: whole), and the next values."""

    kind: str
    length: int
    horizon: int
    past: History
    future: FloatArray


def long_histories() -> Iterator[tuple[str, History, FloatArray]]:
    """Yield kind, whole history and next values of real and synthetic series."""
    for series in long_series():
        yield series.history.frequency.value, series.history, series.actual
    for name, (frequency, cycles, points, seeds) in SYNTHETIC.items():
        for kind in KINDS:
            for seed in seeds:
                known, actual = make_metric(kind, seed, known=points, cycles=cycles)
                yield name, History(known, cycles, frequency), actual


def origins(history: History, actual: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield known and next values, at the last origin and at earlier ones."""
    whole = np.concatenate([history.values, actual])
    for back in range(ORIGINS):
        end = len(history.values) - back * len(actual)
        if end >= 60:
            yield whole[:end], whole[end:]


def draw_windows(draws: int) -> Iterator[Window]:
    """Yield every origin at a few lengths and horizons, drawn with a fixed seed."""
    rng = np.random.default_rng(SEED)
    for kind, history, actual in long_histories():
        for known, future in origins(history, actual):
            for _ in range(draws):
                length, horizon = int(rng.choice(LENGTHS)), int(rng.choice(HORIZONS))
                horizon = horizon or len(actual)
                values = known[-length:] if length else known
                if np.ptp(values) > 0:
                    past = History(values, history.periods, history.frequency)
                    yield Window(kind, length, horizon, past, future[:horizon])
