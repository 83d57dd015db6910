"""Anomaly detection measured: ``python -m benchmarks.anomalies [--nab PATH] [--quick]``.

Prints flags per 1,000 clean points, what is found of injected anomalies and how late, change
points, NAB's score where its file is given, and seconds; rivals (``.[bench]``) in the same run.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.anomalies import false_alarms, power
from benchmarks.anomalies.methods import RATE, RATES, own_methods

# Series of each group that every injection is put into.
TRIALS, QUICK_TRIALS = 24, 4


def clean(options: argparse.Namespace) -> None:
    """Flags on clean series."""
    groups = false_alarms.make_groups(options.quick)
    for method in own_methods(RATES):
        measured = false_alarms.measure(method, groups)
        columns = {
            (method.name, setting): {name: rates[turn] for name, rates in measured.items()}
            for turn, setting in enumerate(method.settings)
        }
        false_alarms.print_rates("Flags per 1,000 clean points", columns)


def found(options: argparse.Namespace) -> None:
    """What is found of injected anomalies."""
    trials = power.make_trials(QUICK_TRIALS if options.quick else TRIALS)
    for method in own_methods((RATE,)):
        (outcomes,) = power.measure(method, trials)
        power.print_power(f"{method.name} at {100 * RATE:g} %", outcomes)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {"clean": clean, "power": found}


def main() -> None:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nab", type=Path, help="labelled series, a .json.gz")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter series")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    options = parser.parse_args()
    for name in options.only:
        start = time.perf_counter()
        PARTS[name](options)
        print(f"\n({name}: {time.perf_counter() - start:.0f} s)")


if __name__ == "__main__":
    main()
