"""A member on logarithms: where it takes part, its bounds and its standard error."""

import numpy as np

from app.forecasting.members.log_transform import can_use_logs, on_logs
from app.forecasting.members.types import LowFrequencyMember, MemberForecast
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def forecast(say, values, horizon):
    member = on_logs(
        LowFrequencyMember("member", lambda history, h: MemberForecast(*say(history, h)))
    )
    history = History(np.asarray(values, dtype=float), (), Frequency.YEARLY)
    return member.forecast(history, horizon)


def test_the_member_runs_on_logarithms_and_its_standard_error_is_scaled() -> None:
    result = forecast(
        lambda history, h: (np.full(h, history.values[-1]), np.full(h, 0.1)), [2.0, 5.0], 3
    )
    np.testing.assert_allclose(result.median, 5.0)
    np.testing.assert_allclose(result.standard_error, 0.5)


def test_forecasts_on_logarithms_stay_bounded() -> None:
    result = forecast(lambda history, h: (np.full(h, 600.0), None), [1.0, 2.0], 1)
    assert result.median[0] <= 2.0 * 1e3 * 1.000001


def test_logarithms_suit_no_history_with_zeros_or_over_many_magnitudes() -> None:
    assert can_use_logs(np.array([1.0, 2.0]))
    assert not can_use_logs(np.array([0.0, 1.0]))
    assert not can_use_logs(np.array([1.0, 1e6]))


def test_the_standard_error_on_logarithms_replaces_the_members_own() -> None:
    member = LowFrequencyMember("member", lambda history, h: MemberForecast(np.ones(h)))
    assert on_logs(member).name == "member on logs"
    assert on_logs(member).raw_name == "member"


def test_a_member_on_logarithms_takes_part_where_the_member_itself_does() -> None:
    member = LowFrequencyMember(
        "member",
        lambda history, h: MemberForecast(np.ones(h)),
        is_suitable=lambda values: len(values) > 2,
    )
    assert not on_logs(member).is_suitable(np.array([1.0, 2.0]))
    assert on_logs(member).is_suitable(np.array([1.0, 2.0, 3.0]))
