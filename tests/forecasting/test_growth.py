import numpy as np

from app.forecasting.growth import limit_growth


def test_forecast_within_the_shown_growth_is_left_alone():
    values = 100.0 + np.arange(20.0)
    median = values[-1] + np.arange(1.0, 7.0)
    np.testing.assert_allclose(limit_growth(median, values), median)


def test_growth_beyond_the_slopes_is_clipped():
    values = 1_000.0 + np.arange(20.0)
    limited = limit_growth(values[-1] + 10.0 * np.arange(1.0, 4.0), values)
    np.testing.assert_allclose(limited, values[-1] + 1.5 * np.arange(1.0, 4.0))


def test_turn_against_the_trend_is_not_believed():
    values = 100.0 + np.arange(20.0)
    np.testing.assert_allclose(limit_growth(np.array([90.0, 80.0]), values), values[-1])


def test_only_half_of_a_growth_beyond_a_tenth_a_year_is_kept():
    values = np.arange(1.0, 11.0)
    # Slope 1 on a last value of 10 is just a tenth; 1.5 a year is clipped, then halved beyond 1.
    np.testing.assert_allclose(limit_growth(np.array([12.0, 15.0]), values), [11.25, 12.5])
