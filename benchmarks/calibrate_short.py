"""Learn how much wider intervals must be after a short quarterly or monthly history.

``python -m benchmarks.calibrate_short`` cuts the development series to a few points, forecasts what
came next and fits, by quantile regression, the exponents of
``app/forecasting/intervals/short_history.py`` over the factors that ``benchmarks.calibrate`` wrote.
It prints the coverage before and after on one source with exponents learned on the other, and the
exponents of both together. It takes about six minutes.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from statsmodels.regression.quantile_regression import QuantReg

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.intervals.factor_table import FACTORS_LIGHT, FACTORS_WITH_ARIMA
from app.forecasting.intervals.quantile_factors import LEVELS, half_widths
from app.forecasting.intervals.short_history import shortness
from app.forecasting.models.short import combine_short
from app.forecasting.preparation import prepare
from app.forecasting.types import FloatArray, History
from benchmarks.series import DevelopmentSeries, load_series, near_duplicates

FREQUENCIES = (Frequency.QUARTERLY, Frequency.MONTHLY)
SOURCES = ("M1", "M3")
LENGTHS = (10, 12, 14, 17, 20, 24)
SERIES_A_SOURCE = 150
SHOWN = (0.5, 0.8, 0.95)


@dataclass(frozen=True)
class Case:
    """One forecast from few points: its errors in units of the half-width, shape (levels, h)."""

    source: str
    points: int
    relative: FloatArray


def chosen_series(frequency: Frequency) -> Iterator[DevelopmentSeries]:
    """A seeded draw of each source's series, without near-duplicates of the other's."""
    duplicates = near_duplicates()
    rng = np.random.default_rng(0)
    for source in SOURCES:
        own = [each for each in load_series() if each.group == (source, frequency)]
        own = [each for each in own if (each.source, each.name) not in duplicates]
        for index in rng.permutation(len(own))[:SERIES_A_SOURCE]:
            yield own[index]


def short_windows(series: DevelopmentSeries) -> Iterator[tuple[History, FloatArray]]:
    """A few points and what came next, at the series' last origin and at one in its middle."""
    known = series.history.values
    whole, horizon = np.concatenate([known, series.actual]), len(series.actual)
    for points in LENGTHS:
        middle = max(points, (len(known) + points - horizon) // 2)
        for origin in {len(known), middle}:
            past = known[origin - points : origin] if points <= origin else known[:0]
            if len(past) == points and origin + horizon <= len(whole) and np.ptp(past) > 0:
                yield replace(series.history, values=past), whole[origin : origin + horizon]


def judge(source: str, history: History, actual: FloatArray, *, with_arima: bool) -> Case:
    """Forecast one window."""
    prepared = prepare(history)
    forecast = combine_short(prepared.history, len(actual), with_arima=with_arima)
    median = np.maximum(forecast.median, 0.0) if prepared.non_negative else forecast.median
    factors = (FACTORS_WITH_ARIMA if with_arima else FACTORS_LIGHT)[history.frequency]
    widths = np.stack([half_widths(forecast.features, factors, level) for level in LEVELS])
    error = np.abs((actual - prepared.location) / prepared.scale - median)
    return Case(source, len(history.values), np.maximum(error / widths, 1e-6))


def learn(cases: Sequence[Case]) -> tuple[float, ...]:
    """The exponent of each level; a width that is right at enough points is left alone there."""
    logs = np.concatenate([np.log(case.relative) for case in cases], axis=1)
    short = np.concatenate(
        [np.full(case.relative.shape[1], shortness(case.points)) for case in cases]
    )
    fits = [
        QuantReg(row, short[:, None]).fit(q=level) for row, level in zip(logs, LEVELS, strict=True)
    ]
    return tuple(max(0.0, float(fit.params[0])) for fit in fits)


def coverages(cases: Sequence[Case], exponents: Sequence[float]) -> str:
    """Coverage in percent at the shown levels."""
    inside = []
    for case in cases:
        reach = np.exp(shortness(case.points) * np.array(exponents))
        inside.append((case.relative <= reach[:, None]).mean(axis=1))
    mean = 100 * np.mean(inside, axis=0)
    return " / ".join(f"{mean[LEVELS.index(level)]:.1f}" for level in SHOWN)


def print_checks(cases: Sequence[Case]) -> None:
    """Coverage on each source, by length, before and after the other source's exponents."""
    for tested in SOURCES:
        learned = learn([case for case in cases if case.source != tested])
        for points in LENGTHS:
            own = [case for case in cases if (case.source, case.points) == (tested, points)]
            before, after = coverages(own, [0.0] * len(LEVELS)), coverages(own, learned)
            print(f"  on {tested}, {points} points, {len(own):4d} windows: {before} -> {after}")
    print("  exponents:", ", ".join(f"{exponent:.2f}" for exponent in learn(cases)), flush=True)


def main() -> None:
    """Learn, print the checks and the exponents."""
    warnings.simplefilter("ignore")
    print("Coverage at 50 / 80 / 95 %, exponents learned on the other source")
    for with_arima in (True, False):
        for frequency in FREQUENCIES:
            print(f"{frequency}, {'with' if with_arima else 'without'} ARIMA", flush=True)
            print_checks(
                [
                    judge(series.source, history, actual, with_arima=with_arima)
                    for series in chosen_series(frequency)
                    for history, actual in short_windows(series)
                ]
            )


if __name__ == "__main__":
    main()
