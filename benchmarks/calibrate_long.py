"""Learn the interval factors of hourly, daily, weekly and shorter steps.

``python -m benchmarks.calibrate_long`` forecasts many windows of the development series and of
synthetic metrics, cut to many lengths and asked for many horizons, and fits by quantile regression
how many times the expected error an interval must reach. It prints the factors for
``app/forecasting/intervals/conformal.py``, and the coverage on each kind of series of factors
learned on the other kinds. It takes about two minutes.
"""

import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from statsmodels.regression.quantile_regression import QuantReg

from app.forecasting.frequency import Frequency
from app.forecasting.intervals.conformal import (
    FACTORS,
    LEVELS,
    ErrorScale,
    interval_features,
)
from app.forecasting.models.long import combine_validated
from app.forecasting.types import FloatArray, History
from benchmarks.metrics import KINDS, make_metric
from benchmarks.series import PERIODS, load_series

SHOWN = (0.5, 0.8, 0.95)
# Points kept of a history; 0 keeps all. The whole is what most requests bring.
LENGTHS = (0, 0, 0, 250, 120, 60, 30, 15)
# Steps forecast; 0 takes the series' own horizon.
HORIZONS = (0, 0, 0, 1, 3, 8, 20, 100)
WINDOWS = 3
DRAWS = 3
METRIC_SEEDS = range(1_000, 1_030)
STEPS_A_CASE = 6
CASES_A_KIND = 1_500
ITERATIONS = 300


@dataclass(frozen=True)
class Case:
    """One forecast: its past errors, and its absolute errors in units of the expected one."""

    kind: str
    length: int
    horizon: int
    scale: ErrorScale
    relative: FloatArray


def long_histories() -> Iterator[tuple[str, History, FloatArray]]:
    """Kind, whole history and what came next, of real and synthetic series."""
    for series in load_series():
        frequency = series.history.frequency
        if frequency in (Frequency.HOURS, Frequency.DAILY, Frequency.WEEKLY):
            yield frequency.value, series.history, series.actual
    for kind in KINDS:
        for seed in METRIC_SEEDS:
            known, actual = make_metric(kind, seed, known=700)
            yield "Metrics", History(known, PERIODS[Frequency.HOURS], Frequency.HOURS), actual


def windows(history: History, actual: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Known values and what came next, at the last origin and at earlier ones."""
    whole = np.concatenate([history.values, actual])
    for back in range(WINDOWS):
        end = len(history.values) - back * len(actual)
        if end >= 60:
            yield whole[:end], whole[end:]


def collect() -> list[Case]:
    """Forecast every window at a few lengths and horizons, drawn with a fixed seed."""
    rng = np.random.default_rng(0)
    cases = []
    for kind, history, actual in long_histories():
        for known, coming in windows(history, actual):
            for _ in range(DRAWS):
                length, horizon = int(rng.choice(LENGTHS)), int(rng.choice(HORIZONS))
                horizon = horizon or len(actual)
                values = known[-length:] if length else known
                if np.ptp(values) > 0:
                    past = History(values, history.periods, history.frequency)
                    cases.append(judge(kind, past, length, horizon, coming[:horizon]))
    return cases


def judge(kind: str, past: History, length: int, horizon: int, coming: FloatArray) -> Case:
    """Forecast one window; steps of which nothing is known are left out."""
    validated = combine_validated(past, horizon, with_arima=False, light=True)
    scale = validated.error_scale()
    steps = len(coming)
    expected = np.maximum(scale.ahead[:steps], 1e-12 * np.abs(past.values).max() + 1e-300)
    error = np.abs(coming - validated.combined.median[:steps])
    return Case(kind, length, horizon, scale, error / expected)


def learn(cases: Sequence[Case]) -> FloatArray:
    """Return the factors, shape (levels, 3); every kind of series counts alike."""
    rng = np.random.default_rng(1)
    by_kind = defaultdict(list)
    for case in cases:
        by_kind[case.kind].append(case)
    features, responses = [], []
    for members in by_kind.values():
        for index in rng.integers(len(members), size=CASES_A_KIND):
            case = members[index]
            steps = rng.integers(len(case.relative), size=STEPS_A_CASE)
            features += [interval_features(case.scale)] * STEPS_A_CASE
            responses.append(np.log(np.maximum(case.relative[steps], 1e-4)))
    stacked, response = np.stack(features), np.concatenate(responses)
    return np.stack([fit(stacked[:, k], response, level) for k, level in enumerate(LEVELS)])


def fit(features: FloatArray, response: FloatArray, level: float) -> FloatArray:
    """Return the coefficients of one level; a tail that would count negatively is left out."""
    found = QuantReg(response, features).fit(q=level, max_iter=ITERATIONS).params
    if found[2] < 0:
        found = QuantReg(response, features[:, :2]).fit(q=level, max_iter=ITERATIONS).params
        found = np.append(found, 0.0)
    return np.asarray(found)


def coverages(cases: Sequence[Case], factors: FloatArray) -> str:
    """The share of what came that lies inside, at each shown level."""
    inside = [[] for _ in SHOWN]  # type: list[list[float]]
    for case in cases:
        reach = np.exp((interval_features(case.scale) * factors).sum(axis=1))
        for row, level in zip(inside, SHOWN, strict=True):
            row.append(float(np.mean(case.relative <= reach[LEVELS.index(level)])))
    return "  ".join(f"{100 * np.mean(row):5.1f}" for row in inside)


def print_checks(cases: Sequence[Case], factors: FloatArray) -> None:
    """Coverage by kind, of factors learned on the others; then by length and by horizon."""
    print("kind, cases, coverage at 50, 80, 95 %: learned on the others | learned on all")
    for kind in sorted({case.kind for case in cases}):
        own = [case for case in cases if case.kind == kind]
        others = learn([case for case in cases if case.kind != kind])
        print(f"{kind:8} {len(own):5}  {coverages(own, others)} | {coverages(own, factors)}")
    for name in ("length", "horizon"):
        for value in sorted({getattr(case, name) for case in cases}):
            own = [case for case in cases if getattr(case, name) == value]
            print(f"{name} {value or 'all':>4} {len(own):5}  {coverages(own, factors)}")


def main() -> None:
    """Learn, print the checks and the table."""
    warnings.simplefilter("ignore")
    cases = collect()
    factors = learn(cases)
    print(f"shipped factors, all kinds:  {coverages(cases, FACTORS)}")
    print_checks(cases, factors)
    for row in factors:
        print(f"        ({', '.join(f'{value:.2f}' for value in row)}),")


if __name__ == "__main__":
    main()
