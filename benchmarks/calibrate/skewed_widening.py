"""How much wider model 4's intervals of hourly, daily, weekly and shorter steps must be.

Model 4 forecasts the windows of ``long_windows``; learned is the factor by which the half-widths of
``long_factors`` must grow at each confidence for nominal coverage. It prints the coverage on each
kind of series of these factors and of those learned on the other kinds.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS, LEARNED
from app.timeseries.types import FloatArray
from benchmarks.calibrate import SHOWN_CONFIDENCES
from benchmarks.calibrate.distances import robust_distances, widths_with_exponent
from benchmarks.calibrate.long_factors import LEARNED_FROM, kinds_to_learn_from
from benchmarks.calibrate.long_windows import Window, draw_windows
from benchmarks.parallel import run_in_processes

DRAWS = 1
DEFAULT_EXPONENT = 0.5  # as in ``long_factors``; model 4 needs more
# Rows as LEVELS, one column a step: the distance of the actual value in half-widths of its side.
Distances = FloatArray


def distances(window: Window) -> Distances:
    """Forecast one window; its distances in half-widths before this factor."""
    frequency = window.past.frequency
    widths = widths_with_exponent(LEARNED.weighed[frequency], DEFAULT_EXPONENT)
    return robust_distances(window.past, window.future, window.horizon, widths)


def learn(by_kind: Mapping[str, Sequence[Distances]], kinds: Sequence[str]) -> FloatArray:
    """Return the factors, shape (levels,): every case of a kind, and every kind, counts alike."""
    parts = [case for kind in kinds for case in by_kind[kind]]
    weights = np.concatenate(
        [
            np.full(case.shape[1], 1 / case.shape[1] / len(by_kind[kind]))
            for kind in kinds
            for case in by_kind[kind]
        ]
    )
    results = []
    for level, row in zip(CONFIDENCE_LEVELS, np.concatenate(parts, axis=1), strict=True):
        order = np.argsort(row)
        share = np.cumsum(weights[order]) / weights.sum()
        results.append(row[order][np.searchsorted(share, level)])
    return np.array(results)


def coverages(cases: Sequence[Distances], factors: FloatArray) -> str:
    """Return the share of actual values inside, at each shown level."""
    shares = [
        100 * np.mean([np.mean(case[row] <= factors[row]) for case in cases])
        for row in map(CONFIDENCE_LEVELS.index, SHOWN_CONFIDENCES)
    ]
    return " / ".join(f"{share:.1f}" for share in shares)


def run() -> list[float]:
    """Learn and print the checks."""
    windows = list(draw_windows(DRAWS))
    by_kind: dict[str, list[Distances]] = {}
    for window, case in zip(windows, run_in_processes(distances, windows), strict=True):
        by_kind.setdefault(window.kind, []).append(case)
    factors = learn(by_kind, LEARNED_FROM).round(2)
    print("Coverage at 50 / 80 / 95 %: factors learned on other kinds, then on all.")
    for kind, cases in by_kind.items():
        others = learn(by_kind, kinds_to_learn_from(kind))
        shares = coverages(cases, others), coverages(cases, factors)
        print(f"| {kind} | {len(cases)} | {' | '.join(shares)} |", flush=True)
    return factors.tolist()
