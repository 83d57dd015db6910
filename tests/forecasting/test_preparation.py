"""A history is scaled and cleaned before a fit, and its forecast is checked and converted back."""

import numpy as np
import pytest

from app.forecasting.preparation import (
    drop_idle_start,
    has_finite_bounds,
    merge_noisy_values,
    prepare_history,
    replace_outliers,
    restore_units,
    zero_rounding_noise,
)
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def history(values):
    return History(np.asarray(values, dtype=float), (), Frequency.YEARLY)


def fit(lower, median, upper):
    lower, median, upper = (
        np.atleast_1d(np.asarray(numbers, float)) for numbers in (lower, median, upper)
    )
    return ForecastDistribution(median, lambda confidence: (lower, upper))


def restore(fitted, prepared):
    return restore_units(fitted, prepared).at(0.9)


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e100])
def test_prepared_values_have_magnitude_1(size) -> None:
    prepared = prepare_history(history(np.array([1.0, -2.0, 0.5]) * size))
    np.testing.assert_allclose(prepared.history.values, [0.5, -1.0, 0.25])


def test_small_moves_on_a_high_level_are_kept() -> None:
    values = 1e15 + np.array([0.0, 1.0, 3.0, 2.0])
    prepared = prepare_history(history(values))
    assert np.ptp(prepared.history.values) == pytest.approx(1.5)
    back = restore(fit(-0.5, 0.0, 0.5), prepared)
    assert back.median[0] == values[-1]


def test_the_forecast_comes_back_in_the_series_units() -> None:
    prepared = prepare_history(history([100.0, 50.0, 200.0]))
    back = restore(fit(0.4, 0.5, 0.6), prepared)
    np.testing.assert_allclose([back.lower, back.median, back.upper], [[80], [100], [120]])


def test_bounds_out_of_order_are_put_in_order() -> None:
    back = restore(fit(0.6, 0.5, 0.4), prepare_history(history([1.0, 0.5])))
    assert back.lower[0] <= back.median[0] <= back.upper[0]


def test_a_series_that_was_never_negative_is_not_forecast_below_0() -> None:
    back = restore(fit(-0.9, -0.4, 0.2), prepare_history(history([0.0, 1.0])))
    assert back.lower[0] == back.median[0] == 0.0
    negative = restore(fit(-0.9, -0.4, 0.2), prepare_history(history([-0.1, 1.0])))
    assert negative.lower[0] < 0


def test_a_forecast_far_outside_the_history_is_cut() -> None:
    back = restore(fit(1e9, 1e10, 1e200), prepare_history(history(np.arange(10.0))))
    assert back.median[0] < 30.0
    assert np.isfinite(back.upper[0])


def test_a_trend_may_continue_for_ten_times_the_history() -> None:
    values = np.arange(10.0)
    steps = np.arange(1.0, 101.0)
    line = (9.0 + steps) / 9.0
    back = restore(fit(line - 1, line, line + 1), prepare_history(history(values)))
    np.testing.assert_allclose(back.median, 9.0 + steps)


@pytest.mark.parametrize("bad", [np.array([1.0, np.nan]), np.array([1.0]), np.array([1.0, np.inf])])
def test_forecasts_of_wrong_shape_or_not_finite_are_rejected(bad) -> None:
    good = np.ones(2)
    assert has_finite_bounds(fit(good, good, good), 2)
    assert not has_finite_bounds(fit(good, bad, good), 2)
    assert not has_finite_bounds(fit(good, good, bad), 2)


def test_a_typing_error_is_set_aside() -> None:
    values = 10.0 + np.random.default_rng(1).normal(size=60)
    spoiled = values.copy()
    spoiled[20] = 1e6
    cleaned, count = replace_outliers(spoiled)
    assert count == 1
    assert cleaned[20] == pytest.approx((values[19] + values[21]) / 2)
    np.testing.assert_array_equal(np.delete(cleaned, 20), np.delete(values, 20))


@pytest.mark.parametrize(
    "values",
    [
        np.append(np.zeros(40), [0.0, 0.0, 5.0, 0.0, 0.0]),
        np.append(10.0 + np.sin(np.arange(40.0)), [500.0, 510.0, 505.0]),
        2.0 ** np.arange(40),
        np.tile([1.0] * 11 + [50.0], 4) + np.random.default_rng(2).normal(size=48),
        np.random.default_rng(3).standard_cauchy(200).clip(-80, 80),
        np.array([5.0]),
        np.append(np.full(30, 5.0), [0.0, 5.0, 5.0, 5.0, 5.0]),
        np.append(np.full(30, 5.0), [5.0, 500.0]),
        np.append(np.full(12, 5.0), [500.0, 5.0, 5.0, 5.0, 5.0]),
    ],
    ids=[
        "spike on zeros",
        "new level",
        "growth",
        "yearly spike",
        "heavy tails",
        "one point",
        "outage of a constant",
        "new level of a constant",
        "few points",
    ],
)
def test_values_that_may_be_real_are_kept(values) -> None:
    cleaned, count = replace_outliers(values)
    assert count == 0
    assert cleaned is values


