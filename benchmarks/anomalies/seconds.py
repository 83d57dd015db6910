"""Seconds of a detection, by length and kind of series, and microseconds of a point that arrives.

The shortest of three runs in one process.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from app.anomalies.detect import detect
from app.anomalies.last_point import detect_last
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import LearningContext
from app.anomalies.streaming.learning import learn_stream
from app.timeseries.history import History
from benchmarks.anomalies.clean_series import make_clean
from benchmarks.anomalies.methods import RATE
from benchmarks.speed import shortest_seconds

LENGTHS = (1_000, 8_640, 50_000)
KINDS = ("season, normal", "random walk", "rare counts", "day and week", "rounded")
REPEATS = 3
STREAM_LENGTH, STREAM_POINTS, STREAM_PERIODS = 10_000, 1_000, ((), (24, 168), (288, 2_016))
DETECTIONS: Mapping[str, Callable[[History, float], object]] = {
    "whole series": detect,
    "last point": detect_last,
}


def print_seconds(quick: bool) -> None:
    """Print a table: a line for each detection and kind, a column for each length."""
    print("\nSeconds\n" + f"{'':16}{'series':20}" + "".join(f"{length:>9,}" for length in LENGTHS))
    for name, run in DETECTIONS.items():
        for kind in KINDS[: 1 if quick else None]:
            times = [
                shortest_seconds(partial(run, make_clean(kind, 0, length), RATE), REPEATS)
                for length in LENGTHS
            ]
            line = "".join(f"{took:9.3f}" for took in times)
            print(f"{name:16}{kind:20}{line}", flush=True)


def print_streaming() -> None:
    """Print a line for each season: the times of a point and of a fit, and the state's size."""
    print(f"\nStreaming\n{'seasons':16}{'mean us':>9}{'p99 us':>9}{'fit ms':>9}{'state kB':>10}")
    for periods in STREAM_PERIODS:
        history = make_clean("day and week", 0, STREAM_LENGTH + STREAM_POINTS)
        known = history.values[:STREAM_LENGTH]
        learn = partial(learn_stream, known, periods, LearningContext(STREAM_LENGTH))
        fit = 1e3 * shortest_seconds(learn, REPEATS)
        detector = StreamDetector(periods, RATE, time=STREAM_LENGTH)
        detector.learn(*learn())
        rest = history.values[STREAM_LENGTH:].tolist()
        times = 1e6 * np.array([_cpu_seconds(detector, value) for value in rest])
        size = len(detector.to_bytes()) / 1_000
        line = f"{times.mean():9.0f}{np.quantile(times, 0.99):9.0f}{fit:9.0f}{size:10.0f}"
        print(f"{periods or 'none'!s:16}{line}", flush=True)


def _cpu_seconds(detector: StreamDetector, value: float) -> float:
    """CPU time: a point takes less time than an interruption by another process."""
    start = time.process_time()
    detector.update(value)
    return time.process_time() - start
