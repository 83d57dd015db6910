import numpy as np
import pytest

from app.forecasting.engine import predict
from app.forecasting.frequency import Frequency
from app.forecasting.intervals.end import UNHEARD_OF, last_jump, reach_both_ends
from app.forecasting.types import History


def jump(values):
    return last_jump(np.array(values), UNHEARD_OF)


@pytest.fixture
def calm():
    return list(np.random.default_rng(4).normal(10.0, 1.0, 60))


def test_a_jump_leads_from_where_the_series_was_to_where_it_is():
    assert jump([0.0] * 20 + [100.0]) == (0.0, 100.0)
    assert jump([0.0] * 20 + [100.0] * 3) == (0.0, 100.0)


def test_the_interval_reaches_both_ends_the_less_the_lower_the_confidence():
    median = np.array([20.0, 140.0])
    values = np.array([0.0] * 20 + [100.0])
    lower, upper = reach_both_ends((median, median), median, values, 0.95)
    assert (lower.tolist(), upper.tolist()) == ([0.0, 0.0], [100.0, 140.0])
    narrower = reach_both_ends((median, median), median, values, 0.5)
    assert ((lower < narrower[0]) & (narrower[0] < median)).all()


@pytest.mark.parametrize(
    "end",
    [
        pytest.param([], id="none"),
        pytest.param([100.0, 10.0, 10.0], id="a spike that has come back"),
        pytest.param([100.0] * 10, id="a level that has lasted"),
    ],
)
def test_what_is_over_or_usual_leaves_no_doubt(calm, end):
    assert jump(calm + end) is None


def test_steady_growth_is_no_jump():
    assert jump(1.2 ** np.arange(30.0)) is None
    assert jump(np.arange(30.0)) is None


@pytest.mark.parametrize("model", ["1", "2", "3", "4"])
@pytest.mark.parametrize("frequency", [Frequency.DAILY, Frequency.HOURS])
def test_a_first_event_at_the_end_leaves_both_outcomes_inside_the_interval(model, frequency):
    history = History(np.array([0.0] * 39 + [100.0]), (7,), frequency)
    prediction = predict(history, 7, 0.95, f"forecast-model-{model}")
    assert (prediction.lower <= 1e-9).all()
    assert (prediction.upper >= 99.9).all()
