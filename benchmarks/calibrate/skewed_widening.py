"""How much wider model 4's intervals of hourly, daily, weekly and shorter steps must be.

Model 4 is asked for the windows of ``long_factors``; found is by which factor its intervals must
grow at each confidence to cover as much as they promise, from the widening of today. Printed is the
coverage on each kind of series of that and of factors that were learned on the other kinds. It
takes about ten minutes, quick two.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from app.forecasting.intervals.learned import LEARNED, LEVELS
from app.forecasting.models.table import MODELS
from app.forecasting.types import FloatArray
from benchmarks.calibrate.long_factors import (
    LEARNED_FROM,
    SHOWN,
    Window,
    draw_windows,
    every,
    learned_from,
)

DRAWS = 1
# Rows as LEVELS, one column a step: how many half-widths of its side the truth lies away.
Distances = FloatArray


def distances(window: Window) -> Distances:
    """Forecast one window at each level; a step at 1 lies just on the bound."""
    steps = len(window.coming)
    rows = []
    for level in LEVELS:
        said = MODELS["forecast-model-4"].forecast(window.past, window.horizon, level)
        lower, median, upper = (each[:steps] for each in (said.lower, said.median, said.upper))
        error = window.coming - median
        width = np.where(error < 0, median - lower, upper - median)
        # A bound that stands at zero holds whatever is not negative, however wide it was.
        held = (error < 0) & (lower <= 0) & (window.coming >= 0)
        rows.append(np.where(held, 0.0, np.abs(error) / np.maximum(width, 1e-300)))
    return np.stack(rows)


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
    found = []
    for level, row in zip(LEVELS, np.concatenate(parts, axis=1), strict=True):
        order = np.argsort(row)
        share = np.cumsum(weights[order]) / weights.sum()
        found.append(row[order][np.searchsorted(share, level)])
    return np.asarray(LEARNED.skewed_widening * found)


def coverages(cases: Sequence[Distances], factors: FloatArray) -> str:
    """The share of what came that lies inside, at each shown level."""
    span = factors / LEARNED.skewed_widening
    shares = [
        100 * np.mean([np.mean(case[row] <= span[row]) for case in cases])
        for row in map(LEVELS.index, SHOWN)
    ]
    return " / ".join(f"{share:.1f}" for share in shares)


def run(*, quick: bool) -> list[float]:
    """Learn and print the checks; ``quick`` takes every fifth window."""
    by_kind: dict[str, list[Distances]] = {}
    for window in every(draw_windows(DRAWS), quick=quick):
        by_kind.setdefault(window.kind, []).append(distances(window))
    print("Coverage at 50 / 80 / 95 %: factors learned on other kinds, then the shipped ones.")
    print("| | cases | forecast-model-4 | forecast-model-4 |")
    for kind, cases in by_kind.items():
        others = learn(by_kind, learned_from(kind))
        shares = coverages(cases, others), coverages(cases, LEARNED.skewed_widening)
        print(f"| {kind} | {len(cases)} | {' | '.join(shares)} |", flush=True)
    factors: list[float] = learn(by_kind, LEARNED_FROM).round(2).tolist()
    return factors
