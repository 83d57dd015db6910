"""Every model beats the seasonal naive forecast on real series of every frequency.

A seeded twenty-fifth of the development series: enough that a model which breaks at a frequency is
seen here; ``make bench-accuracy`` has the figures of all of them.
"""

import functools

import numpy as np
import pytest

from app.forecasting.backtest.measures import naive_scale
from app.forecasting.fallback import fit_naive
from app.forecasting.forecast import predict
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from benchmarks.measures import coverage, mase
from benchmarks.series import DevelopmentSeries, sample

FRACTION = 0.04
CONFIDENCE = 0.9


@functools.cache
def sampled_series() -> list[DevelopmentSeries]:
    """Return the series, the same in every run."""
    return sample(FRACTION, seed=1)


def error(series: DevelopmentSeries, median: np.ndarray) -> float:
    """Return the mean absolute scaled error of a forecast."""
    scale = naive_scale(series.history.values, series.measure_period)
    return mase(median, series.actual, scale)


@functools.cache
def naive_errors() -> list[float]:
    """Return the errors of the seasonal naive forecast, of each series."""
    return [
        error(series, fit_naive(series.history, len(series.actual)).at(CONFIDENCE).median)
        for series in sampled_series()
    ]


@pytest.mark.parametrize("model_id", MODELS)
def test_a_model_beats_seasonal_naive_and_its_intervals_hold(model_id: str) -> None:
    errors: dict[Frequency, list[tuple[float, float]]] = {}
    held = []
    for series, naive_error in zip(sampled_series(), naive_errors(), strict=True):
        horizon, frequency = len(series.actual), series.history.frequency
        response = predict(series.history, horizon, CONFIDENCE, model_id)
        pair = (error(series, response.median), naive_error)
        errors.setdefault(frequency, []).append(pair)
        held.append(coverage(response.lower, response.upper, series.actual))
    ratios = {}
    for frequency, pairs in errors.items():
        of_model, of_naive = np.mean(pairs, axis=0)
        ratios[str(frequency)] = float(of_model / of_naive)
    assert np.mean(list(ratios.values())) < 0.9, ratios
    assert max(ratios.values()) < 1.0, ratios
    assert abs(np.mean(held) - 100 * CONFIDENCE) < 6
