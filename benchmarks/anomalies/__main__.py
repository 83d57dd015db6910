"""Anomaly detection measured: ``python -m benchmarks.anomalies [--nab PATH] [--quick]``.

Prints flags per 1,000 clean points, power and delay on injected anomalies, change
points, NAB's score if its file is given, rivals on the same series (those of ``.[bench]`` that
are installed), and seconds. ``--only`` runs some of these parts.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.anomalies import (
    change_points,
    clean_minutes,
    false_alarms,
    last_point,
    nab,
    plots,
    power,
    seconds,
)
from benchmarks.anomalies.methods import RATE, RATES, own_methods
from benchmarks.anomalies.other_detectors import rival_methods
from benchmarks.anomalies.replay import severity_of_points
from benchmarks.plots import save

TRIALS, QUICK_TRIALS = 24, 4  # series of each group that every injection is put into
# The same for the rivals, which take longer, and their injections.
RIVAL_TRIALS, QUICK_RIVAL_TRIALS = 3, 1
RIVAL_INJECTIONS = (
    "nothing",
    "spike 4",
    "spike 5",
    "spike 8",
    "shift 3",
    "shift 5",
    "burst 5",
    "dip 5",
    "flat",
)
QUICK_ENDS = 0.08


def measure_clean_series(options: argparse.Namespace) -> None:
    """Print the flags on clean series."""
    groups = false_alarms.make_groups(options.quick)
    measured = {}
    for method in own_methods(RATES):
        measured[method.name] = own = false_alarms.measure(method, groups)
        columns = {(method.name, setting): own[setting] for setting in method.settings}
        false_alarms.print_rates(columns)
    if options.draw:
        save(plots.draw_false_alarms(measured), "anomalies-false-alarms.svg")


def measure_last_point(options: argparse.Namespace) -> None:
    """Print the false alarms and the power of the detection of the last point."""
    share = QUICK_ENDS if options.quick else 1.0
    last_point.print_false_alarms(share)
    last_point.print_power(share)


def measure_power(options: argparse.Namespace) -> None:
    """Print the power on injected anomalies."""
    trials = power.make_trials(QUICK_TRIALS if options.quick else TRIALS)
    outcomes = {}
    for method in own_methods((RATE,)):
        outcomes[method.name] = own = power.measure(method, trials)[method.settings[0]]
        power.print_power(f"{method.name} at {method.settings[0]}", own)
    if options.draw:
        save(plots.draw_power(outcomes), "anomalies-found.svg")
        save(plots.draw_example(), "anomalies-example.svg")


def measure_change_points(options: argparse.Namespace) -> None:
    """Print which change points are found."""
    change_points.print_changes(change_points.measure(options.quick))


def measure_nab(options: argparse.Namespace) -> None:
    """Print NAB's score."""
    if options.nab is None:
        print("\nNAB is left out: --nab PATH names its series")
        return
    series = nab.load(options.nab)
    nab.print_nab(series, {"streaming, by severity": severity_of_points})


def measure_clean_minutes(options: argparse.Namespace) -> None:
    """Print the events a day on clean one-minute series."""
    clean_minutes.print_events(40 if options.quick else 500)


def measure_rivals(options: argparse.Namespace) -> None:
    """Print the false alarms and the power of the rivals, and ours on the same series."""
    own = [replace(method, every=1) for method in own_methods((RATE,))]
    methods = own + rival_methods(options.quick)
    groups = false_alarms.make_rival_groups(options.quick)
    rates, shares = {}, {}
    trials = power.make_trials(QUICK_RIVAL_TRIALS if options.quick else RIVAL_TRIALS)
    trials = [trial for trial in trials if trial[1].injection.name in RIVAL_INJECTIONS]
    for method in methods:
        clean_rates = false_alarms.measure(method, groups)
        outcomes = power.measure(method, trials)
        for setting in method.settings:
            rates[method.name, setting] = clean_rates[setting]
            shares[method.name, setting] = power.shares_found(outcomes[setting])
    false_alarms.print_rates(rates)
    power.print_shares(shares)


def measure_seconds(options: argparse.Namespace) -> None:
    """Print how long detections take."""
    seconds.print_seconds(options.quick)
    seconds.print_streaming()


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "clean": measure_clean_series,
    "last": measure_last_point,
    "power": measure_power,
    "changes": measure_change_points,
    "nab": measure_nab,
    "minutes": measure_clean_minutes,
    "rivals": measure_rivals,
    "seconds": measure_seconds,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nab", type=Path, help="labelled series, a .json.gz")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter series")
    parser.add_argument("--draw", action="store_true", help="draw to docs/images what is measured")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    options = parser.parse_args()
    for name in options.only:
        start = time.perf_counter()
        PARTS[name](options)
        print(f"\n({name}: {time.perf_counter() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
