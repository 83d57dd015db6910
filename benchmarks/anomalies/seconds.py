"""Seconds of a detection, by length and kind of series: the least of three, one process."""

from collections.abc import Callable, Mapping
from functools import partial

from app.anomalies.detect import detect, detect_last
from app.forecasting.types import History
from benchmarks.anomalies.clean_series import make_clean
from benchmarks.anomalies.methods import RATE
from benchmarks.speed import seconds

LENGTHS = (1_000, 8_640, 50_000)
KINDS = ("season, normal", "random walk", "rare counts", "day and week", "rounded")
REPEATS = 3
DETECTIONS: Mapping[str, Callable[[History, float], object]] = {
    "whole series": detect,
    "last point": detect_last,
}


def print_seconds(quick: bool) -> None:
    """One table: a line a detection and kind, a column a length."""
    print("\nSeconds\n" + f"{'':16}{'series':20}" + "".join(f"{each:>9,}" for each in LENGTHS))
    for name, run in DETECTIONS.items():
        for kind in KINDS[: 1 if quick else None]:
            times = [
                seconds(partial(run, make_clean(kind, 0, length), RATE), REPEATS)
                for length in LENGTHS
            ]
            line = "".join(f"{each:9.3f}" for each in times)
            print(f"{name:16}{kind:20}{line}", flush=True)
