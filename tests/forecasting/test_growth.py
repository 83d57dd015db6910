"""Limits to the growth of a forecast, by the growth that the history shows."""

import numpy as np
import pytest

from app.forecasting.growth import damp_trend, find_steady_growth, limit_growth, trend_discount


def test_forecast_within_the_shown_growth_is_unchanged() -> None:
    values = 100.0 + np.arange(20.0)
    median = values[-1] + np.arange(1.0, 7.0)
    np.testing.assert_allclose(limit_growth(median, values, 0.0), median)


def test_growth_beyond_the_slopes_is_clipped() -> None:
    values = 1_000.0 + np.arange(20.0)
    limited = limit_growth(values[-1] + 10.0 * np.arange(1.0, 4.0), values, 0.0)
    np.testing.assert_allclose(limited, values[-1] + 1.5 * np.arange(1.0, 4.0))


def test_a_turn_against_the_trend_is_not_extrapolated() -> None:
    values = 100.0 + np.arange(20.0)
    np.testing.assert_allclose(limit_growth(np.array([90.0, 80.0]), values, 0.0), values[-1])


def test_only_half_of_a_growth_beyond_a_tenth_a_year_is_kept() -> None:
    values = np.arange(1.0, 11.0)
    # Slope 1 on a last value of 10 is just a tenth; 1.5 a year is clipped, then halved beyond 1.
    np.testing.assert_allclose(limit_growth(np.array([12.0, 15.0]), values, 0.0), [11.25, 12.5])


def test_a_discounted_trend_continues_less_steeply() -> None:
    values = 100.0 + np.arange(20.0)
    median = values[-1] + np.arange(1.0, 7.0)
    damped = limit_growth(median, values, discount=0.25)
    np.testing.assert_allclose(damped, values[-1] + 0.75 * np.arange(1.0, 7.0))


def test_a_history_that_alternates_continues_to() -> None:
    values = np.where(np.arange(20) % 2, 10.0, 20.0)
    median = np.array([20.0, 10.0, 19.0])
    np.testing.assert_array_equal(limit_growth(median, values, discount=0.3), median)


def test_a_forecast_that_hardly_alternates_is_limited_like_one_that_does_not() -> None:
    values = np.where(np.arange(20) % 2, 10.0, 20.0)
    flat = np.full(6, 15.0)
    turning = flat + 1e-9 * np.where(np.arange(6) % 2, -1.0, 1.0)
    np.testing.assert_allclose(
        limit_growth(turning, values, 0.0), limit_growth(flat, values, 0.0), rtol=1e-6
    )


def test_a_trend_is_discounted_after_a_long_history_with_large_errors() -> None:
    steps = np.where(np.arange(60) % 2, 2.0, -2.0)
    values = 100.0 + np.cumsum(steps)
    assert trend_discount(values, 2.0) == pytest.approx(0.3)
    assert 0.0 < trend_discount(values, 1.3) < 0.3
    assert trend_discount(values, 1.0) == 0.0
    assert trend_discount(values[-20:], 2.0) == 0.0
    assert trend_discount(np.full(60, 3.0), 0.0) == 0.0


def test_damping_keeps_the_season_and_a_share_of_the_trend() -> None:
    pattern = np.array([5.0, -2.0, -4.0, 1.0])
    time = np.arange(32)
    series = 10.0 + 2.0 * time + pattern[time % 4]
    damped = damp_trend(series[24:], series[:24], 4, trend_kept=0.75)
    # The mean of the cycle up to step h has moved by 2 h.
    np.testing.assert_allclose(damped, series[24:] - 0.25 * 2.0 * np.arange(1, 9))


def test_keeping_all_of_a_trend_changes_nothing() -> None:
    series = np.random.default_rng(1).normal(size=30)
    np.testing.assert_array_equal(
        damp_trend(series[24:], series[:24], 4, trend_kept=1.0), series[24:]
    )


def test_growth_by_a_steady_rate_is_steady_and_a_rate() -> None:
    noise = np.random.default_rng(0).normal(0, 0.02, 84)
    values = np.exp(0.02 * np.arange(84) + noise)
    assert find_steady_growth(values, 12) == (1.0, 1.0)


def test_growth_by_a_steady_amount_is_not_a_rate() -> None:
    values = 100 + np.arange(84) + np.random.default_rng(0).normal(0, 1, 84)
    assert find_steady_growth(values, 12) == (1.0, 0.0)
    assert find_steady_growth(values - 200, 12) == (1.0, 0.0)


def test_a_walk_and_a_short_history_show_no_steady_growth() -> None:
    rng = np.random.default_rng(0)
    assert find_steady_growth(100 + rng.normal(0, 1, 84).cumsum(), 12) == (0.0, 0.0)
    assert find_steady_growth(np.exp(0.02 * np.arange(35)), 12) == (0.0, 0.0)


def test_a_steady_decline_and_a_line_are_steady() -> None:
    assert find_steady_growth(np.arange(60.0), 12)[0] == 1.0
    assert find_steady_growth(np.exp(-0.02 * np.arange(84)), 12) == (1.0, 1.0)
