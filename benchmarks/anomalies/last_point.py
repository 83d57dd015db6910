"""The last point judged by its forecast: false alarms on clean series, spikes found."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from app.anomalies.last_point import detect_last
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.anomalies.clean_series import KINDS, make_clean, shipped_series
from benchmarks.anomalies.injections import residual_scale
from benchmarks.anomalies.methods import RATE, RATES
from benchmarks.anomalies.power import LENGTH, SYNTHETIC
from benchmarks.parallel import run_in_processes
from benchmarks.series import load_series

# Ends of series that are judged, of each synthetic kind and of each shipped group.
SYNTHETIC_ENDS, SHIPPED_ENDS = 60, 240
SEED, MIN_POINTS = 40_000, 24
SPIKES = (3, 4, 5, 6, 8)
SPIKE_ENDS = 12


def _low_frequency_series() -> dict[str, list[History]]:
    """Return the shipped years, quarters and months, which only this detection can judge."""
    groups: dict[str, list[History]] = {}
    for series in load_series():
        if series.history.frequency in {"Yearly", "Quarterly", "Monthly"}:
            values = np.concatenate([series.history.values, series.actual])
            name = f"M1, M3 {series.history.frequency}"
            groups.setdefault(name, []).append(replace(series.history, values=values))
    return groups


def cut_history(history: History, seed: int) -> History:
    """Return the series up to an end in its second half that the seed chooses."""
    length = len(history.values)
    first = max(MIN_POINTS, length // 2)
    if first >= length:
        return history
    end = int(np.random.default_rng(seed).integers(first, length + 1))
    return replace(history, values=history.values[:end])


def make_ends(fraction: float) -> dict[str, list[History]]:
    """Return series cut at some end, by kind; ``fraction`` of the usual number of each."""
    groups = {}
    count = max(4, int(fraction * SYNTHETIC_ENDS))
    for kind in KINDS:
        drawn = [make_clean(kind, SEED + turn, (300, LENGTH)[turn % 2]) for turn in range(count)]
        groups[kind] = [cut_history(values, SEED + turn) for turn, values in enumerate(drawn)]
    count = max(8, int(fraction * SHIPPED_ENDS))
    for name, members in (shipped_series() | _low_frequency_series()).items():
        chosen = [members[turn * len(members) // count % len(members)] for turn in range(count)]
        groups[name] = [cut_history(values, SEED + turn) for turn, values in enumerate(chosen)]
    return groups


def _p_value(history: History) -> float:
    return float(detect_last(history, RATE).p_value[0])


def print_false_alarms(fraction: float) -> None:
    """Print a table: a line for each kind of series, a column for each rate."""
    groups = make_ends(fraction)
    everything = [member for members in groups.values() for member in members]
    p_values = iter(run_in_processes(_p_value, everything))
    print("\nLast points flagged of 1,000 clean ones, by the rate asked")
    print(f"{'series':22}{'ends':>6}" + "".join(f"{f'{100 * rate:g} %':>9}" for rate in RATES))
    pooled = []
    for name, members in groups.items():
        own = np.array([next(p_values) for _ in members])
        pooled.append(own)
        _print_line(name, own)
    _print_line("all", np.concatenate(pooled))


def _print_line(name: str, p_values: FloatArray) -> None:
    counts = "".join(f"{1_000 * np.mean(p_values < rate):9.1f}" for rate in RATES)
    print(f"{name:22}{len(p_values):6d}{counts}", flush=True)


def _is_found(size: float, case: tuple[History, float, int]) -> bool:
    history, scale, side = case
    values = history.values.copy()
    values[-1] += side * size * scale
    return bool(detect_last(replace(history, values=values), RATE).is_anomaly[0])


def print_power(fraction: float) -> None:
    """Print a table: a line for each size of the last point, a column for each kind of series."""
    count = max(2, int(fraction * SPIKE_ENDS))
    cases: dict[str, Sequence[tuple[History, float, int]]] = {}
    for name, members in shipped_series().items():
        ends = [
            cut_history(member, SEED)
            for member in members[:: max(1, len(members) // count)][:count]
        ]
        cases[name] = [
            (values, residual_scale(values), 1 - 2 * (i % 2)) for i, values in enumerate(ends)
        ]
    for name, scale in SYNTHETIC.items():
        ends = [make_clean(name, SEED + i, LENGTH) for i in range(count)]
        cases[name] = [(values, scale, 1 - 2 * (i % 2)) for i, values in enumerate(ends)]
    print(f"\nLast points found at {100 * RATE:g} %, % of series")
    print(f"{'size':10}" + "".join(f"{name:>19}" for name in cases) + f"{'all':>7}")
    for size in SPIKES:
        flat = [case for members in cases.values() for case in members]
        result = iter(run_in_processes(partial(_is_found, size), flat))
        percents = [100 * np.mean([next(result) for _ in members]) for members in cases.values()]
        line = "".join(f"{percent:19.0f}" for percent in percents)
        print(f"{size} sigma{line:>{3 + 19 * len(percents)}}{np.mean(percents):7.0f}", flush=True)
