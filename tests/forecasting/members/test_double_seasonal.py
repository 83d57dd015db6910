"""Exponential smoothing with two seasons (Taylor 2003)."""

import numpy as np
import pytest

from app.forecasting.members.double_seasonal import (
    GRID,
    NO_SEASON,
    double_seasonal,
    initial_states,
    run_grid,
)
from tests.forecasting.tasks import disturb_after, make_task


def reference_forecast(values, parameters, short, long, horizon):
    """Forecast by Taylor (2003), equations 1 to 5 in additive form, with one parameter set."""
    alpha, gamma, delta, phi = parameters
    level, first, second = initial_states(values[: 2 * long], short, long)
    first, second, error = list(first), list(second), 0.0
    if delta == NO_SEASON:
        second = [0.0] * long
    for t, value in enumerate(values):
        before = level + first[t % short] + second[t % long]
        innovation = value - before - phi * error
        error = value - before
        level += alpha * innovation
        first[t % short] += gamma * innovation
        second[t % long] += delta * innovation
    n = len(values)
    return [
        level + first[t % short] + second[t % long] + phi ** (t - n + 1) * error
        for t in range(n, n + horizon)
    ]


@pytest.mark.parametrize(
    ("points", "short", "long", "horizon", "cuts", "learned"),
    [(60, 4, 12, 7, (40, 55), 24), (230, 40, 80, 5, (181, 182), 160)],
    ids=["short seasons", "seasons longer than a block"],
)
def test_every_column_of_the_grid_is_taylors_recursion(points, short, long, horizon, cuts, learned):
    rng = np.random.default_rng(1)
    profile = np.resize(4 * rng.standard_normal(short), points)
    values = 10 + profile + rng.standard_normal(points)
    finals, pasts = run_grid(values[None], (short, long), horizon, cuts, learned)
    for column in range(0, len(GRID), 7):
        expected = reference_forecast(values, GRID[column], short, long, horizon)
        np.testing.assert_allclose(finals[0, column], expected, rtol=1e-10)
        for row, cut in enumerate(cuts):
            expected = reference_forecast(values[:cut], GRID[column], short, long, horizon)
            np.testing.assert_allclose(pasts[0, column, row], expected, rtol=1e-10)


def test_two_seasons_without_noise_are_continued() -> None:
    time = np.arange(24 * 14)
    values = 100 + np.tile(np.arange(24.0), 14) + np.where(time // 24 % 7 >= 5, -20.0, 0.0)
    task = make_task(values, 168, (168 + 24, 168 + 48), raw=True)
    (forecast,) = double_seasonal(task, 24, 168)
    np.testing.assert_allclose(forecast.forecast, values[:168], atol=0.5)


def test_a_past_forecast_knows_nothing_of_its_future() -> None:
    rng = np.random.default_rng(2)
    values = 50 + np.tile([0.0, 5, 1], 40) + rng.standard_normal(120)
    other = disturb_after(values, 90, rng)
    backtests = [run_grid(series[None], (3, 12), 6, (90,), 24)[1] for series in (values, other)]
    np.testing.assert_array_equal(*backtests)
