"""How the forecasts of members are combined: weights, medians, widths, and notices."""

import numpy as np
import pytest

from app.forecasting.combination import (
    combine_by_backtest,
    failure_notices,
    member_median,
    member_spread,
    pool_standard_errors,
    run_high_frequency,
    run_low_frequency,
    trimmed_mean,
    weigh_by_error,
    weighted_median,
)
from app.forecasting.members.types import (
    BacktestedForecast,
    ErrorPart,
    HighFrequencyMember,
    LowFrequencyMember,
    MemberForecast,
)
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from tests.forecasting.tasks import make_task


def make_history(values):
    return History(np.asarray(values, dtype=float), (), Frequency.YEARLY)


def fixed(name, median, width=None, **role):
    def forecast(_history, horizon):
        widths = None if width is None else np.full(horizon, width)
        return MemberForecast(np.full(horizon, median), widths)

    return LowFrequencyMember(name, forecast, **role)


def broken(*_arguments) -> None:
    raise RuntimeError("no convergence")


def test_trimmed_mean_leaves_out_the_extremes_of_each_step() -> None:
    forecasts = np.array([[1.0, 9.0], [2.0, 2.0], [4.0, 4.0], [100.0, -50.0]])
    np.testing.assert_allclose(trimmed_mean(forecasts), [3.0, 3.0])


def test_neither_of_two_members_is_left_out() -> None:
    np.testing.assert_allclose(trimmed_mean(np.array([[1.0], [3.0]])), [2.0])
    np.testing.assert_allclose(member_spread(np.array([[1.0], [3.0]])), [1.0])


def test_a_member_that_raises_or_is_not_finite_is_named_and_left_out() -> None:
    members = (
        LowFrequencyMember("broken", broken),
        fixed("not finite", np.inf),
        fixed("sound", 1.0),
    )
    sound, failed = run_low_frequency(members, make_history([1, 2, 3]), 2)
    assert list(sound) == ["sound"]
    assert failed == ("broken", "not finite")


def test_a_long_member_that_raises_is_named_and_the_others_stand() -> None:
    said = BacktestedForecast(np.ones(2), np.ones((1, 2)))
    members = (
        HighFrequencyMember("broken", broken),
        HighFrequencyMember("sound", lambda task: [said]),
    )
    assert run_high_frequency(members, make_task(np.arange(9.0), 2, (5,))) == ([said], ("broken",))


def test_a_member_that_does_not_suit_is_neither_asked_nor_named() -> None:
    short = LowFrequencyMember("short", broken, is_suitable=lambda values: values.min() > 1)
    long = HighFrequencyMember("long", broken, is_suitable=lambda task: task.horizon > 2)
    assert run_low_frequency([short], make_history([1, 2]), 2) == ({}, ())
    assert run_high_frequency([long], make_task(np.arange(9.0), 2, (5,))) == ([], ())


def test_a_width_that_is_not_finite_goes_and_the_median_stays() -> None:
    sound, failed = run_low_frequency([fixed("member", 1.0, np.nan)], make_history([1, 2]), 2)
    assert failed == ()
    assert sound["member"].standard_error is None


def pooled(*members):
    sound, _ = run_low_frequency(members, make_history([1, 2]), 1)
    return pool_standard_errors(members, sound, np.zeros(1))[0]


def test_widths_are_averaged_within_their_part_and_then_the_parts() -> None:
    smooth = fixed("smoothing", 0.0, 8.0, error_part=ErrorPart.SMOOTHING)
    assert pooled(smooth, fixed("a", 0.0, 1.0), fixed("b", 0.0, 3.0)) == (8 + 2) / 2
    assert pooled(fixed("a", 0.0, 1.0), fixed("b", 0.0, 3.0)) == 2


def test_a_width_counts_for_another_members_only_where_that_one_is_missing() -> None:
    first, second = fixed("a", 0.0, 1.0), fixed("a on logs", 0.0, 3.0, replaces="a")
    assert pooled(first, second) == 1
    assert pooled(second) == 3
    assert pooled(LowFrequencyMember("a", broken), second) == 3


def test_a_width_of_no_part_counts_nowhere() -> None:
    silent = fixed("a", 0.0, 5.0, error_part=ErrorPart.NONE)
    assert pooled(silent) == 0
    assert pooled(silent, fixed("b", 0.0, 3.0)) == 3


def test_the_spread_of_members_widens_what_they_say_of_themselves() -> None:
    members = [fixed("a", 0.0, 3.0)]
    sound, _ = run_low_frequency(members, make_history([1, 2]), 1)
    assert pool_standard_errors(members, sound, np.array([4.0]))[0] == 5


