"""Short series: ``python -m benchmarks.short_series [PATH] [--quick] [--model 1] [--earlier 4]``.

Every series is cut to its last few points, and each method forecasts what came next: the shipped
development series and, if PATH is given, windows in the form of ``benchmarks/everyday_series.py``,
the last of each series. MASE and MSIS are scaled by the seasonal naive error of the whole history,
so that all lengths have one unit. Beside the model: its members without the prior, seasonal
naive and, where statsforecast is installed, AutoETS and AutoTheta.

Prints one table by frequency and length, and one by frequency pooled over the lengths. All
series of a set may end in one crisis: ``--earlier 4`` forecasts from four points before the ends.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from app.forecasting.backtest.measures import naive_scale
from app.forecasting.fallback import fit_naive
from app.forecasting.forecast import predict
from app.forecasting.models.recipes import MODELS
from app.forecasting.preparation import prepare_history, restore_units
from app.forecasting.types import Prediction
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from benchmarks.everyday_series import EverydayWindow, load_windows
from benchmarks.measures import coverage, mase, msis
from benchmarks.other_forecasters import statsforecast_model
from benchmarks.parallel import run_in_processes
from benchmarks.series import HIGH_FREQUENCIES, MEASURE_PERIODS, load_series

LENGTHS = (10, 12, 15, 20, 30, 50)
# "Short" in the pooled ratios.
MAX_SHORT_POINTS = 30
HORIZONS = {
    Frequency.YEARLY: 6,
    Frequency.QUARTERLY: 8,
    Frequency.MONTHLY: 12,
    Frequency.WEEKLY: 13,
    Frequency.DAILY: 14,
    Frequency.HOURS: 24,
}
# Series taken of each set, drawn with a fixed seed: of hours, days and weeks, and of others.
MAX_OF_FEW, MAX_OF_MANY, SEED, QUICK_DIVISOR = 180, 75, 0, 5
NAIVE, MEMBERS = "seasonal naive", "members only"
RIVALS = ("AutoETS", "AutoTheta")
Method = Callable[[History, int, float], Prediction]


@dataclass(frozen=True)
class Case:
    """A whole history, what came next, and its set."""

    group: str
    history: History
    actual: np.ndarray

    @property
    def scale(self) -> float:
        """The seasonal naive error of the whole history."""
        shortest = self.history.period
        usual = MEASURE_PERIODS[self.history.frequency]
        period = shortest if self.history.frequency is Frequency.DAILY else usual
        return naive_scale(self.history.values, period)


def load_cases(path: Path | None, *, quick: bool, earlier: int = 0) -> list[Case]:
    """Return the development series and the windows of a file, as many of each set as are used.

    ``earlier``: the number of points by which all histories end before their last ones.
    """
    results = [Case(series.source, series.history, series.actual) for series in load_series()]
    if path is not None:
        last: dict[tuple[str, str], EverydayWindow] = {}
        for window in load_windows(path):
            last.setdefault((window.group, window.series), window)
        results += [Case(window.group, window.history, window.actual) for window in last.values()]
    results = [case for case in results if case.history.frequency in HORIZONS]
    if earlier:
        results = [
            _end_earlier(c, earlier)
            for c in results
            if _min_points(c) + earlier <= len(c.history.values)
        ]
    results = [case for case in results if case.scale > 0]
    groups: dict[tuple[str, Frequency], list[Case]] = {}
    for case in results:
        groups.setdefault((case.group, case.history.frequency), []).append(case)
    rng = np.random.default_rng(SEED)
    chosen = []
    for (_, frequency), group in groups.items():
        most = MAX_OF_FEW if frequency in HIGH_FREQUENCIES else MAX_OF_MANY
        picks = rng.permutation(len(group))[: most // QUICK_DIVISOR if quick else most]
        chosen += [group[pick] for pick in picks]
    return chosen


def _min_points(case: Case) -> int:
    return max(LENGTHS[0], MEASURE_PERIODS[case.history.frequency] + 1)


def _end_earlier(case: Case, points: int) -> Case:
    values = np.concatenate([case.history.values, case.actual])
    end = len(case.history.values) - points
    history = replace(case.history, values=values[:end])
    return Case(case.group, history, values[end : end + len(case.actual)])


def fit_members(model_id: str, history: History, horizon: int, confidence: float) -> Prediction:
    """Return the forecast of the model's members without the prior."""
    prepared = prepare_history(history)
    fitted = MODELS[model_id].fit_members(prepared.history, horizon)
    return restore_units(fitted, prepared).at(confidence)


