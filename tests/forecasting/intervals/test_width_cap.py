"""Intervals are capped by the largest changes of the history."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.forecasting.forecast import predict
from app.forecasting.intervals.width_cap import cap_width, largest_changes, widest_bounds
from app.forecasting.preprocessing.stationarity import KPSS_5_PERCENT, kpss_statistic
from app.forecasting.types import Bounds
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.series import PERIODS

STEPS = np.arange(1, 5)
# Its largest changes within one, two … steps, in a history long enough to believe them.
HISTORY = np.tile([0.0, 6.0, 10.0, 6.0], 12)


def cap(bounds: Bounds, median: FloatArray, values: FloatArray) -> Bounds:
    return cap_width(bounds, widest_bounds(median, values))


def test_the_largest_change_over_a_number_of_steps_grows_like_a_walk_beyond_half_the_history() -> (
    None
):
    assert largest_changes(HISTORY, 4).tolist() == [6.0, 10.0, 6.0, 0.0]
    assert largest_changes(HISTORY[:8], 16)[-1] == pytest.approx(10.0 * 2.0)


def test_a_stationary_history_bounds_changes_from_the_median_and_the_last_value() -> None:
    median, far = np.full(3, 6.0), np.full(3, 1e3)
    lower, upper = cap((median - far, median + far), median, HISTORY)
    assert upper == pytest.approx([12.0, 16.0, 14.7])
    assert lower == pytest.approx([0.0, -4.0, -2.7])


def test_a_bound_within_past_changes_is_not_cut() -> None:
    median = np.full(3, 6.0)
    lower, upper = cap((median - 1.0, median + 2.0), median, HISTORY)
    assert lower == pytest.approx(median - 1.0)
    assert upper == pytest.approx(median + 2.0)


def test_the_interval_of_a_line_follows_it_beyond_the_history() -> None:
    median = np.array([101.0, 150.0, 300.0])
    _, upper = cap((median - 1e4, median + 1e4), median, np.arange(101.0))
    assert upper - median == pytest.approx([100.0, 100.0, 200.0])


def test_a_dozen_points_allow_larger_changes_than_they_have_shown() -> None:
    median = np.full(2, 6.0)
    few, many = (
        cap((median - 1e3, median + 1e3), median, np.tile(HISTORY[:4], cycles))[1] - median
        for cycles in (3, 30)
    )
    assert few == pytest.approx(many * 40 / 12)


@pytest.mark.parametrize("model", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("frequency", "periods", "length", "since"),
    [
        (Frequency.WEEKLY, (52,), 40, 10),
        (Frequency.DAILY, (7,), 40, 10),
        (Frequency.HOURS, (24, 168), 120, 20),
    ],
)
def test_bounds_after_a_change_of_level_stay_near_the_values_seen(
    model, frequency, periods, length, since
) -> None:
    noise = np.random.default_rng(1).normal(0.0, 2.0, length)
    values = np.where(np.arange(length) < length - since, 10.0, 100.0) + noise
    response = predict(History(values, periods, frequency), 10, 0.95, f"forecast-model-{model}")
    assert (response.upper - response.median).max() < 3.1 * np.ptp(values)
    assert ((response.lower <= 100) & (response.upper >= 100)).all()


@settings(max_examples=40)
@given(
    model=st.sampled_from([1, 2, 3, 4]),
    frequency=st.sampled_from(list(PERIODS)),
    length=st.integers(40, 160),
    cycle=st.integers(5, 11),
    amplitude=st.floats(0.0, 3.0),
    persistence=st.floats(-0.5, 0.8),
    level=st.sampled_from([0.0, 50.0, 1e4]),
    seed=st.integers(0, 10_000),
)
def test_no_band_of_a_stationary_history_is_wider_than_three_of_its_largest_changes(
    model, frequency, length, cycle, amplitude, persistence, level, seed
) -> None:
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(length)
    for step in range(1, length):
        noise[step] += persistence * noise[step - 1]
    values = level + noise + amplitude * np.sin(2 * np.pi * np.arange(length) / cycle)
    # Noise that looks as if it wandered is not what this is about.
    assume(max(kpss_statistic(values, lags) for lags in range(6)) < KPSS_5_PERCENT)
    horizon = 12
    history = History(values, PERIODS[frequency], frequency)
    response = predict(history, horizon, 0.95, f"forecast-model-{model}")
    # The growth that is not extrapolated stays inside, so that whole cycles may not bound a step.
    allowed = 3.0 * np.maximum.accumulate(largest_changes(values, horizon))
    assert (response.upper - response.lower <= allowed).all()