def test_each_failed_member_gets_a_sentence() -> None:
    assert failure_notices(["ARIMA"]) == ("ARIMA could not be fitted, the other members were used",)


def test_member_median_is_taken_at_each_step() -> None:
    forecasts = np.array([[1.0, 9.0], [2.0, 2.0], [4.0, 4.0], [100.0, -50.0]])
    np.testing.assert_allclose(member_median(forecasts), [3.0, 3.0])


def test_weights_are_inverse_powers_of_the_errors() -> None:
    weights = weigh_by_error(np.array([[1.0, 2.0], [2.0, 2.0]]), 2.0)
    np.testing.assert_allclose(weights, [[0.8, 0.5], [0.2, 0.5]])


def test_a_member_without_error_takes_all_and_one_without_number_nothing() -> None:
    errors = np.array([[0.0, 0.0], [1.0, 0.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(weigh_by_error(errors, 3.0), [[1, 0.5], [0, 0.5], [0, 0]])


def said(median, *backtest):
    return BacktestedForecast(np.array([median]), np.array(backtest)[:, None])


def test_a_member_that_forecasts_nan_does_not_reach_the_mean() -> None:
    combined = combine_by_backtest([said(5.0, 2.0), said(np.nan, 1.0)], np.array([[1.0]]), 1, 2.0)
    assert combined.median[0] == combined.mean.median[0] == 5.0
    np.testing.assert_array_equal(combined.weights, [[1.0], [0.0]])


def test_the_mean_of_members_has_the_mean_of_their_backtests() -> None:
    combined = combine_by_backtest([said(10.0, 1.0), said(20.0, 3.0)], np.array([[0.0]]), 1, 1.0)
    np.testing.assert_allclose(combined.weights, [[0.75], [0.25]])
    assert combined.mean.median[0] == pytest.approx(12.5)
    assert combined.mean.backtest[0, 0] == pytest.approx(1.5)


def test_the_weighted_median_is_taken_at_each_entry() -> None:
    forecasts = np.array([[1.0, 9.0], [2.0, 2.0], [9.0, 1.0]])
    alike, first = np.full((3, 2), 1 / 3), np.array([[0.6, 0.6], [0.2, 0.2], [0.2, 0.2]])
    np.testing.assert_array_equal(weighted_median(forecasts, alike), [2.0, 2.0])
    np.testing.assert_array_equal(weighted_median(forecasts, first), [1.0, 9.0])
    by_step = np.array([[0.6, 0.2], [0.2, 0.2], [0.2, 0.6]])
    np.testing.assert_array_equal(weighted_median(forecasts, by_step), [1.0, 1.0])


def test_each_step_is_weighed_by_the_errors_up_to_it() -> None:
    near = BacktestedForecast(np.zeros(3), np.array([[0.0, 4.0, 4.0]]))
    far = BacktestedForecast(np.full(3, 10.0), np.array([[2.0, 2.0, 2.0]]))
    combined = combine_by_backtest([near, far], np.zeros((1, 3)), 1, 1.0)
    np.testing.assert_allclose(combined.weights[1], [0.0, 0.5, 4 / 7], atol=1e-12)
    usual = combine_by_backtest([near, far], np.zeros((1, 3)), 2, 1.0)
    np.testing.assert_allclose(usual.weights[1], [0.5, 0.5, 4 / 7])


def test_the_median_of_members_is_used_where_it_had_smaller_errors_with_the_interval_of_the_mean():
    # At each origin another member is far off, as after a burst.
    errors = np.tile(np.diag([9.0, 9.0, 9.0]), 8)
    members = [said(value, *error) for value, error in zip((1.0, 2.0, 30.0), errors, strict=True)]
    combined = combine_by_backtest(members, np.zeros((24, 1)), 1, 3.0)
    assert combined.median[0] == 2.0
    assert combined.mean.median[0] == pytest.approx(11.0)
    np.testing.assert_allclose(combined.mean.backtest, 3.0)


def test_the_mean_of_members_is_taken_where_the_median_has_not_proved_itself() -> None:
    worse = np.array([[-1.0], [-1.0], [2.0]]) * np.ones(24)
    few = np.diag([9.0, 9.0, 9.0])
    for errors in (worse, few):
        members = [
            said(value, *error) for value, error in zip((1.0, 2.0, 30.0), errors, strict=True)
        ]
        combined = combine_by_backtest(members, np.zeros((errors.shape[1], 1)), 1, 0.0)
        assert combined.median[0] == combined.mean.median[0] == pytest.approx(11.0)
