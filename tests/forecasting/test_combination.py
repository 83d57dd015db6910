"""How the forecasts of members are combined: weights, medians, widths, and notices."""

import numpy as np
import pytest

from app.forecasting.combination import (
    NoMemberError,
    combine_by_backtest,
    failure_notices,
    member_median,
    member_spread,
    pool_standard_errors,
    run_high_frequency,
    run_low_frequency,
    trimmed_mean,
    weigh_by_error,
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


def member(name, median, width=None, **role):
    def forecast(_history, horizon):
        widths = None if width is None else np.full(horizon, width)
        return MemberForecast(np.full(horizon, median), widths)

    return LowFrequencyMember(name, forecast, **role)


def raise_error(*_arguments) -> None:
    raise RuntimeError("no convergence")


def test_trimmed_mean_leaves_out_the_extremes_of_each_step() -> None:
    forecasts = np.array([[1.0, 9.0], [2.0, 2.0], [4.0, 4.0], [100.0, -50.0]])
    np.testing.assert_allclose(trimmed_mean(forecasts), [3.0, 3.0])


def test_neither_of_two_members_is_left_out() -> None:
    np.testing.assert_allclose(trimmed_mean(np.array([[1.0], [3.0]])), [2.0])


def test_three_members_have_a_spread_at_each_step() -> None:
    """Recipes of three members lose one where values are not positive: widths would jump."""
    forecasts = np.array([[1.0, 9.0], [2.0, 2.0], [3.0, 16.0]])
    np.testing.assert_allclose(member_spread(forecasts), [(2 / 3) ** 0.5, (98 / 3) ** 0.5])


def test_one_of_five_members_that_explodes_does_not_widen_the_spread() -> None:
    forecasts = np.array([[1.0], [2.0], [3.0], [4.0], [1e9]])
    np.testing.assert_allclose(member_spread(forecasts), [(2 / 3) ** 0.5])


def test_a_member_that_raises_or_is_not_finite_is_named_and_left_out() -> None:
    members = (
        LowFrequencyMember("broken", raise_error),
        member("not finite", np.inf),
        member("sound", 1.0),
    )
    sound, failed = run_low_frequency(members, make_history([1, 2, 3]), 2)
    assert list(sound) == ["sound"]
    assert failed == ("broken", "not finite")


def test_a_high_frequency_member_that_raises_is_named_and_left_out() -> None:
    backtested = BacktestedForecast(np.ones(2), np.ones((1, 2)))
    members = (
        HighFrequencyMember("broken", raise_error),
        HighFrequencyMember("sound", lambda task: [backtested]),
    )
    assert run_high_frequency(members, make_task(np.arange(9.0), 2, (5,))) == (
        [backtested],
        ("broken",),
    )


def test_a_member_of_weight_two_counts_as_two_members() -> None:
    low, high = (BacktestedForecast(np.full(2, x), np.full((1, 2), x)) for x in (1.0, 4.0))
    members = (
        HighFrequencyMember("low", lambda task: [low], weight=2),
        HighFrequencyMember("high", lambda task: [high]),
    )
    task = make_task(np.full(9, 2.5), 2, (5,))  # both err by 1.5
    forecasts, _failed = run_high_frequency(members, task)
    combined = combine_by_backtest(forecasts, task.targets, task.pooled_leads, 2.0)
    np.testing.assert_allclose(combined.mean.forecast, [2.0, 2.0])


def test_a_member_that_does_not_suit_is_not_run_or_reported() -> None:
    short = LowFrequencyMember("short", raise_error, is_suitable=lambda values: values.min() > 1)
    long = HighFrequencyMember("long", raise_error, is_suitable=lambda task: task.horizon > 2)
    assert run_low_frequency([short], make_history([1, 2]), 2) == ({}, ())
    assert run_high_frequency([long], make_task(np.arange(9.0), 2, (5,))) == ([], ())


def test_an_infinite_standard_error_is_dropped_and_the_median_kept() -> None:
    sound, failed = run_low_frequency(
        [member("unknown error", 1.0, np.nan)], make_history([1, 2]), 2
    )
    assert failed == ()
    assert sound["unknown error"].standard_error is None


def pooled_median(*members):
    sound, _ = run_low_frequency(members, make_history([1, 2]), 1)
    return pool_standard_errors(members, sound, np.zeros(1))[0]


def test_standard_errors_are_averaged_within_their_part_and_then_the_parts() -> None:
    smooth = member("smoothing", 0.0, 8.0, error_part=ErrorPart.SMOOTHING)
    assert pooled_median(smooth, member("a", 0.0, 1.0), member("b", 0.0, 3.0)) == (8 + 2) / 2
    assert pooled_median(member("a", 0.0, 1.0), member("b", 0.0, 3.0)) == 2


def test_a_standard_error_replaces_only_a_missing_one() -> None:
    first, second = (
        member("a", 0.0, 1.0),
        member("a on logs", 0.0, 3.0, raw_name="a"),
    )
    assert pooled_median(first, second) == 1
    assert pooled_median(second) == 3
    assert pooled_median(LowFrequencyMember("a", raise_error), second) == 3


def test_a_standard_error_of_no_part_counts_only_if_there_is_no_other() -> None:
    silent = member("a", 0.0, 5.0, error_part=ErrorPart.NONE)
    assert pooled_median(silent, member("b", 0.0, 3.0)) == 3
    assert pooled_median(silent) == 5


def test_the_spread_of_members_adds_to_their_standard_errors() -> None:
    members = [member("a", 0.0, 3.0)]
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


def test_a_member_without_errors_gets_all_weight_and_one_with_nan_none() -> None:
    errors = np.array([[0.0, 0.0], [1.0, 0.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(weigh_by_error(errors, 3.0), [[1, 0.5], [0, 0.5], [0, 0]])


def backtested_forecast(median, *backtest):
    return BacktestedForecast(np.array([median]), np.array(backtest)[:, None])


def test_a_member_that_forecasts_nan_does_not_reach_the_mean() -> None:
    combined = combine_by_backtest(
        [backtested_forecast(5.0, 2.0), backtested_forecast(np.nan, 1.0)], np.array([[1.0]]), 1, 2.0
    )
    assert combined.median[0] == combined.mean.forecast[0] == 5.0


def test_the_mean_of_members_has_the_mean_of_their_backtests() -> None:
    combined = combine_by_backtest(
        [backtested_forecast(10.0, 1.0), backtested_forecast(20.0, 3.0)], np.array([[0.0]]), 1, 1.0
    )
    assert combined.mean.forecast[0] == pytest.approx(12.5)
    assert combined.mean.backtest[0, 0] == pytest.approx(1.5)


def test_without_any_forecast_the_error_says_so() -> None:
    with pytest.raises(NoMemberError, match="no member"):
        combine_by_backtest([], np.zeros((3, 2)), 2, 1.0)


def test_each_step_is_weighed_by_the_errors_up_to_it() -> None:
    near = BacktestedForecast(np.zeros(3), np.array([[0.0, 4.0, 4.0]]))
    far = BacktestedForecast(np.full(3, 10.0), np.array([[2.0, 2.0, 2.0]]))
    combined = combine_by_backtest([near, far], np.zeros((1, 3)), 1, 1.0)
    np.testing.assert_allclose(combined.mean.forecast, [0.0, 5.0, 40 / 7], atol=1e-11)
    pooled = combine_by_backtest([near, far], np.zeros((1, 3)), 2, 1.0)
    np.testing.assert_allclose(pooled.mean.forecast, [5.0, 5.0, 40 / 7])


def test_the_median_of_members_is_used_where_it_had_smaller_errors_with_the_interval_of_the_mean():
    # At each origin another member is far off, as after a burst.
    errors = np.tile(np.diag([9.0, 9.0, 9.0]), 8)
    members = [
        backtested_forecast(value, *error)
        for value, error in zip((1.0, 2.0, 30.0), errors, strict=True)
    ]
    combined = combine_by_backtest(members, np.zeros((24, 1)), 1, 3.0)
    assert combined.median[0] == 2.0
    assert combined.mean.forecast[0] == pytest.approx(11.0)
    np.testing.assert_allclose(combined.mean.backtest, 3.0)


def test_members_without_past_errors_are_combined_without_a_division_by_zero() -> None:
    members = [backtested_forecast(value, *np.zeros(24)) for value in (1.0, 2.0)]
    with np.errstate(all="raise"):
        combined = combine_by_backtest(members, np.zeros((24, 1)), 1, 3.0)
    assert combined.median[0] == 1.5


def test_the_mean_of_members_is_taken_where_the_median_has_not_proved_itself() -> None:
    worse = np.array([[-1.0], [-1.0], [2.0]]) * np.ones(24)
    few = np.diag([9.0, 9.0, 9.0])
    for errors in (worse, few):
        members = [
            backtested_forecast(value, *error)
            for value, error in zip((1.0, 2.0, 30.0), errors, strict=True)
        ]
        combined = combine_by_backtest(members, np.zeros((errors.shape[1], 1)), 1, 0.0)
        assert combined.median[0] == combined.mean.forecast[0] == pytest.approx(11.0)
