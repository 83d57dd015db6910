"""The exponents of ``intervals/short_history.py`` for quarterly and monthly series.

The development series are cut to a few points, and the next values compared with the intervals of
the learned factors; it prints the coverage before and after on one source, with exponents learned
on the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS
from app.forecasting.intervals.quantile_factors import half_widths
from app.forecasting.intervals.short_history import log_shortfall
from app.forecasting.models.low_frequency import LowFrequencyRecipe, combine_low_frequency
from app.forecasting.models.recipes import MODELS
from app.forecasting.preparation import prepare_history
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.calibrate import SEED, SHOWN_CONFIDENCES
from benchmarks.calibrate.exponents import coverage_text, fit_exponents
from benchmarks.calibrate.short_factors import LEARNED_WITH, SOURCES
from benchmarks.parallel import run_in_processes
from benchmarks.series import DevelopmentSeries, load_series, near_duplicates

FREQUENCIES = (Frequency.QUARTERLY, Frequency.MONTHLY)
LENGTHS = (10, 12, 14, 17, 20, 24)
SERIES_PER_SOURCE = 90


@dataclass(frozen=True)
class LengthCase:
    """One forecast from few points: its errors in units of the half-width, shape (levels, h)."""

    source: str
    points: int
    relative: FloatArray


def chosen_series(frequency: Frequency) -> Iterator[DevelopmentSeries]:
    """Yield a seeded draw of each source's series, without near-duplicates of the other's."""
    duplicates = near_duplicates()
    rng = np.random.default_rng(SEED)
    for source in SOURCES:
        own = [series for series in load_series() if series.group == (source, frequency)]
        own = [case for case in own if (case.source, case.name) not in duplicates]
        for index in rng.permutation(len(own))[:SERIES_PER_SOURCE]:
            yield own[index]


def short_windows(series: DevelopmentSeries) -> Iterator[tuple[History, FloatArray]]:
    """Yield a few points and the next values, at the last origin and at one in the middle."""
    known = series.history.values
    whole = np.concatenate([known, series.actual])
    horizon = len(series.actual)
    for points in LENGTHS:
        middle = max(points, (len(known) + points - horizon) // 2)
        for origin in {len(known), middle}:
            past = known[origin - points : origin] if points <= origin else known[:0]
            if len(past) == points and origin + horizon <= len(whole) and np.ptp(past) > 0:
                yield replace(series.history, values=past), whole[origin : origin + horizon]


def judge(model_id: str, series: DevelopmentSeries) -> list[LengthCase]:
    """Forecast every window of one series."""
    recipe = MODELS[model_id].low_frequency[series.history.frequency]
    return [
        _judge(series.source, history, actual, recipe) for history, actual in short_windows(series)
    ]


def _judge(
    source: str, history: History, actual: FloatArray, recipe: LowFrequencyRecipe
) -> LengthCase:
    prepared = prepare_history(history)
    forecast = combine_low_frequency(prepared.history, len(actual), recipe)
    median = np.maximum(forecast.median, prepared.floor)
    steps = len(actual)
    widths = half_widths(forecast.features, recipe.widths.factors)[:, :steps]
    error = np.abs((actual - prepared.location) / prepared.scale - median[:steps])
    return LengthCase(source, len(history.values), np.maximum(error / widths, 1e-6))


def learn(cases: Sequence[LengthCase]) -> tuple[float, ...]:
    """Return the exponent of each level; widths of long enough histories do not change."""
    logs = np.concatenate([np.log(case.relative) for case in cases], axis=1)
    short = np.concatenate(
        [np.full(case.relative.shape[1], log_shortfall(case.points)) for case in cases]
    )
    return tuple(fit_exponents(short, logs))


def coverages(cases: Sequence[LengthCase], exponents: Sequence[float]) -> str:
    """Return the coverage in percent at the shown levels."""
    errors = [(log_shortfall(case.points), case.relative) for case in cases]
    return coverage_text(errors, exponents, SHOWN_CONFIDENCES)


def print_checks(cases: Sequence[LengthCase]) -> None:
    """Print the coverage on each source, by length, before and after the other's exponents."""
    for tested in SOURCES:
        learned = learn([case for case in cases if case.source != tested])
        for points in LENGTHS:
            own = [case for case in cases if (case.source, case.points) == (tested, points)]
            before, after = coverages(own, [0.0] * len(CONFIDENCE_LEVELS)), coverages(own, learned)
            print(f"  on {tested}, {points} points, {len(own):4d} windows: {before} -> {after}")


def run() -> dict[str, dict[str, list[float]]]:
    """Learn and print the checks."""
    print("Coverage at 50 / 80 / 95 %, exponents learned on the other source")
    tables: dict[str, dict[str, list[float]]] = {}
    for name, model_id in LEARNED_WITH.items():
        tables[name] = {}
        for frequency in FREQUENCIES:
            print(f"{frequency}, {name}", flush=True)
            by_series = run_in_processes(partial(judge, model_id), chosen_series(frequency))
            cases = [case for cases in by_series for case in cases]
            print_checks(cases)
            tables[name][frequency.value] = np.round(learn(cases), 2).tolist()
    return tables
