"""Faults in a made shop: ``python -m benchmarks.faults [--direct [--only calm] [--series NAME]]``.

With a real Prometheus (`polled.py`), and then directly, to compare. ``--direct`` only gives the
points to the detector itself, without a Prometheus.
"""

import argparse
import time
from collections.abc import Mapping

from benchmarks.faults.direct import Judged, judge
from benchmarks.faults.incidents import FAULTS, Fault
from benchmarks.faults.orders import order_of
from benchmarks.faults.polled import run_polled
from benchmarks.faults.shapes import Shape
from benchmarks.faults.shop import SHAPES, draw
from benchmarks.faults.table import complete, outcome_of, print_all
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


def run_both() -> None:
    """Print what was polled; compare it with the same points judged directly."""
    polled_faulty, polled_calm = run_polled()
    direct_faulty, direct_calm = run_direct(None, "")
    faulty, other_faults = complete(polled_faulty, direct_faulty)
    calm, other_shapes = complete(polled_calm, direct_calm)
    print_all(faulty, calm)
    live = [each for each in polled_faulty if each.is_live]
    print("\nLive alerts at another step if judged directly: ", end="")
    print(sum(_after(each, polled_faulty) != _after(each, direct_faulty) for each in live))
    print("Series with other events if judged directly: ", end="")
    print(len(other_faults) + len(other_shapes))


def _after(fault: Fault, judged: Mapping[Fault, Judged]) -> int | None:
    return outcome_of(fault, judged[fault]).after


def main() -> None:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--direct", action="store_true", help="without a Prometheus")
    parser.add_argument("--only", choices=("faults", "calm"))
    parser.add_argument("--series", default="", help="a part of the names of series")
    asked = parser.parse_args()
    began = time.perf_counter()
    if asked.direct:
        print_all(*run_direct(asked.only, asked.series))
    else:
        run_both()
    print(f"\n({time.perf_counter() - began:.0f} s)")


if __name__ == "__main__":
    main()
