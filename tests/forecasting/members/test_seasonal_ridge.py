"""Ridge regression on calendar terms, and the autoregression of its residuals."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.members.seasonal_ridge import (
    RidgeDesign,
    calendar_terms,
    fit_at_cuts,
    integrate,
    penalty_of,
    roll_forward,
    seasonal_ridge,
)
from app.forecasting.model_ids import DEFAULT_MODEL
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from tests.forecasting.tasks import disturb_after, make_task


def autoregression(n, rng, coefficient=0.8):
    values = np.zeros(n)
    for step in range(1, n):
        values[step] = coefficient * values[step - 1] + rng.standard_normal()
    return values


def test_coefficients_are_those_of_penalized_least_squares() -> None:
    rng = np.random.default_rng(0)
    values = autoregression(200, rng)
    design = RidgeDesign((1, 3), dummy_period=4, fourier=((10.0, 1),))
    fitted = fit_at_cuts(values[None], design, (5.0,), (120, 200))
    for row, cut in enumerate((120, 200)):
        index = np.arange(3, cut)
        regressors = np.hstack(
            [values[index - 1, None], values[index - 3, None], calendar_terms(design, 3, cut)]
        )
        # Ridge is least squares with one more observation of 0 a coefficient.
        pull = np.diag(np.sqrt(penalty_of(design) * 0.05 * len(index)))
        expected, *_ = np.linalg.lstsq(
            np.vstack([regressors, pull]),
            np.concatenate([values[index], np.zeros(len(pull))]),
            rcond=None,
        )
        np.testing.assert_allclose(fitted[row, 0, 0], expected, atol=1e-6)


def test_old_points_weigh_less_with_a_half_life() -> None:
    rng = np.random.default_rng(4)
    early, late = autoregression(300, rng, -0.7), autoregression(300, rng, 0.9)
    values = np.concatenate([early, late])
    plain = fit_at_cuts(values[None], RidgeDesign((1,)), (0.01,), (600,))[0, 0, 0, 0]
    forgetting = fit_at_cuts(values[None], RidgeDesign((1,), half_life=50), (0.01,), (400, 600))
    assert forgetting[1, 0, 0, 0] == pytest.approx(0.9, abs=0.1)
    assert plain < forgetting[1, 0, 0, 0]


def test_series_cuts_and_penalties_solved_together_equal_those_solved_one_by_one() -> None:
    rng = np.random.default_rng(5)
    values = np.stack([autoregression(150, rng), autoregression(150, rng)])
    design = RidgeDesign((1, 2, 7), dummy_period=7, half_life=40)
    together = fit_at_cuts(values, design, (0.1, 3.0), (90, 150))
    for row, series in enumerate(values):
        for column, penalty in enumerate((0.1, 3.0)):
            for index, cuts in enumerate(((90,), (90, 150))):
                single = fit_at_cuts(series[None], design, (penalty,), cuts)[-1, 0, 0]
                np.testing.assert_allclose(together[index, row, column], single, rtol=1e-9)


@pytest.mark.parametrize("stop", [100, 300, 5_000])
def test_calendar_terms_do_not_depend_on_the_cache(stop) -> None:
    design = RidgeDesign((1,), dummy_period=7, fourier=((365.25, 2),))
    terms = calendar_terms(design, stop - 3, stop)
    index = np.arange(stop - 3, stop)
    np.testing.assert_array_equal(terms[:, 0], 1.0)
    np.testing.assert_array_equal(terms[:, 1:8], np.eye(7)[index % 7])
    angle = 2 * np.pi * index / 365.25
    expected = [np.sin(angle), np.sin(2 * angle), np.cos(angle), np.cos(2 * angle)]
    np.testing.assert_allclose(terms[:, 8:], np.stack(expected, axis=1), atol=1e-12)


def test_an_autoregression_of_order_one_decays_as_its_powers() -> None:
    path = roll_forward(np.array([[2.0]]), (1,), np.array([[0.5]]), np.zeros((1, 4)))
    np.testing.assert_allclose(path, [[1.0, 0.5, 0.25, 0.125]])


def test_an_unstable_arma_fit_stays_bounded() -> None:
    path = roll_forward(np.array([[2.0]]), (1,), np.array([[3.0]]), np.zeros((1, 100)))
    assert path.max() <= 8.0


@pytest.mark.parametrize("lag", [1, 3])
def test_integration_undoes_differencing(lag) -> None:
    values = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3])
    changes = values[lag:] - values[:-lag]
    back = integrate(changes[None, 5 - lag :], values[5 - lag : 5])
    np.testing.assert_allclose(back[0], values[5:])


def test_a_season_of_indicators_is_learned() -> None:
    rng = np.random.default_rng(3)
    pattern = np.array([0.0, 10, 3, -5])
    values = np.tile(pattern, 60) + 0.1 * rng.standard_normal(240)
    task = make_task(values, 8, (200, 210), raw=True)
    (forecast,) = seasonal_ridge(task, RidgeDesign((1, 2, 4), dummy_period=4), (0.1,))
    np.testing.assert_allclose(forecast.forecast, np.tile(pattern, 2), atol=0.5)
    np.testing.assert_allclose(forecast.backtest[0], np.tile(pattern, 2), atol=0.5)


def test_changes_without_drift_are_continued_flat() -> None:
    rng = np.random.default_rng(6)
    values = 100 + np.cumsum(rng.standard_normal(300))
    task = make_task(values, 20, (250,), raw=True)
    (forecast,) = seasonal_ridge(task, RidgeDesign((1, 2), difference=1), (1.0,))
    np.testing.assert_allclose(forecast.forecast, values[-1], atol=3.0)


@pytest.mark.parametrize("difference", [0, 1, 4])
def test_a_past_forecast_knows_nothing_of_its_future(difference) -> None:
    rng = np.random.default_rng(7)
    values = 50 + np.tile([0.0, 5, 1, 9], 40) + rng.standard_normal(160)
    design = RidgeDesign((1, 2, 4), dummy_period=4, difference=difference)
    first, second = (
        seasonal_ridge(make_task(series, 6, (110,), raw=True), design, (0.3,))[0].backtest
        for series in (values, disturb_after(values, 110, rng))
    )
    # The range that forecasts are kept in may move; within it nothing does.
    np.testing.assert_allclose(first, second, rtol=1e-9)


def test_one_forecast_comes_back_for_each_transformation_and_penalty() -> None:
    values = 10 + np.sin(np.arange(80.0))
    forecasts = seasonal_ridge(make_task(values, 3, (60,)), RidgeDesign((1, 2)), (0.1, 1.0))
    assert len(forecasts) == 4


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.1])
@pytest.mark.parametrize(("points", "periods"), [(863, (288, 2016)), (200, (24, 168))])
def test_a_hiccup_at_the_end_does_not_bend_a_steady_line(points, periods, noise) -> None:
    steps = np.arange(points + 50)
    line = 300_000 - 69.4 * steps
    values = line[:points] + noise * np.random.default_rng(0).standard_normal(points)
    values[-2:] += -7.4, 7.9
    history = History(values, periods, Frequency.MINUTES, None)
    median = predict(history, 50, 0.95, DEFAULT_MODEL).median
    fall = 50 * 69.4
    assert np.abs(median - line[points:]).max() < 0.1 * fall
