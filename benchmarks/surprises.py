"""Surprises: ``python -m benchmarks.surprises [--quick] [--part levels]``.

Four parts, on synthetic series of known futures. Beside the four models, where statsforecast is
installed, AutoETS, Theta and MSTL.

- holidays: on how many daily series effects of holidays are proved that are not there, and that are
- moves: how far a forecast moves by what hardly says anything (``benchmarks.invariance``)
- coverage: how often 95 % intervals hold, by kind of series (``benchmarks.covered_kinds``)
- levels: series whose level changed a few points before the end, or only seems to. By points since
  the change: how far the median went from the old level to the new one (1 is all the way), and the
  percentage of the future inside 95 % intervals
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.forecasting.forecast import fit
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.covered_kinds import print_coverage
from benchmarks.invariance import print_moves
from benchmarks.measures import coverage
from benchmarks.other_forecasters import method_of, statsforecast_model
from benchmarks.parallel import run_in_processes
from benchmarks.series import PERIODS
from benchmarks.without_holidays import DRAWS as HOLIDAY_DRAWS
from benchmarks.without_holidays import print_proved_effects

SINCE = (3, 5, 7, 10, 14, 21)
POINTS, HORIZON, NOISE, LEVEL = 300, 14, 0.05, 100.0
LEVEL_DRAWS, MOVE_DRAWS, COVERAGE_DRAWS, QUICK_DIVISOR = 12, 20, 24, 4
RIVALS = ("AutoETS", "Theta", "MSTL")
OUTAGE_POINTS, RAMP_POINTS = 6, 20
STEPS = np.arange(POINTS + HORIZON)
AMPLITUDE = 0.3  # of the seasons
LEVEL_KEPT = ("last point strange", "last two strange", "nothing")


@dataclass(frozen=True)
class Paths:
    """The expected values before a change, continued, and after it, and where the series is new.

    Each has shape (n + h,), the last is between 0 and 1. ``noise`` is a share of the level.
    """

    old: FloatArray
    new: FloatArray
    weight: FloatArray
    noise: float = NOISE

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Return the series and its future."""
        expected = self.old + self.weight * (self.new - self.old)
        return expected * (1 + self.noise * rng.standard_normal(len(expected)))


Kind = Callable[[int], Paths]


def season_of(period: int) -> FloatArray:
    """Return factors around 1 that recur; two days of seven are low in a week."""
    if period == 7:
        return np.where(STEPS % 7 >= 5, 1 - AMPLITUDE, 1 + 0.4 * AMPLITUDE)
    return 1 + AMPLITUDE * np.sin(2 * np.pi * STEPS / period) if period else np.ones(len(STEPS))


def changed_level(since: int, factor: float, period: int = 0, noise: float = NOISE) -> Paths:
    """Return values whose level has changed ``since`` points before the end."""
    old = LEVEL * season_of(period)
    return Paths(old, factor * old, np.where(POINTS - since > STEPS, 0.0, 1.0), noise)


def after_outage(since: int, period: int = 0) -> Paths:
    """Return values that were a tenth for six points, until ``since`` points before the end."""
    back = LEVEL * season_of(period)
    begin = POINTS - since - OUTAGE_POINTS
    return Paths(0.1 * back, back, np.where((begin <= STEPS) & (POINTS - since > STEPS), 0.0, 1.0))


def ramp(since: int) -> Paths:
    """The level rose by six tenths within twenty points."""
    old = np.full(len(STEPS), LEVEL)
    return Paths(old, 1.6 * old, np.clip((STEPS - POINTS + since) / RAMP_POINTS + 1, 0.0, 1.0))


def outliers(since: int, count: int) -> Paths:
    """The last one or two points are strange; how long ago is the series' start."""
    old = LEVEL * season_of(7)
    strange = (POINTS - count <= STEPS) & (STEPS < POINTS)
    return Paths(old, 0.55 * old, strange.astype(float))


