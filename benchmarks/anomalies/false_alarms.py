"""Flags per 1,000 points of clean series, at each setting of each method."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from app.forecasting.types import History
from benchmarks.anomalies.clean_series import KINDS, make_clean, shipped
from benchmarks.anomalies.methods import Method
from benchmarks.parallel import in_processes

# Series of each length and synthetic kind; the seeds count from 0.
LENGTHS = {300: 20, 1_000: 12, 3_000: 8}
QUICK_LENGTHS = {1_000: 3}
# Of the shipped series, every so many.
QUICK_STEP = 12

Rates = dict[str, tuple[float, ...]]


def make_groups(quick: bool) -> dict[str, list[History]]:
    """The clean series by kind, the synthetic ones first."""
    lengths = QUICK_LENGTHS if quick else LENGTHS
    groups = {
        kind: [
            make_clean(kind, seed, length)
            for length, count in lengths.items()
            for seed in range(count)
        ]
        for kind in KINDS
    }
    step = QUICK_STEP if quick else 1
    return groups | {name: members[::step] for name, members in shipped().items()}


def _flagged(method: Method, history: History) -> tuple[int, ...]:
    return tuple(int(verdict.flags.sum()) for verdict in method.judge(history))


def measure(method: Method, groups: Mapping[str, Sequence[History]]) -> Rates:
    """Flags per 1,000 points by group, one figure a setting."""
    histories = [each for members in groups.values() for each in members]
    flagged = iter(in_processes(partial(_flagged, method), histories))
    rates = {}
    for name, members in groups.items():
        counts = np.sum([next(flagged) for _ in members], axis=0)
        points = sum(len(each.values) for each in members)
        rates[name] = tuple((1_000 * counts / points).tolist())
    return rates


def print_rates(title: str, columns: Mapping[tuple[str, str], Mapping[str, float]]) -> None:
    """One table: a line a kind of series, a column a method and setting."""
    print(f"\n{title}")
    print(f"{'':22}" + "".join(f"{method:>16}" for method, _ in columns))
    print(f"{'series':22}" + "".join(f"{setting:>16}" for _, setting in columns))
    for name in next(iter(columns.values())):
        cells = "".join(f"{rates[name]:16.2f}" for rates in columns.values())
        print(f"{name:22}{cells}", flush=True)