def test_the_interval_keeps_its_width_around_a_cut_median() -> None:
    back = restore(fit(19.0, 20.0, 21.0), prepare_history(history(np.arange(11.0))))
    # The range is 10 units of 10; one range and three elevenths of one may be added.
    assert back.median[0] == pytest.approx(10.0 + 10.0 * (1 + 3 / 11))
    assert back.median[0] - back.lower[0] == pytest.approx(10.0)
    # What the model said lies beyond ten times the margin, where bounds end.
    assert back.upper[0] == pytest.approx(10.0 + 100.0 * (1 + 3 / 11))


def test_a_start_of_zeros_that_never_came_back_is_dropped() -> None:
    values = np.append(np.zeros(12), np.arange(1.0, 25.0))
    rest, dropped = drop_idle_start(values, period=12)
    np.testing.assert_array_equal(rest, np.arange(1.0, 25.0))
    assert dropped == 12


@pytest.mark.parametrize(
    "values",
    [
        np.append(np.zeros(9), np.arange(1.0, 31.0)),
        np.append(np.zeros(12), np.arange(1.0, 24.0)),
        np.append(np.zeros(12), np.resize([1.0, 0.0], 40)),
        np.append(np.zeros(12), np.repeat([2.0, 3.0], 20)),
        np.append(np.ones(12), np.arange(2.0, 32.0)),
    ],
    ids=["a short start", "little left", "counts", "a level", "a price"],
)
def test_a_start_that_may_be_part_of_the_series_stays(values) -> None:
    rest, dropped = drop_idle_start(values, period=12)
    np.testing.assert_array_equal(rest, values)
    assert dropped == 0


def test_rounding_noise_of_zeros_and_of_other_values_is_removed() -> None:
    cleaned = zero_rounding_noise(np.array([1e-9, -0.001, 2.0 + 1e-9, 3.0]))
    assert cleaned.tolist() == [0.0, 0.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "values",
    [[-0.1, 2.0, 3.0], [0.0, 0.1, 3.0], 1.5 ** np.arange(80.0), [0.0, 2.0 + 1e-9, 2.0]],
    ids=["signed", "small", "growth", "exact zeros"],
)
def test_values_beyond_noise_are_kept(values) -> None:
    assert zero_rounding_noise(np.array(values)).tolist() == list(values)


@pytest.mark.parametrize("unit", [1e-300, 1e100, 1e300])
def test_rounding_noise_of_zeros_is_removed_in_any_unit(unit) -> None:
    cleaned = zero_rounding_noise(np.array([-1e-4, 2.0, 3.0]) * unit)
    np.testing.assert_allclose(cleaned, np.array([0.0, 2.0, 3.0]) * unit, rtol=1e-6)


@pytest.mark.parametrize("index", [5, 29])
def test_values_beside_a_typing_error_are_not_taken_for_noise(index) -> None:
    values = np.linspace(9.0, 11.0, 30)
    values[index] = 1e12
    np.testing.assert_array_equal(zero_rounding_noise(values), values)


def test_values_that_differ_by_noise_only_are_equal_again() -> None:
    noisy = np.array([100.0, 99.5 + 1e-9, 100 - 2e-9, 99.5, 98.0, 100 + 1e-9])
    assert merge_noisy_values(noisy).tolist() == [100.0, 99.5, 100.0, 99.5, 98.0, 100.0]


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 2.0, 3.0, 2.0, 1e9, 1.0],
        2.0 ** np.arange(80.0),
        1e9 + np.array([0.0, 0.25, 0.5, 0.25]),
        1.0 + 1e-7 * np.arange(9.0),
        np.append(np.linspace(1.0, 1.0 + 1e-5, 30), 9.0),
        [-5.0, -5.0, 3.0, 3.0],
        [1.0, 2.0, 3.0, 5.0, 2.0 + 1e-9],
    ],
    ids=["a burst", "growth", "high", "small moves", "a slow line", "equal", "two by chance"],
)
def test_values_that_are_close_but_differ_are_kept(values) -> None:
    np.testing.assert_array_equal(merge_noisy_values(np.asarray(values)), values)


def test_noise_is_removed_at_any_size_of_values() -> None:
    values = np.array([2.0, 2.0 - 1e-9, 2.0 + 1e-9, 3.0, 1.0])
    for unit in (1e-300, 1e100, 1e300):
        cleaned = merge_noisy_values(values * unit)
        assert cleaned[0] == cleaned[1] == cleaned[2]
        np.testing.assert_allclose(cleaned, values * unit, rtol=1e-6)
