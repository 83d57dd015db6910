"""Ridge regression on lags: its coefficients, its steps ahead and its error."""

import numpy as np

from app.forecasting.members import ridge
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def test_coefficients_are_those_of_ridge_regression() -> None:
    series = np.random.default_rng(1).normal(size=60)
    series = (series - series.mean()) / series.std()
    design = ridge._Design(np.array([1, 2]), 1, has_dummies=False)
    first_step = ridge.regress_and_roll(series[None], design, 1)[0][0, :, 0]
    regressors = np.column_stack([series[1:-1], series[:-2]])
    for forecast, penalty in zip(first_step, ridge._PENALTIES, strict=True):
        # Ridge as least squares on two more rows (Hoerl and Kennard 1970).
        extra = np.sqrt(penalty * len(regressors)) * np.eye(2)
        coefficients = np.linalg.lstsq(
            np.vstack([regressors, extra]), np.concatenate([series[2:], [0.0, 0.0]]), rcond=None
        )[0]
        np.testing.assert_allclose(forecast, coefficients @ [series[-1], series[-2]], rtol=1e-9)


def test_steps_ahead_feed_on_the_forecasts_before_them() -> None:
    series = np.random.default_rng(2).normal(size=80)
    design = ridge._Design(np.array([1]), 1, has_dummies=False)
    rolled, _ = ridge.regress_and_roll(series[None], design, 3)
    standardized = (rolled[0] - series.mean()) / series.std()
    last = (series[-1] - series.mean()) / series.std()
    coefficient = standardized[:, 0] / last
    np.testing.assert_allclose(standardized[:, 2], coefficient**3 * last, rtol=1e-9)


def test_seasonal_differences_add_up_from_the_last_cycle() -> None:
    pattern = np.array([1.0, 5.0, 3.0, 2.0])
    values = np.tile(pattern, 10) + np.repeat(np.arange(10.0), 4)
    design = ridge._Design(np.array([1]), 4, has_dummies=True)
    forecast = ridge.forecast_seasonal_differences(values[None], design, 8)[0][0, 0]
    np.testing.assert_allclose(forecast, np.concatenate([pattern + 10.0, pattern + 11.0]))


def test_the_forecast_knows_the_phase_of_the_season() -> None:
    pattern = np.array([10.0, 2.0, 4.0, 7.0])
    values = np.tile(pattern, 12)[1:] + 0.1 * np.random.default_rng(3).normal(size=47)
    forecast = ridge.ridge_autoregression(History(values, (4,), Frequency.QUARTERLY), 4).median
    assert list(np.argsort(forecast)) == [1, 2, 3, 0]


def test_the_forecast_stays_near_the_range_of_the_history() -> None:
    values = np.exp(0.5 * np.arange(30.0))
    forecast = ridge.ridge_autoregression(History(values, (), Frequency.YEARLY), 100).median
    assert forecast.max() <= 2 * values.max()
    assert forecast.min() >= 0.0


def test_short_histories_use_fewer_lags() -> None:
    assert list(ridge.usable_lags(10, 12)) == [1, 2, 3]
    assert list(ridge.usable_lags(120, 12)) == [1, 2, 3, 12, 13, 24]


def test_the_standard_error_is_the_error_inside_the_history() -> None:
    noise = np.random.default_rng(5).normal(size=500)
    width = ridge.ridge_autoregression(History(noise, (), Frequency.YEARLY), 3).standard_error
    # One form predicts the noise by its mean, the other its differences by the last three.
    assert 0.95 < width[0] < 1.25
