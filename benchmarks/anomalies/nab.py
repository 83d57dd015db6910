"""NAB's score of the streaming detector, by NAB's own rules.

Lavin and Ahmad 2015, "Evaluating Real-time Anomaly Detection Algorithms - the Numenta Anomaly
Benchmark"; its code is ``nab/sweeper.py`` of numenta/NAB. A detection inside a labelled window
counts once, and more if it is earlier. A detection outside costs, but less shortly after a window,
and so does a window without a detection. One threshold for all series gives the best sum: 0 is the
score without detections, 100 that of a detection at the start of each window.
"""

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.periods import periods_of_seconds
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.parallel import run_in_processes

IntArray = npt.NDArray[np.int64]

# The first points of a series are for learning and are not scored: a fraction, and a maximum.
PROBATION = 0.15
MAX_PROBATION_POINTS = 750
STEEPNESS = 5.0
# Widths after a window's end beyond which a false alarm counts in full.
_NEAR = 3.0
_NO_WINDOW = -1
Scorer = Callable[[History], FloatArray]


@dataclass(frozen=True)
class Profile:
    """The costs of a missed window and of a false alarm; a found window is worth 1."""

    missed: float
    false_alarm: float


PROFILES = {"standard": Profile(1, 0.11), "low FP": Profile(1, 0.22), "low FN": Profile(2, 0.11)}


@dataclass(frozen=True)
class Labelled:
    """A series and the first and last index of each of its labelled windows, oldest first."""

    name: str
    history: History
    windows: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Score:
    """The score at the best threshold, -inf to 100, and what is found there.

    ``false_alarms`` counts detections outside all windows, per thousand points.
    """

    value: float
    threshold: float
    windows_found: int
    windows: int
    false_alarms: float


def load(path: Path) -> list[Labelled]:
    """Return the labelled series in a ``.json.gz``."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        records = json.load(file)
    return [_parse_record(record) for record in records]


def _parse_record(record: Mapping[str, Any]) -> Labelled:
    times = np.array([datetime.fromisoformat(timestamp) for timestamp in record["timestamps"]])
    seconds = round(np.median([step.total_seconds() for step in np.diff(times)]))
    values = np.array(record["values"], dtype=np.float64)
    history = History(values, periods_of_seconds(seconds), _frequency(seconds))
    windows = sorted((int(first), int(last)) for first, last in record["windows"])
    return Labelled(record["name"], history, tuple(windows))


def _frequency(seconds: int) -> Frequency:
    return Frequency.HOURS if seconds >= 3_600 else Frequency.MINUTES


def _sigmoid(position: FloatArray) -> FloatArray:
    """Return the worth of a detection, 1 to -1, by its distance from a window's end, 0 there."""
    return 2 / (1 + np.exp(STEEPNESS * np.minimum(position, 50.0))) - 1


def detection_worths(
    length: int, windows: Sequence[tuple[int, int]]
) -> tuple[FloatArray, IntArray, npt.NDArray[np.bool_]]:
    """Return the worth of a detection at each point.

    Returns:
        The worth with unit weights, 1 at a window's start to -1 far outside; the number of the
        window that the point is in, or -1; whether the point is scored. All of shape (length,).
    """
    values = np.full(length, -1.0)
    window_of = np.full(length, _NO_WINDOW)
    best = _sigmoid(np.array(-1.0))
    for number, (first, last) in enumerate(windows):
        width = last - first + 1
        inside = np.arange(first, last + 1)
        values[inside] = _sigmoid(-(last - inside + 1) / width) / best
        window_of[inside] = number
        end = windows[number + 1][0] if number + 1 < len(windows) else length
        after = np.arange(last + 1, end)
        position = (after - last) / max(last - first, 1)
        values[after] = np.where(position > _NEAR, -1.0, _sigmoid(position))
    probation = min(int(PROBATION * length), MAX_PROBATION_POINTS)
    return values, window_of, np.arange(length) >= probation


def nab_score(series: Sequence[Labelled], scores: Sequence[FloatArray], profile: Profile) -> Score:
    """Return NAB's score of a detector.

    Args:
        series: The labelled series.
        scores: For each series the score of each point; higher is more anomalous.
        profile: The costs of mistakes.
    """
    parts = []
    counted = 0
    for one_series, own in zip(series, scores, strict=True):
        values, window_of, scored = detection_worths(len(own), one_series.windows)
        numbers = np.where(window_of == _NO_WINDOW, _NO_WINDOW, window_of + counted)
        parts.append((np.asarray(own)[scored], values[scored], numbers[scored]))
        counted += len(one_series.windows)
    score, value, window = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(-score, kind="stable")
    score, value, window = score[order], value[order], window[order]
    outside = window == _NO_WINDOW
    gained = np.where(outside, value * profile.false_alarm, 0.0)
    numbers = np.unique(window[~outside])
    for number in numbers:
        # Lowering the threshold, a window is worth the best of its detections so far.
        here = np.flatnonzero(window == number)
        reached = np.maximum.accumulate(np.maximum(value[here], -profile.missed))
        gained[here] = np.diff(reached, prepend=-profile.missed)
    silence = -profile.missed * len(numbers)
    total = silence + np.cumsum(gained)
    total[:-1][score[1:] == score[:-1]] = -np.inf  # equal scores are detected together
    at = int(np.argmax(total))
    if total[at] < silence:
        return Score(0.0, float("inf"), 0, len(numbers), 0.0)
    result = len(np.unique(window[: at + 1][~outside[: at + 1]]))
    wrong = 1_000 * outside[: at + 1].sum() / max(1, outside.sum())
    value_100 = 100 * (total[at] - silence) / (len(numbers) - silence)
    return Score(float(value_100), float(score[at]), result, len(numbers), float(wrong))


def print_nab(series: Sequence[Labelled], scorers: Mapping[str, Scorer]) -> None:
    """Print a line for each detector: its scores, and what it finds at the standard profile."""
    print(f"\nNAB, {len(series)} series")
    print(f"{'method':24}" + "".join(f"{name:>10}" for name in PROFILES), end="")
    print(f"{'windows found':>16}{'false per 1,000':>17}")
    for name, scorer in scorers.items():
        scores = run_in_processes(scorer, [one_series.history for one_series in series])
        results = [nab_score(series, scores, profile) for profile in PROFILES.values()]
        line = "".join(f"{result.value:10.1f}" for result in results)
        standard = results[0]
        detected = f"{standard.windows_found} of {standard.windows}"
        print(f"{name:24}{line}{detected:>16}{standard.false_alarms:17.2f}", flush=True)
