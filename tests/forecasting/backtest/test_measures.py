"""The measures equal an independent library's, and are finite for any series."""

import math
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from utilsforecast import losses

from app.forecasting.backtest.measures import WindowOutcome, naive_scale, score
from app.forecasting.types import Prediction
from app.timeseries.types import FloatArray

CONFIDENCE, LEVEL, PERIOD, WINDOWS, HORIZON = 0.8, 80, 7, 3, 5
SIZED = st.floats(-1e100, 1e100)


def outcome(
    actual: FloatArray, median: FloatArray, half: FloatArray, scale: float
) -> WindowOutcome:
    return WindowOutcome(Prediction(median - half, median, median + half), actual, scale)


def weekly_values(points: int) -> FloatArray:
    rng = np.random.default_rng(3)
    return 50 + 10 * np.sin(np.arange(points) * math.tau / 7) + rng.normal(size=points)


def test_each_measure_is_that_of_utilsforecast() -> None:
    """Windows are its cutoffs; MSIS is its interval score over its scale of MASE."""
    values, rng = weekly_values(80), np.random.default_rng(5)
    rows, outcomes = [], []
    for window in range(WINDOWS):
        cutoff = len(values) - HORIZON * (WINDOWS - window)
        actual = values[cutoff : cutoff + HORIZON]
        median, half = actual + rng.normal(size=HORIZON), rng.uniform(0.1, 2, size=HORIZON)
        outcomes.append(outcome(actual, median, half, naive_scale(values[:cutoff], PERIOD)))
        for step in range(HORIZON):
            row = {"unique_id": "a", "cutoff": cutoff - 1, "ds": cutoff + step, "y": actual[step]}
            low, high = median[step] - half[step], median[step] + half[step]
            rows.append(row | {"m": median[step], "m-lo-80": low, "m-hi-80": high})
    table, pooled = pd.DataFrame(rows), pd.DataFrame(rows).drop(columns="cutoff")
    history = pd.DataFrame({"unique_id": "a", "ds": np.arange(len(values)), "y": values})
    mase = losses.mase(table, ["m"], PERIOD, history)["m"].to_numpy()
    interval = losses.winkler_score(table, ["m"], level=LEVEL)["m"].to_numpy()
    scales = losses.mae(table, ["m"])["m"].to_numpy() / mase
    width = (pooled["m-hi-80"] - pooled["m-lo-80"]).mean()
    expected = {
        "mae": losses.mae(pooled, ["m"])["m"][0],
        "rmse": losses.rmse(pooled, ["m"])["m"][0],
        "smape": 200 * losses.smape(pooled, ["m"])["m"][0],
        "mase": mase.mean(),
        "coverage": losses.coverage(pooled, ["m"], level=LEVEL)["m"][0],
        "mean_width": width,
        "msis": (interval / scales).mean(),
    }
    fields = asdict(score(outcomes, CONFIDENCE))
    assert 0 < fields["coverage"] < 1  # misses count in MSIS
    assert fields == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.tuples(SIZED, SIZED, st.floats(0, 1e100)), min_size=1, max_size=4))
def test_every_finite_forecast_gets_finite_scores(points: list[tuple[float, float, float]]) -> None:
    actual, median, half = (np.array(column) for column in zip(*points, strict=True))
    for scale in (0.0, 5e-324, 1.0, 1e100):
        scores = score([outcome(actual, median, half, scale)], CONFIDENCE)
        scaled = (scores.mase, scores.msis)
        plain = (scores.mae, scores.rmse, scores.smape, scores.coverage, scores.mean_width)
        assert all(math.isfinite(number) for number in plain)
        assert all(number is None or math.isfinite(number) for number in scaled)
        assert scale or scaled == (None, None)
        assert scores.mae <= scores.rmse * (1 + 1e-12)
        assert 0 <= scores.smape <= 200
        assert 0 <= scores.coverage <= 1


def test_a_window_without_a_scale_leaves_no_scaled_measure() -> None:
    ones = np.ones(2)
    outcomes = [outcome(ones, ones + 1, ones, scale) for scale in (1.0, 0.0)]
    scores = score(outcomes, CONFIDENCE)
    assert (scores.mae, scores.mase, scores.msis) == (1, None, None)


def test_zero_forecast_as_zero_is_not_a_percentage_error() -> None:
    zero = np.zeros(4)
    assert score([outcome(zero, zero, zero, 1.0)], CONFIDENCE).smape == 0


def test_a_point_on_a_bound_is_covered() -> None:
    actual = np.array([1.0, 3.0, 3.5])
    scores = score([outcome(actual, np.full(3, 2.0), np.ones(3), 1.0)], CONFIDENCE)
    assert scores.coverage == pytest.approx(2 / 3)


def test_the_scale_is_the_error_of_the_seasonal_naive_in_the_history() -> None:
    assert naive_scale(np.array([1.0, 5.0, 2.0, 8.0]), 2) == 2
    assert naive_scale(np.array([1.0, 5.0, 2.0, 8.0]), 3) == 7
