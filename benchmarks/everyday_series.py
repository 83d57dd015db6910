"""The four models on everyday series: ``python -m benchmarks.everyday_series PATH [--quick]``.

PATH is a ``.jsonl.gz`` of windows, which do not ship: one JSON object per line with ``set``, ``id``
(``SERIES@k`` for the k-th window from the end), ``frequency``, ``offset`` (``B`` for business days,
``5min``; null for the frequency's own), ``values`` and ``test``, the next values. Scores of
rivals for the same lines come from a ``…-scores.json`` next to the file, if there is one.

Prints one table for each set, then geometric means over sets relative to seasonal naive, the
checks of model 1 against naive and the best rival, and the coverage of 95 % intervals by frequency
over the last three window ends of each series (the window's own, and one and two horizons earlier).
"""

import argparse
import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from app.forecasting.backtest.measures import naive_scale
from app.forecasting.fallback import fit_naive
from app.forecasting.forecast import fit
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.periods import periods_of_business_days, periods_of_seconds
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.measures import coverage, mase, msis, smape
from benchmarks.parallel import run_in_processes
from benchmarks.series import PERIODS

QUICK_STEP = 3
ENDS = 3
NAIVE = "seasonal naive"
RIVALS = {"prophet": "Prophet", "ets": "AutoETS", "mstl": "MSTL"}
# Bounds of model 1: over naive in sets of `MIN_WINDOWS` or more, over the best rival anywhere.
MAX_OVER_NAIVE, MAX_OVER_RIVAL = 1.05, 1.1
MIN_WINDOWS = 9
COVERED = (93.5, 96.5)
HEADER = f"{'method':22}{'sMAPE':>8}{'MASE':>8}{'MSIS95':>9}{'cov80':>7}{'cov95':>7}"


@dataclass(frozen=True)
class EverydayWindow:
    """One series at one origin: ``history``, and ``actual`` of shape (h,) after it.

    ``line`` is its line of the file, from 0.
    """

    line: int
    group: str
    series: str
    history: History
    actual: FloatArray

    @property
    def measure_period(self) -> int:
        """The period m of MASE and MSIS: the shortest season, a year for weeks, 1 for years."""
        return self.history.period


@dataclass(frozen=True)
class WindowScores:
    """Measures of one method, each of shape (windows,), NaN if unknown.

    Coverages are in percent.
    """

    smape: FloatArray
    mase: FloatArray
    msis: FloatArray
    coverage_80: FloatArray
    coverage_95: FloatArray

    def of(self, chosen: Sequence[int]) -> "WindowScores":
        """Return the scores of some windows."""
        rows = (self.smape, self.mase, self.msis, self.coverage_80, self.coverage_95)
        return WindowScores(*(row[list(chosen)] for row in rows))

    def __str__(self) -> str:
        return (
            f"{self.smape.mean():8.2f}{self.mase.mean():8.3f}{self.msis.mean():9.4g}"
            f"{self.coverage_80.mean():7.1f}{self.coverage_95.mean():7.1f}"
        )


def periods_of(frequency: Frequency, offset: str | None) -> tuple[int, ...]:
    """Return the seasonal periods in steps for an ``offset`` of pandas; None: the default."""
    if offset == "B":
        return periods_of_business_days(1)
    minutes = re.fullmatch(r"(\d+)min", offset or "")
    return periods_of_seconds(60 * int(minutes[1])) if minutes else PERIODS[frequency]


def load_windows(path: Path) -> list[EverydayWindow]:
    """Return all windows of a file, in its order."""
    windows = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line, record in enumerate(map(json.loads, lines)):
            frequency = Frequency(record["frequency"])
            values = np.array(record["values"], dtype=np.float64)
            history = History(values, periods_of(frequency, record.get("offset")), frequency)
            actual = np.array(record["test"], dtype=np.float64)
            series = record["id"].partition("@")[0]
            windows.append(EverydayWindow(line, record["set"], series, history, actual))
    return windows


