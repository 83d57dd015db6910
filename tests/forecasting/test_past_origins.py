import numpy as np
import pytest

from app.forecasting.past_origins import (
    choose_origins,
    combine,
    make_scales,
    mean_absolute_errors,
    targets_after,
    weigh_by_error,
)
from app.forecasting.types import MemberForecast


def test_targets_beyond_the_history_are_unknown():
    targets = targets_after(np.arange(6.0), (2, 5), 3)
    np.testing.assert_array_equal(targets, [[2, 3, 4], [5, np.nan, np.nan]])


def test_origins_of_a_long_history_see_their_whole_horizon():
    origins = choose_origins(700, 48, step=12, count=28, earliest=300)
    assert origins[-1] == 700 - 48
    assert set(np.diff(origins)) == {12}
    assert origins[0] >= 300


@pytest.mark.parametrize("length", range(10, 60, 7))
@pytest.mark.parametrize("horizon", [1, 12, 100])
def test_even_the_shortest_history_has_origins_with_something_after_them(length, horizon):
    origins = choose_origins(length, horizon, step=4, count=28, earliest=length // 2)
    assert origins
    assert length // 2 <= origins[0] <= origins[-1] < length
    assert list(origins) == sorted(set(origins))


def test_no_origin_where_members_could_learn_nothing():
    assert choose_origins(10, 5, step=1, count=5, earliest=30) == ()


@pytest.mark.parametrize(
    ("values", "name"),
    [([1.0, 2.0, 4.0], "log"), ([0.0, 2.0, 4.0], "root"), ([-1.0, 2.0, 4.0], None)],
)
def test_scales_follow_the_sign_of_the_series_and_come_back(values, name):
    scales = make_scales(np.array(values), 0)
    assert [scale.name for scale in scales] == ["raw"] + ([name] if name else [])
    for scale in scales:
        np.testing.assert_allclose(scale.invert(scale.values), values, rtol=1e-12)


def test_no_scale_lets_a_forecast_run_away_or_below_zero():
    for scale in make_scales(np.array([0.0, 10.0]), 0) + make_scales(np.array([5.0, 10.0]), 0):
        highest = 10.0
        forecast = scale.invert(np.array([[-1e6, -1e6], [1e6, 1e6]]))
        assert (forecast[0] >= 0).all()
        assert (highest < forecast[1]).all()
        assert (forecast[1] <= highest + (0.5 + 1.5 * np.array([0.5, 1.0])) * 10).all()


def test_a_line_may_go_on_for_as_long_as_it_has_been_seen():
    values = 100.0 + 2.0 * np.arange(24.0)
    known, later = values[:12], values[12:]
    for scale in make_scales(known, 0):
        ahead = later if scale.name == "raw" else np.log(later)
        np.testing.assert_allclose(scale.invert(ahead), later)


def test_steady_growth_may_go_on_and_growth_that_slows_down_may_not():
    steps = np.arange(60.0)
    growing, slowing = 1.1**steps, 1_000.0 * (1 - 0.9 ** (steps + 1))
    later = 1.1 ** np.arange(60.0, 90.0)
    np.testing.assert_allclose(make_scales(growing, 0)[0].invert(later), later)
    assert make_scales(slowing, 0)[0].invert(np.array([1e6] * 30)).max() < 3 * slowing.max()


def test_errors_leave_out_what_was_not_seen():
    targets = np.array([[1.0, np.nan], [3.0, 4.0]])
    errors = mean_absolute_errors(np.zeros((1, 2, 2)), targets)
    assert errors[0] == pytest.approx((1 + 3 + 4) / 3)


def test_weights_are_inverse_powers_of_the_errors():
    weights = weigh_by_error(np.array([1.0, 2.0]), 2.0)
    np.testing.assert_allclose(weights, [0.8, 0.2])


def test_a_member_without_error_takes_all_and_one_without_number_nothing():
    np.testing.assert_array_equal(weigh_by_error(np.array([0.0, 1.0, np.nan]), 3.0), [1, 0, 0])


def test_a_member_that_forecasts_nan_does_not_reach_the_mean():
    targets = np.array([[1.0]])
    sound = MemberForecast(np.array([5.0]), backtest=np.array([[2.0]]))
    broken = MemberForecast(np.array([np.nan]), backtest=np.array([[1.0]]))
    combined, weights = combine([sound, broken], targets, 2.0)
    assert combined.median[0] == 5.0
    np.testing.assert_array_equal(weights, [1.0, 0.0])


def test_the_mean_of_members_has_the_mean_of_their_backtests():
    targets = np.array([[0.0]])
    members = [
        MemberForecast(np.array([value]), backtest=np.array([[error]]))
        for value, error in ((10.0, 1.0), (20.0, 3.0))
    ]
    combined, weights = combine(members, targets, 1.0)
    np.testing.assert_allclose(weights, [0.75, 0.25])
    assert combined.median[0] == pytest.approx(12.5)
    assert combined.backtest[0, 0] == pytest.approx(1.5)