def predict_naive(history: History, horizon: int, confidence: float) -> Prediction:
    """Return the seasonal naive forecast."""
    return fit_naive(history, horizon).at(confidence)


def predict_by_statsforecast(
    name: str, history: History, horizon: int, confidence: float
) -> Prediction:
    """Return a method of statsforecast."""
    forecaster = statsforecast_model(name)
    assert forecaster is not None
    prediction = forecaster(history, horizon)
    return Prediction(
        prediction.bounds[confidence][0], prediction.median, prediction.bounds[confidence][1]
    )


def methods_of(model_id: str) -> dict[str, Method]:
    """Return all methods by name, the model first."""
    results: dict[str, Method] = {
        model_id: partial(_predict_by_model, model_id),
        MEMBERS: partial(fit_members, model_id),
        NAIVE: predict_naive,
    }
    installed = [name for name in RIVALS if statsforecast_model(name) is not None]
    return results | {name: partial(predict_by_statsforecast, name) for name in installed}


def _predict_by_model(
    model_id: str, history: History, horizon: int, confidence: float
) -> Prediction:
    return predict(history, horizon, confidence, model_id)


def judge(methods: dict[str, Method], case: Case) -> list[tuple[int, np.ndarray]]:
    """Score all methods at each length: the length, and (methods, MASE MSIS coverages).

    Coverages are at 80 and 95 %, in percent.
    """
    horizon = min(HORIZONS[case.history.frequency], len(case.actual))
    actual = case.actual[:horizon]
    judged = []
    for points in LENGTHS:
        history = replace(case.history, values=case.history.values[-points:])
        if len(history.values) < points or np.ptp(history.values) <= 0:
            continue
        rows = []
        for method in methods.values():
            inner, outer = (method(history, horizon, confidence) for confidence in (0.8, 0.95))
            floor = floor_of(history.values)
            low, median = np.maximum(outer.lower, floor), np.maximum(outer.median, floor)
            rows.append(
                [
                    mase(median, actual, case.scale),
                    msis(low, outer.upper, actual, case.scale, 0.95),
                    coverage(np.maximum(inner.lower, floor), inner.upper, actual),
                    coverage(low, outer.upper, actual),
                ]
            )
        judged.append((points, np.array(rows)))
    return judged


def print_rows(
    title: str, names: Sequence[str], frequency: Frequency, rows: Iterable[np.ndarray]
) -> None:
    """Print one line per method: means, and MASE and MSIS over those of the members only."""
    scores = np.array(list(rows))
    if not len(scores):
        return
    means = scores.mean(axis=0)
    usual, naive = means[names.index(MEMBERS)], means[names.index(NAIVE)]
    for name, (error, interval, inner, outer) in zip(names, means, strict=True):
        print(
            f"| {frequency} | {title} | {len(scores)} | {name} | {error:.3f} | {interval:.2f} "
            f"| {error / usual[0]:.3f} | {error / naive[0]:.3f} | {interval / usual[1]:.3f} "
            f"| {inner:.1f} / {outer:.1f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, help="more windows, a .jsonl.gz")
    parser.add_argument("--quick", action="store_true", help="a fifth of the series")
    parser.add_argument("--model", choices="1234", default="1", help="this model")
    parser.add_argument("--earlier", type=int, default=0, help="points before each last origin")
    options = parser.parse_args()
    methods = methods_of(f"forecast-model-{options.model}")
    names = list(methods)
    cases = load_cases(options.path, quick=options.quick, earlier=options.earlier)
    judged = run_in_processes(partial(judge, methods), cases)
    print("| frequency | points | windows | method | MASE | MSIS 95 % | MASE / members | ", end="")
    print("MASE / naive | MSIS / members | coverage 80 / 95 |")
    print("|" + 10 * "---|")
    for frequency in HORIZONS:
        scored = [
            pair
            for case, result in zip(cases, judged, strict=True)
            if case.history.frequency is frequency
            for pair in result
        ]
        for points in LENGTHS:
            print_rows(str(points), names, frequency, [row for at, row in scored if at == points])
        short = [row for at, row in scored if at <= MAX_SHORT_POINTS]
        print_rows(f"10 to {MAX_SHORT_POINTS}", names, frequency, short)
        print_rows(f"10 to {LENGTHS[-1]}", names, frequency, [row for _, row in scored])


if __name__ == "__main__":
    main()