def load_stored(path: Path, windows: Sequence[EverydayWindow]) -> dict[str, WindowScores]:
    """Return the stored scores of other methods on these windows; none without the file."""
    file = path.with_name(path.name.removesuffix(".jsonl.gz") + "-scores.json")
    if not file.exists():
        return {}
    stored = {}
    for name, records in json.loads(file.read_text(encoding="utf-8")).items():
        rows = [records[window.line] for window in windows]
        smapes, mases, msises, covered = (
            np.array([row[key] for row in rows]) for key in ("sMAPE", "MASE", "MSIS", "cover")
        )
        unknown = np.full(len(rows), np.nan)
        stored[name] = WindowScores(smapes, mases, msises, unknown, 100.0 * covered)
    return stored


def third_of_series(windows: Sequence[EverydayWindow]) -> list[EverydayWindow]:
    """Return all windows of every third series of each set."""
    seen: dict[str, list[str]] = {}
    for window in windows:
        series = seen.setdefault(window.group, [])
        if window.series not in series:
            series.append(window.series)
    return [
        window for window in windows if seen[window.group].index(window.series) % QUICK_STEP == 0
    ]


def earlier_windows(windows: Iterable[EverydayWindow], back: int) -> list[EverydayWindow]:
    """Return the windows that end ``back`` horizons earlier, where half of the history is left."""
    moved = []
    for window in windows:
        values = window.history.values
        horizon = len(window.actual)
        whole = np.concatenate([values, window.actual])
        end = len(values) - back * horizon
        if 2 * end >= len(values) and np.ptp(values[:end]) > 0:
            history = replace(window.history, values=values[:end])
            moved.append(replace(window, history=history, actual=whole[end : end + horizon]))
    return moved


def _score(method: str, window: EverydayWindow) -> tuple[float, ...]:
    """Return the measures of one method on one window, in the order of ``WindowScores``."""
    history, actual = window.history, window.actual
    horizon = len(actual)
    fitted = fit_naive(history, horizon) if method == NAIVE else fit(history, horizon, method)
    median = fitted.median
    (low, high) = fitted.interval(0.95)
    inner = fitted.interval(0.8)
    scale = naive_scale(history.values, window.measure_period)
    return (
        smape(median, actual),
        mase(median, actual, scale),
        msis(low, high, actual, scale, 0.95),
        coverage(*inner, actual),
        coverage(low, high, actual),
    )


def score(method: str, windows: Sequence[EverydayWindow]) -> WindowScores:
    """Score a model by its id, or ``NAIVE``, on windows."""
    return WindowScores(*np.array(run_in_processes(partial(_score, method), windows)).T)


def groups_of(windows: Sequence[EverydayWindow]) -> dict[str, list[int]]:
    """Return the indices of each set's windows."""
    groups: dict[str, list[int]] = {}
    for index, window in enumerate(windows):
        groups.setdefault(window.group, []).append(index)
    return groups


def geometric_means(
    scores: WindowScores, naive: WindowScores, groups: Mapping[str, Sequence[int]]
) -> tuple[float, float]:
    """Return the geometric means over sets of MASE and MSIS, relative to seasonal naive."""
    means = []
    for own, other in ((scores.mase, naive.mase), (scores.msis, naive.msis)):
        logs = [np.log(own[rows].mean() / other[rows].mean()) for rows in groups.values()]
        means.append(float(np.exp(np.mean(logs))))
    return means[0], means[1]


def print_sets(
    windows: Sequence[EverydayWindow],
    scores: Mapping[str, WindowScores],
    groups: Mapping[str, list[int]],
) -> None:
    for group, rows in groups.items():
        frequency = windows[rows[0]].history.frequency
        print(f"\n{group}, {frequency}, {len(rows)} windows\n{HEADER}")
        for name, method_scores in scores.items():
            print(f"{name:22}{method_scores.of(rows)}")


def print_geometric_means(
    scores: Mapping[str, WindowScores], groups: Mapping[str, list[int]]
) -> None:
    """Print each method relative to seasonal naive over all sets."""
    print(f"\nGeometric means over {len(groups)} sets, relative to seasonal naive")
    print(f"{'method':22}{'MASE':>8}{'MSIS95':>9}")
    for name, scored in scores.items():
        errors, intervals = geometric_means(scored, scores[NAIVE], groups)
        print(f"{name:22}{errors:8.3f}{intervals:9.3f}")


