"""Learn the numbers of the intervals: ``python -m benchmarks.calibrate [--write]``.

Each kind of number is learned in turn, from those before it, and compared with the shipped ones;
``--write`` replaces those in ``app/forecasting/intervals/learned.json``. No kind depends on a later
one, so one run is enough. All take about twelve minutes of two cores.
"""

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

from benchmarks.calibrate import (
    few_seasons,
    learned_file,
    long_factors,
    prior_widening,
    short_factors,
    short_history,
    skewed_widening,
    structure_prior,
)

KINDS: dict[str, Callable[[], Any]] = {
    "short_factors": short_factors.run,
    "short_history": short_history.run,
    "long_factors": long_factors.run,
    "skewed_widening": skewed_widening.run,
    "few_seasons": few_seasons.run,
    "structure_prior": structure_prior.run,
    "prior_widening": prior_widening.run,
}


def learn(kind: str, *, write: bool) -> None:
    """Learn one kind of number and print whether it equals the shipped one."""
    numbers = KINDS[kind]()
    _, shipped = learned_file.read()
    is_equal = numbers == shipped[kind]["numbers"]
    print(f"{kind}: {'as shipped' if is_equal else f'not as shipped: {numbers}'}", flush=True)
    if write:
        learned_file.write(kind, numbers)


def main() -> None:
    """Learn all kinds, or some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS), help="these kinds")
    parser.add_argument("--write", action="store_true", help="replace the shipped numbers")
    options = parser.parse_args()
    chosen = [kind for kind in KINDS if kind in options.only]
    if len(chosen) == 1:
        warnings.simplefilter("ignore")
        learn(chosen[0], write=options.write)
        return
    for kind in chosen:
        # In a process of its own: the engine reads the numbers of the kinds before when it starts.
        command = [sys.executable, "-m", "benchmarks.calibrate", "--only", kind]
        command += ["--write"] * options.write
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