KINDS: dict[str, tuple[Frequency, Kind]] = {
    "days, x 0.55": (Frequency.DAILY, partial(changed_level, factor=0.55)),
    "days, x 1.6": (Frequency.DAILY, partial(changed_level, factor=1.6)),
    "days with a week, x 0.55": (Frequency.DAILY, partial(changed_level, factor=0.55, period=7)),
    "days with a week, x 1.6": (Frequency.DAILY, partial(changed_level, factor=1.6, period=7)),
    "hours with a day, x 0.55": (Frequency.HOURS, partial(changed_level, factor=0.55, period=24)),
    "hours with a day, x 1.6": (Frequency.HOURS, partial(changed_level, factor=1.6, period=24)),
    "weeks, x 0.55": (Frequency.WEEKLY, partial(changed_level, factor=0.55)),
    "weeks, x 1.6": (Frequency.WEEKLY, partial(changed_level, factor=1.6)),
    "months with a year, x 0.55": (
        Frequency.MONTHLY,
        partial(changed_level, factor=0.55, period=12),
    ),
    "months with a year, x 1.6": (Frequency.MONTHLY, partial(changed_level, factor=1.6, period=12)),
    "days, meter replaced (x 1000)": (
        Frequency.DAILY,
        partial(changed_level, factor=1000.0, period=7),
    ),
    "days, tax (x 1.03, 0.3 % noise)": (
        Frequency.DAILY,
        partial(changed_level, factor=1.03, noise=0.003),
    ),
    "days, ramp to x 1.6": (Frequency.DAILY, ramp),
    "days with a week, after an outage of 6": (Frequency.DAILY, partial(after_outage, period=7)),
    "days with a week, last point strange": (Frequency.DAILY, partial(outliers, count=1)),
    "days with a week, last two strange": (Frequency.DAILY, partial(outliers, count=2)),
    "days with a week, nothing": (Frequency.DAILY, partial(changed_level, factor=1.0, period=7)),
}


@dataclass(frozen=True)
class Task:
    """One draw of a kind, and how many points ago its level changed."""

    kind: str
    since: int
    seed: int


def judge(methods: Sequence[str], task: Task) -> tuple[FloatArray, bool]:
    """Return the way, coverage and width of each method, and whether a change was reported.

    The width is that of the 95 % interval over that of the noise.
    """
    frequency, make = KINDS[task.kind]
    paths = make(task.since)
    values = paths.draw(np.random.default_rng([task.seed, task.since]))
    history = History(values[:POINTS], PERIODS[frequency], frequency)
    actual, old, new = values[POINTS:], paths.old[POINTS:], paths.new[POINTS:]
    gap = np.where(new == old, old, new - old)
    ideal = 2 * 1.96 * paths.noise * (old + paths.weight[POINTS:] * (new - old))
    rows = []
    for forecaster in map(method_of, methods):
        prediction = forecaster(history, HORIZON)
        lower, upper = prediction.bounds[0.95]
        moved = float(np.mean((prediction.median - old) / gap))
        width = float(np.mean((upper - lower) / ideal))
        rows.append((moved, coverage(lower, upper, actual), width))
    reported = fit(history, HORIZON, next(iter(MODELS))).provenance.level_change is not None
    return np.array(rows), reported


def print_kind(
    kind: str, names: Sequence[str], rows: dict[int, np.ndarray], reported: float
) -> None:
    """Print a line for each method, of means by points since the change."""
    print(f"\n{kind} (model 1 reports a change in {100 * reported:.0f} %)\n")
    print("| method | " + " | ".join(str(since) for since in rows) + " |")
    print("|" + (len(rows) + 1) * "---|")
    for index, name in enumerate(names):
        cells = [
            f"{moved:.2f} / {covered:.0f} / {width:.1f}"
            for moved, covered, width in (rows[since][:, index].mean(axis=0) for since in rows)
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")


def print_levels(methods: Sequence[str], draws: int) -> None:
    """Print one table for each kind."""
    print(
        "\nway to the new level / coverage of 95 % intervals in % / their width over the noise's,"
    )
    print("by points since the change")
    for kind in KINDS:
        since = SINCE[:1] if kind.endswith(LEVEL_KEPT) else SINCE
        tasks = [Task(kind, points, seed) for points in since for seed in range(draws)]
        judged = run_in_processes(partial(judge, methods), tasks)
        rows = {
            points: np.array(
                [row for task, (row, _) in zip(tasks, judged, strict=True) if task.since == points]
            )
            for points in since
        }
        print_kind(kind, methods, rows, float(np.mean([reported for _, reported in judged])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a quarter of the draws")
    parser.add_argument("--part", choices=("holidays", "moves", "coverage", "levels"))
    options = parser.parse_args()
    divisor = QUICK_DIVISOR if options.quick else 1
    methods = [*MODELS, *filter(statsforecast_model, RIVALS)]
    parts: dict[str, Callable[[], None]] = {
        "holidays": lambda: print_proved_effects(HOLIDAY_DRAWS // divisor),
        "moves": lambda: print_moves(methods, MOVE_DRAWS // divisor),
        "coverage": lambda: print_coverage(methods, COVERAGE_DRAWS // divisor),
        "levels": lambda: print_levels(methods, LEVEL_DRAWS // divisor),
    }
    for name, print_part in parts.items():
        if options.part in {None, name}:
            print_part()


if __name__ == "__main__":
    main()
