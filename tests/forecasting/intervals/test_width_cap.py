import numpy as np
import pytest

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.forecast import predict
from app.forecasting.intervals.width_cap import cap_width
from app.forecasting.types import History

STEPS = np.arange(1, 5)
HISTORY = np.array([0.0, 10.0, 4.0, 6.0])


def test_a_bound_beyond_what_the_history_explains_is_drawn_in_and_another_stays():
    median = np.full(4, 6.0)
    far, near = np.full(4, 1e3), np.full(4, 1.0)
    widest = 10.0 * (1 + 2 * np.sqrt(STEPS / 4))
    lower, upper = cap_width((median - near, median + far), median, HISTORY)
    assert lower == pytest.approx(median - 1)
    assert upper == pytest.approx(median + widest)
    lower, upper = cap_width((median - far, median + near), median, HISTORY)
    assert lower == pytest.approx(median - widest)
    assert upper == pytest.approx(median + 1)


def test_a_forecast_that_leaves_the_history_takes_its_interval_with_it():
    median = np.array([100.0, 50.0, 50.0, 50.0])
    _, upper = cap_width((median - 1e4, median + 1e4), median, HISTORY)
    assert upper - median == pytest.approx(10.0 * (1 + 2 * np.sqrt(STEPS / 4)) + 94)


@pytest.mark.parametrize("model", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("frequency", "periods", "length", "since"),
    [
        (Frequency.WEEKLY, (52,), 40, 10),
        (Frequency.DAILY, (7,), 40, 10),
        (Frequency.HOURS, (24, 168), 120, 20),
    ],
)
def test_after_a_change_of_level_no_bound_is_many_times_what_was_ever_seen(
    model, frequency, periods, length, since
):
    """It was: 1,081 where the history's largest value was 104."""
    noise = np.random.default_rng(1).normal(0.0, 2.0, length)
    values = np.where(np.arange(length) < length - since, 10.0, 100.0) + noise
    answer = predict(History(values, periods, frequency), 10, 0.95, f"forecast-model-{model}")
    assert (answer.upper - answer.median).max() < 3.1 * np.ptp(values)
    assert ((answer.lower <= 100) & (answer.upper >= 100)).all()