def print_checks(scores: Mapping[str, WindowScores], groups: Mapping[str, list[int]]) -> None:
    """Print where seasonal naive or a rival beats the general model."""
    general = next(iter(MODELS))
    if general not in scores:
        return
    own, naive = scores[general], scores[NAIVE]
    print(f"\n{general} over {NAIVE} and over the best rival; ! where it is more than allowed")
    print(f"{'set':26}{'windows':>8}{'naive':>8}{'MASE':>9}{'MSIS95':>9}")
    rivals = [scores[name] for name in RIVALS.values() if name in scores]
    for group, rows in groups.items():
        over_naive = own.mase[rows].mean() / naive.mase[rows].mean()
        beaten = over_naive > MAX_OVER_NAIVE and len(rows) >= MIN_WINDOWS
        line = f"{group:26}{len(rows):8d}{_marked_ratio(over_naive, beaten)}"
        for measure in ("mase", "msis"):
            best = min((getattr(rival, measure)[rows].mean() for rival in rivals), default=np.nan)
            over_rival = getattr(own, measure)[rows].mean() / best
            line += _marked_ratio(over_rival, over_rival > MAX_OVER_RIVAL)
        print(line)


def _marked_ratio(ratio: float, flag: bool) -> str:
    return f"{ratio:8.2f}{'!' if flag else ' '}"


def print_ends(windows: Sequence[EverydayWindow], scores: Mapping[str, WindowScores]) -> None:
    """Print the coverage of 95 % intervals by frequency over the last window ends."""
    ends = [windows] + [earlier_windows(windows, back) for back in range(1, ENDS)]
    counts = [len(end) for end in ends]
    print(f"\nCoverage at 95 % by frequency over {ENDS} window ends ({counts} windows);")
    print(f"! where all ends together lie outside {COVERED[0]} to {COVERED[1]}")
    names = "".join(f"{-back or 'last':>8}" for back in range(ENDS))
    print(f"{'method':22}{'frequency':12}{names}{'all':>8}")
    for name in scores:
        if name not in MODELS:
            continue
        covered = [scores[name].coverage_95] + [score(name, end).coverage_95 for end in ends[1:]]
        for frequency in dict.fromkeys(window.history.frequency for window in windows):
            shares = [_by_set(end, row, frequency) for end, row in zip(ends, covered, strict=True)]
            mean = float(np.nanmean(shares))
            flag = not COVERED[0] <= mean <= COVERED[1]
            cells = "".join(f"{share:8.1f}" for share in shares)
            print(f"{name:22}{frequency:12}{cells}{_marked_ratio(mean, flag)}", flush=True)


def _by_set(windows: Sequence[EverydayWindow], covered: FloatArray, frequency: Frequency) -> float:
    """Return the mean coverage of a frequency's windows, NaN where there are none."""
    rows = [i for i, window in enumerate(windows) if window.history.frequency == frequency]
    return float(covered[rows].mean()) if rows else np.nan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="the windows, a .jsonl.gz")
    parser.add_argument("--quick", action="store_true", help="every third series, the last ends")
    parser.add_argument("--models", nargs="+", choices="1234", default="1234", help="these models")
    parser.add_argument("--set", dest="group", help="sets whose name contains this")
    options = parser.parse_args()
    windows = [
        window for window in load_windows(options.path) if (options.group or "") in window.group
    ]
    windows = third_of_series(windows) if options.quick else windows
    groups = groups_of(windows)
    stored = load_stored(options.path, windows)
    methods = [f"forecast-model-{number}" for number in options.models]
    scores = {method: score(method, windows) for method in (*methods, NAIVE)}
    for name, value in stored.items():
        if name != "snaive":
            scores[RIVALS.get(name, f"stored {name}")] = value
    print_sets(windows, scores, groups)
    print_geometric_means(scores, groups)
    print_checks(scores, groups)
    if not options.quick:
        print_ends(windows, scores)


if __name__ == "__main__":
    main()
