"""NAB's score of constants chosen without the series that they are scored on.

The constants of the evidence are chosen from a grid on all categories of NAB but one, for each
category in turn, by the mean of the standard and the low-FP score; then that category is judged by
them.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from app.anomalies.severity import severity_of
from app.anomalies.streaming.state import Evidence
from app.timeseries.types import FloatArray, History
from benchmarks.anomalies.nab import PROFILES, Labelled, nab_score
from benchmarks.anomalies.replay import replay
from benchmarks.parallel import in_processes

GRID = {
    "memory": (0.4, 0.5, 0.6),
    "min_peak": (4.2, 4.6, 5.0),
    "hold_points": (70, 100, 140),
    "new_peak_ratio": (1.3, 1.5, 1.7),
}
CHOSEN_BY = ("standard", "low FP")


def _improbabilities(history: History) -> list[tuple[float, ...]]:
    return [each.improbabilities for each in replay(history, 0.001)]


def _severities(improbabilities: Sequence[tuple[float, ...]], **constants: float) -> FloatArray:
    evidence = type("Trial", (Evidence,), constants)()
    return np.array(
        [severity_of(evidence.add_point(each)) if each else 0.0 for each in improbabilities]
    )


def _category(series: Labelled) -> str:
    return series.name.partition("/")[0]


def _score(series: Sequence[Labelled], scores: Sequence[FloatArray]) -> float:
    return float(
        np.mean([nab_score(series, scores, PROFILES[profile]).value for profile in CHOSEN_BY])
    )


def print_left_out(series: Sequence[Labelled]) -> None:
    """One table: a line a category left out, what was chosen without it and its own score."""
    recorded = in_processes(_improbabilities, [each.history for each in series])
    settings = [dict(zip(GRID, each, strict=True)) for each in product(*GRID.values())]
    scores = [[_severities(each, **setting) for each in recorded] for setting in settings]
    assembled: list[FloatArray] = [np.zeros(0)] * len(series)
    print("\nConstants chosen without a category, and its score by them")
    print(f"{'left out':24}{'standard':>10}{'low FP':>10}  chosen")
    for category in sorted({_category(each) for each in series}):
        others = [i for i, each in enumerate(series) if _category(each) != category]
        own = [i for i, each in enumerate(series) if _category(each) == category]
        by_others = [
            _score([series[i] for i in others], [each[i] for i in others]) for each in scores
        ]
        best = int(np.argmax(by_others))
        for i in own:
            assembled[i] = scores[best][i]
        _print_line(category, [series[i] for i in own], [assembled[i] for i in own], settings[best])
    _print_line("all, each left out", series, assembled, {})


def _print_line(
    name: str,
    series: Sequence[Labelled],
    scores: Sequence[FloatArray],
    chosen: dict[str, float],
) -> None:
    if not any(each.windows for each in series):
        return
    values = [nab_score(series, scores, PROFILES[profile]).value for profile in CHOSEN_BY]
    line = "".join(f"{value:10.1f}" for value in values)
    print(f"{name:24}{line}  " + ", ".join(f"{key} {value:g}" for key, value in chosen.items()))
