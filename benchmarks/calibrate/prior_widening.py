"""How much wider the intervals of short histories must be than the mixture of models and prior.

Development series are cut to their last few points, and models 1 and 2 forecast what came next.
Learned is the factor of the prior's interval that gives nominal coverage of the mixture at 95 %, by
frequency; one that narrows is applied in part, because every frequency has one or two sets. It
prints the coverage before and after of each set.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.models.recipes import MODELS
from app.forecasting.preparation import prepare_history
from app.forecasting.short_history.blend import blend_distributions, forecast_prior, needs_prior
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.calibrate.structure_prior import LEARNED
from benchmarks.parallel import run_in_processes
from benchmarks.series import load_series

LENGTHS = (10, 12, 15, 20, 30)
HORIZONS = {Frequency.MONTHLY: 12, Frequency.WEEKLY: 13, Frequency.DAILY: 14, Frequency.HOURS: 24}
# Where there are many series, every n-th is enough.
SERIES_STRIDE = {Frequency.MONTHLY: 4, Frequency.HOURS: 2}
CONFIDENCE = 0.95
LEARNED_WITH = ("forecast-model-1", "forecast-model-2")
# How much of a narrowing is applied, as a power.
NARROWING = 0.6
MIN_FRACTION = 0.05  # forecasts in which the prior has a smaller weight say nothing about it


@dataclass(frozen=True)
class Window:
    """The last known points of a series of one set, and what came next, shape (h,)."""

    source: str
    past: History
    future: FloatArray


@dataclass(frozen=True)
class Case:
    """One forecast: by what the prior's interval must be multiplied to reach the values, (h,)."""

    source: str
    frequency: Frequency
    needed: FloatArray


def choose_windows() -> Iterator[Window]:
    """Yield the development series, cut to each length."""
    for frequency in LEARNED:
        chosen = [series for series in load_series() if series.history.frequency is frequency]
        for series in chosen[:: SERIES_STRIDE.get(frequency, 1)]:
            for points in LENGTHS:
                past = replace(series.history, values=series.history.values[-points:])
                if len(past.values) == points and np.ptp(past.values) > 0:
                    yield Window(series.source, past, series.actual[: HORIZONS[frequency]])


def judge(window: Window) -> list[Case]:
    """Forecast one window by each model."""
    prepared = prepare_history(window.past)
    history = prepared.history
    if not needs_prior(history):
        return []
    actual = (window.future - prepared.location) / prepared.scale
    cases = []
    for model_id in LEARNED_WITH:
        fitted = MODELS[model_id].fit_members(history, len(actual))
        prior = forecast_prior(history, len(actual), fitted.step_error)
        if prior.weight < MIN_FRACTION:
            continue
        narrow, wide = (
            blend_distributions(history.values, fitted, prior, factor).at(CONFIDENCE)
            for factor in (0.0, 1.0)
        )
        below = actual < wide.median
        start = np.where(below, narrow.lower, narrow.upper)
        reached = np.where(below, wide.lower, wide.upper)
        side = np.where(below, start - reached, reached - start)
        missing = np.where(below, start - actual, actual - start)
        cases.append(Case(window.source, history.frequency, missing / np.maximum(side, 1e-12)))
    return cases


def learn(cases: Sequence[Case]) -> float:
    """Return the factor of the prior's interval that gives nominal coverage."""
    result = float(np.quantile(np.concatenate([case.needed for case in cases]), CONFIDENCE))
    return result if result > 1.0 else result**NARROWING


def coverage(cases: Sequence[Case], factor: float) -> float:
    """Return the share of actual values inside, in percent."""
    return float(100 * np.mean([np.mean(case.needed <= factor) for case in cases]))


def run() -> dict[str, float]:
    """Learn and print the checks."""
    print("Coverage at 95 %, before -> after")
    cases = [case for process in run_in_processes(judge, choose_windows()) for case in process]
    numbers = {}
    for frequency in LEARNED:
        own = [case for case in cases if case.frequency is frequency]
        factor = round(learn(own), 3)
        for source in sorted({case.source for case in own}):
            part = [case for case in own if case.source == source]
            shares = f"{coverage(part, 1.0):.1f} -> {coverage(part, factor):.1f}"
            print(f"  {frequency}, {source}, {len(part)} forecasts: {shares}")
        numbers[frequency.value] = factor
    return numbers
