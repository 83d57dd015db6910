"""Faults in a simulated shop: ``python -m benchmarks.faults [--direct] [--write]``.

With a real Prometheus (`polled.py`), and then directly, to compare. ``--direct`` only gives the
points to the detector itself, without a Prometheus. ``--write`` replaces the tables in
docs/developing/anomaly-figures.md.
"""

import argparse
import time
from collections.abc import Mapping

from benchmarks.faults.direct import Judged, judge
from benchmarks.faults.incidents import FAULTS, Fault
from benchmarks.faults.polled import run_polled
from benchmarks.faults.query_settings import query_settings_of
from benchmarks.faults.shapes import Shape
from benchmarks.faults.shop import SHAPES, draw
from benchmarks.faults.table import add_direct_results, outcome_of, tables_of
from benchmarks.parallel import run_in_processes
from docs.tables import Table

PAGE, NAME = "docs/developing/anomaly-figures.md", "bench-faults"


def judge_faulty(number: int) -> Judged:
    """Judge the series of a fault, in which it happens."""
    fault = FAULTS[number]
    drawn = fault.drawn
    return judge(
        drawn.shape, drawn.query_values(fault.values(drawn)), query_settings_of(drawn.shape)
    )


def judge_calm(number: int) -> Judged:
    """Judge a series without a fault."""
    drawn = draw(SHAPES[number])
    values = drawn.query_values(drawn.values(drawn.base, drawn.runs))
    return judge(drawn.shape, values, query_settings_of(drawn.shape))


def run_direct() -> tuple[dict[Fault, Judged], dict[Shape, Judged]]:
    """Judge the faulty and the calm series."""
    faulty = run_in_processes(judge_faulty, range(len(FAULTS)))
    calm = run_in_processes(judge_calm, range(len(SHAPES)))
    return dict(zip(FAULTS, faulty, strict=True)), dict(zip(SHAPES, calm, strict=True))


def run_both() -> tuple[dict[Fault, Judged], dict[Shape, Judged]]:
    """Return what was polled; print whether the same points judged directly differ."""
    polled_faulty, polled_calm = run_polled()
    direct_faulty, direct_calm = run_direct()
    faulty, other_faults = add_direct_results(polled_faulty, direct_faulty)
    calm, other_shapes = add_direct_results(polled_calm, direct_calm)
    live = [fault for fault in polled_faulty if fault.is_live]
    print("Live alerts at another step if judged directly: ", end="")
    print(sum(_delay(fault, polled_faulty) != _delay(fault, direct_faulty) for fault in live))
    print("Series with other events if judged directly: ", end="")
    print(len(other_faults) + len(other_shapes), end="\n\n")
    return faulty, calm


def _delay(fault: Fault, judged: Mapping[Fault, Judged]) -> int | None:
    return outcome_of(fault, judged[fault]).after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--direct", action="store_true", help="without a Prometheus")
    parser.add_argument("--write", action="store_true", help="replace the tables on their page")
    options = parser.parse_args()
    began = time.perf_counter()
    judged = run_direct() if options.direct else run_both()
    tables = tables_of(*judged)
    print(tables)
    if options.write:
        Table(PAGE, NAME, tables).write()
    print(f"({time.perf_counter() - began:.0f} s)")


if __name__ == "__main__":
    main()
