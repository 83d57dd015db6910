"""Intervals are wider after few points or few seasons."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.intervals.learned import LEARNED
from app.forecasting.intervals.short_history import (
    MIN_LONG_POINTS,
    MIN_LONG_SEASONS,
    MIN_LONG_UNSEASONAL_POINTS,
    SeasonShortfall,
    log_shortfall,
    widening_factors,
)
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

EXPONENTS = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
SEASONS = pytest.mark.parametrize(
    "table",
    [LEARNED.weighed[Frequency.HOURS].exponents, LEARNED.robust[Frequency.WEEKLY].exponents],
    ids=["weighed", "robust"],
)


def test_half_the_points_that_are_enough_widen_by_two_to_the_exponent() -> None:
    wider = widening_factors(log_shortfall(MIN_LONG_POINTS // 2), EXPONENTS)
    np.testing.assert_allclose(wider, 2.0**EXPONENTS)


@pytest.mark.parametrize("points", [MIN_LONG_POINTS, MIN_LONG_POINTS + 1, 50_000])
def test_enough_points_leave_the_width_unchanged(points) -> None:
    np.testing.assert_array_equal(widening_factors(log_shortfall(points), EXPONENTS), 1.0)


@SEASONS
@pytest.mark.parametrize("season", [1, 7, 52])
def test_half_of_the_seasons_that_are_enough_widen_by_two_to_the_exponent(table, season) -> None:
    needed = MIN_LONG_SEASONS * season if season > 1 else MIN_LONG_UNSEASONAL_POINTS
    exponents = table.seasonal if season > 1 else table.plain
    wider = SeasonShortfall.of(needed // 2, season).widening_factors(table)
    np.testing.assert_allclose(wider, 2.0**exponents)
    assert np.all(wider > 1)


@SEASONS
@pytest.mark.parametrize(("points", "season"), [(48, 1), (56, 7), (50_000, 288)])
def test_enough_seasons_leave_the_width_unchanged(points, season, table) -> None:
    np.testing.assert_array_equal(SeasonShortfall.of(points, season).widening_factors(table), 1.0)


def test_a_dozen_months_of_a_random_walk_are_covered_about_as_often_as_promised() -> None:
    """Without the widening 95 % intervals cover three quarters of what comes."""
    covered = []
    for seed in range(60):
        walk = 100 + np.cumsum(np.random.default_rng(seed).standard_normal(24))
        history = History(walk[:12], (12,), Frequency.MONTHLY)
        response = predict(history, 12, 0.95, "forecast-model-2")
        covered.append(np.mean((walk[12:] >= response.lower) & (walk[12:] <= response.upper)))
    assert np.mean(covered) > 0.84


@pytest.mark.parametrize("model", ["2", "4"])
@pytest.mark.parametrize(
    ("frequency", "periods", "points", "horizon"),
    [(Frequency.DAILY, (7, 365), 14, 7), (Frequency.HOURS, (24, 168), 48, 24)],
    ids=["two weeks of days", "two days of hours"],
)
def test_intervals_hold_on_random_walks_of_two_seasons(model, frequency, periods, points, horizon):
    inside = []
    for seed in range(30):
        walk = 500 + np.cumsum(np.random.default_rng(seed).standard_normal(points + horizon))
        history = History(walk[:points], periods, frequency)
        response = predict(history, horizon, 0.95, f"forecast-model-{model}")
        came = walk[points:]
        inside.append(np.mean((response.lower <= came) & (came <= response.upper)))
    assert np.mean(inside) > 0.85
