"""The factors of ``intervals/quantile_factors.py``: yearly, quarterly and monthly series.

Models 1 and 2 are refitted on past origins of every development series; it prints the coverage of
factors learned on one source and tested on another.

Much of the difference between sources is chance of the calendar: all series of a source end in the
same years. So the factors are learned on several past origins of each series, besides the last.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from statsmodels.regression.quantile_regression import QuantReg

from app.forecasting.backtest.measures import naive_scale
from app.forecasting.intervals.learned import CONFIDENCE_LEVELS
from app.forecasting.models.low_frequency import (
    LowFrequencyForecast,
    LowFrequencyRecipe,
    combine_low_frequency,
    interval_of,
)
from app.forecasting.models.recipes import MODELS
from app.forecasting.preparation import prepare_history
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.calibrate import SEED, SHOWN_CONFIDENCES
from benchmarks.measures import coverage, msis
from benchmarks.parallel import run_in_processes
from benchmarks.series import DevelopmentSeries, load_series, near_duplicates

LEARNED_WITH = {"with_arima": "forecast-model-1", "without_arima": "forecast-model-2"}
FREQUENCIES = (Frequency.YEARLY, Frequency.QUARTERLY, Frequency.MONTHLY)
SOURCES = ("M1", "M3")
# Steps between past origins, how many of them, and the history that must be left.
PAST_ORIGINS = {
    Frequency.YEARLY: (1, 5, 10),
    Frequency.QUARTERLY: (2, 5, 12),
    Frequency.MONTHLY: (9, 1, 30),
}
# How many of the regressors are used: the power by which widths grow matters only for years.
REGRESSORS = {Frequency.YEARLY: 6, Frequency.QUARTERLY: 5, Frequency.MONTHLY: 5}
# The last window of each series counts as often as this many past ones.
LAST_WINDOW_WEIGHT = 3
MAX_ROWS = 20_000
ITERATIONS = 200


@dataclass(frozen=True)
class Case:
    """One forecast at one origin, in scaled units, with the next values."""

    source: str
    is_duplicate: bool
    is_last: bool
    history: History
    forecast: LowFrequencyForecast
    actual: FloatArray


def windows(series: DevelopmentSeries) -> Iterator[tuple[History, FloatArray, bool]]:
    """Yield history, next values, and whether it is the last window, for each origin."""
    yield series.history, series.actual, True
    step, count, smallest = PAST_ORIGINS[series.history.frequency]
    values = series.history.values
    horizon = len(series.actual)
    for back in range(count):
        origin = len(values) - horizon - back * step
        past = values[:origin]
        if origin >= smallest and np.ptp(past) > 0:
            yield replace(series.history, values=past), values[origin : origin + horizon], False


def collect(frequency: Frequency, model_id: str) -> list[Case]:
    """Forecast every window of every series of one frequency."""
    chosen = [
        series
        for series in load_series()
        if series.history.frequency == frequency and series.source in SOURCES
    ]
    by_series = run_in_processes(partial(judge, model_id), chosen)
    return [case for cases in by_series for case in cases]


def judge(model_id: str, series: DevelopmentSeries) -> list[Case]:
    """Forecast every window of one series."""
    recipe = MODELS[model_id].low_frequency[series.history.frequency]
    is_duplicate = (series.source, series.name) in near_duplicates()
    cases = []
    for history, actual, is_last in windows(series):
        prepared = prepare_history(history)
        forecast = combine_low_frequency(prepared.history, len(actual), recipe)
        forecast = replace(forecast, median=np.maximum(forecast.median, prepared.floor))
        scaled = (actual - prepared.location) / prepared.scale
        cases.append(Case(series.source, is_duplicate, is_last, prepared.history, forecast, scaled))
    return cases


def learn(cases: Sequence[Case]) -> FloatArray:
    """Return the factors, shape (levels, 5 or 6), by quantile regression of log(error / width)."""
    count = REGRESSORS[cases[0].history.frequency]
    regressors, targets = [], []
    for case in cases:
        if case.is_duplicate:
            continue
        log_width, columns = case.forecast.features.regressors()
        errors = np.abs(case.actual - case.forecast.median)
        # An error of exactly zero has no logarithm.
        target = np.log(np.maximum(errors, 1e-6 * np.exp(log_width))) - log_width
        repeats = LAST_WINDOW_WEIGHT if case.is_last else 1
        regressors += [columns[:, :count]] * repeats
        targets += [target] * repeats
    design, response = np.concatenate(regressors), np.concatenate(targets)
    if len(response) > MAX_ROWS:
        chosen = np.random.default_rng(SEED).choice(len(response), MAX_ROWS, replace=False)
        design, response = design[chosen], response[chosen]
    model = QuantReg(response, design)
    return np.stack([model.fit(q=level, max_iter=ITERATIONS).params for level in CONFIDENCE_LEVELS])


def check(cases: Sequence[Case], recipe: LowFrequencyRecipe, factors: FloatArray) -> str:
    """Return the coverage at 50, 80 and 95 % and MSIS at 95 % of the last windows, as one line."""
    recipe = replace(recipe, widths=replace(recipe.widths, factors=factors))
    covered: list[list[float]] = []
    scores = []
    for case in cases:
        if not case.is_last:
            continue
        row = []
        interval = interval_of(case.forecast, case.history, recipe)
        floor = floor_of(case.history.values)
        for level in SHOWN_CONFIDENCES:
            lower, upper = interval(level)
            row.append(coverage(np.maximum(lower, floor), upper, case.actual))
        covered.append(row)
        scale = naive_scale(case.history.values, case.history.period)
        lower, upper = interval(SHOWN_CONFIDENCES[-1])
        lower = np.maximum(lower, floor)
        scores.append(msis(lower, upper, case.actual, scale, SHOWN_CONFIDENCES[-1]))
    shares = " / ".join(f"{share:5.1f}" for share in np.mean(covered, axis=0))
    return f"n {len(scores):5d}   coverage {shares}   MSIS95 {np.mean(scores):6.2f}"


def print_checks(
    frequency: Frequency, cases: Sequence[Case], recipe: LowFrequencyRecipe, factors: FloatArray
) -> None:
    """Print the coverage of the factors out of sample and in sample."""
    for learned in SOURCES:
        past = [case for case in cases if case.source == learned]
        others = [case for case in cases if case.source != learned]
        tested = next(source for source in SOURCES if source != learned)
        print(f"{frequency:10} learned on {learned}, tested on {tested}: ", end="")
        print(check(others, recipe, learn(past)), flush=True)
    for source in SOURCES:
        own = check([case for case in cases if case.source == source], recipe, factors)
        print(f"{frequency:10} learned on both, on {source}:        {own}")
    pooled = check(cases, recipe, factors)
    print(f"{frequency:10} learned on both, pooled:       {pooled}", flush=True)


def run() -> dict[str, dict[str, list[list[float]]]]:
    """Learn and print the checks."""
    tables: dict[str, dict[str, list[list[float]]]] = {}
    for name, model_id in LEARNED_WITH.items():
        print(name, flush=True)
        tables[name] = {}
        for frequency in FREQUENCIES:
            cases = collect(frequency, model_id)
            factors = learn(cases).round(3)
            print_checks(frequency, cases, MODELS[model_id].low_frequency[frequency], factors)
            tables[name][frequency.value] = factors.tolist()
    return tables
