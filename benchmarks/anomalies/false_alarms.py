"""Flags per 1,000 points of clean series, at each setting of each method."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from app.timeseries.history import History
from benchmarks.anomalies.clean_series import KINDS, make_clean, shipped_series
from benchmarks.anomalies.methods import Method
from benchmarks.parallel import run_in_processes

# Series of each length and synthetic kind; the seeds count from 0.
LENGTHS = {300: 20, 1_000: 12, 3_000: 8}
QUICK_LENGTHS = {1_000: 3}
# Every n-th of the shipped series.
QUICK_STEP = 12
FEW_LENGTHS, FEW_STEP = {1_000: 2}, 15  # for the rivals, which take longer


def make_groups(quick: bool) -> dict[str, list[History]]:
    """Return the clean series by kind, the synthetic ones first."""
    return _groups(QUICK_LENGTHS, QUICK_STEP) if quick else _groups(LENGTHS, 1)


def make_rival_groups(quick: bool) -> dict[str, list[History]]:
    """Return fewer clean series, for the rivals."""
    return _groups({300: 1}, 60) if quick else _groups(FEW_LENGTHS, FEW_STEP)


def _groups(lengths: Mapping[int, int], step: int) -> dict[str, list[History]]:
    groups = {}
    for kind in KINDS:
        cases = [(seed, length) for length, count in lengths.items() for seed in range(count)]
        groups[kind] = [make_clean(kind, *case) for case in cases]
    return groups | {name: members[::step] for name, members in shipped_series().items()}


def _count_flags(method: Method, history: History) -> tuple[tuple[int, int], ...]:
    """Return the numbers of points flagged and judged at each setting."""
    return tuple(
        (int(judgement.flags.sum()), len(judgement.flags) - judgement.unjudged)
        for judgement in method.judge(history)
    )


def measure(method: Method, groups: Mapping[str, Sequence[History]]) -> dict[str, dict[str, float]]:
    """Return the flags per 1,000 points judged, by setting, then by group."""
    chosen = {name: members[:: method.every] for name, members in groups.items()}
    histories = [member for members in chosen.values() for member in members]
    flagged = iter(run_in_processes(partial(_count_flags, method), histories))
    rates: dict[str, dict[str, float]] = {setting: {} for setting in method.settings}
    for name, members in chosen.items():
        counts = np.sum([next(flagged) for _ in members], axis=0)
        for setting, (count, judged) in zip(method.settings, counts.tolist(), strict=True):
            rates[setting][name] = 1_000 * count / judged
    return rates


def print_rates(columns: Mapping[tuple[str, str], Mapping[str, float]]) -> None:
    """Print a table: a line for each kind of series, a column for each method and setting."""
    print("\nFlags per 1,000 clean points")
    print_columns("series", columns)


def print_columns(first: str, columns: Mapping[tuple[str, str], Mapping[str, float]]) -> None:
    """Print a table with a column for each method and setting."""
    print(f"{'':20}" + "".join(f"{method:>20}" for method, _ in columns))
    print(f"{first:20}" + "".join(f"{setting:>20}" for _, setting in columns))
    for name in next(iter(columns.values())):
        cells = "".join(f"{rates[name]:20.2f}" for rates in columns.values())
        print(f"{name:20}{cells}", flush=True)
