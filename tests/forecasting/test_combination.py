import numpy as np
import pytest

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.combination import middle, on_logs, run_members, spread, trimmed_mean
from app.forecasting.types import History, MemberForecast


def make_history(values):
    return History(np.asarray(values, dtype=float), (), Frequency.YEARLY)


def fixed(median, width=None):
    return lambda history, horizon: MemberForecast(
        np.full(horizon, median), None if width is None else np.full(horizon, width)
    )


def test_trimmed_mean_leaves_out_the_extremes_of_each_step():
    forecasts = np.array([[1.0, 9.0], [2.0, 2.0], [4.0, 4.0], [100.0, -50.0]])
    np.testing.assert_allclose(trimmed_mean(forecasts), [3.0, 3.0])


def test_of_two_members_none_is_left_out():
    np.testing.assert_allclose(trimmed_mean(np.array([[1.0], [3.0]])), [2.0])
    np.testing.assert_allclose(spread(np.array([[1.0], [3.0]])), [1.0])


def test_a_member_that_raises_or_is_not_finite_is_named_and_left_out():
    def broken(history, horizon):
        raise RuntimeError("no convergence")

    members = {"broken": broken, "not finite": fixed(np.inf), "sound": fixed(1.0)}
    sound, failed = run_members(members, make_history([1, 2, 3]), 2)
    assert list(sound) == ["sound"]
    assert failed == ("broken", "not finite")


def test_a_width_that_is_not_finite_goes_and_the_median_stays():
    sound, failed = run_members({"member": fixed(1.0, np.nan)}, make_history([1, 2]), 2)
    assert failed == ()
    assert sound["member"].width is None


def test_on_logs_runs_the_member_on_logarithms_and_scales_its_width():
    def last_value(history, horizon):
        return MemberForecast(
            np.full(horizon, history.values[-1]),
            np.full(horizon, 0.1),
        )

    forecast = on_logs(last_value)(make_history([2.0, 5.0]), 3)
    np.testing.assert_allclose(forecast.median, 5.0)
    np.testing.assert_allclose(forecast.width, 0.5)


def test_logarithms_refuse_a_history_with_zeros():
    with pytest.raises(ValueError, match="positive"):
        on_logs(fixed(1.0))(make_history([0.0, 1.0]), 1)


def test_logarithms_never_explode():
    forecast = on_logs(fixed(600.0))(make_history([1.0, 2.0]), 1)
    assert forecast.median[0] <= 2.0 * 1e3 * 1.000001


def test_middle_is_the_median_of_each_step():
    forecasts = np.array([[1.0, 9.0], [2.0, 2.0], [4.0, 4.0], [100.0, -50.0]])
    np.testing.assert_allclose(middle(forecasts), [3.0, 3.0])
