"""Faults in a made shop: ``python -m benchmarks.faults --direct [--only calm] [--series NAME]``.

``--direct`` gives the points to the detector itself, without a Prometheus.
"""

import argparse
import time

from benchmarks.faults.direct import Judged, judge
from benchmarks.faults.incidents import FAULTS, Fault
from benchmarks.faults.orders import order_of
from benchmarks.faults.shapes import Shape
from benchmarks.faults.shop import SHAPES, draw
from benchmarks.faults.table import print_all
from benchmarks.parallel import in_processes


def judge_faulty(number: int) -> Judged:
    """Judge the series of a fault, in which it happens."""
    fault = FAULTS[number]
    drawn = fault.drawn
    return judge(drawn.shape, drawn.judged(fault.values(drawn)), order_of(drawn.shape))


def judge_calm(number: int) -> Judged:
    """Judge a series without a fault."""
    drawn = draw(SHAPES[number])
    values = drawn.judged(drawn.values(drawn.base, drawn.runs))
    return judge(drawn.shape, values, order_of(drawn.shape))


def run_direct(only: str | None, part: str) -> tuple[dict[Fault, Judged], dict[Shape, Judged]]:
    """Judge the faulty and the calm series whose names contain ``part``."""
    faults = [number for number, each in enumerate(FAULTS) if part in each.series]
    shapes = [number for number, each in enumerate(SHAPES) if part in each.name]
    faulty = in_processes(judge_faulty, faults) if only != "calm" else []
    calm = in_processes(judge_calm, shapes) if only != "faults" else []
    return (
        {FAULTS[number]: each for number, each in zip(faults, faulty, strict=False)},
        {SHAPES[number]: each for number, each in zip(shapes, calm, strict=False)},
    )


def main() -> None:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--direct", action="store_true", help="without a Prometheus")
    parser.add_argument("--only", choices=("faults", "calm"))
    parser.add_argument("--series", default="", help="a part of the names of series")
    asked = parser.parse_args()
    began = time.perf_counter()
    print_all(*run_direct(asked.only, asked.series))
    print(f"\n({time.perf_counter() - began:.0f} s)")


if __name__ == "__main__":
    main()
