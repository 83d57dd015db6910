"""Error codes do not bend a forecast; values that may be real stay."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.models.recipes import MODELS
from app.forecasting.preparation import find_error_codes
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

POINTS, HORIZON = 100, 14
PLACES = [20, 50, 77]


def usual_values(size=5.0):
    return 100 + size * np.random.default_rng(1).standard_normal(POINTS)


def with_values(values, indices, strange):
    changed = values.copy()
    changed[indices] = strange
    return changed


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize("code", [-999, 9999, -1, 999.9, 65535])
def test_error_codes_do_not_widen_or_bend_a_forecast(model_id, code) -> None:
    history = History(with_values(usual_values(), PLACES, code), (7, 365), Frequency.DAILY)
    fitted = fit(history, HORIZON, model_id)
    lower, upper = fitted.interval(0.95)
    np.testing.assert_allclose(fitted.median, 100, atol=6)
    assert 75 < lower.min() < 92
    assert 108 < upper.max() < 125
    assert fitted.provenance.notices == ("extreme values were ignored: 3",)


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize("frequency", [Frequency.DAILY, Frequency.MONTHLY])
@pytest.mark.parametrize("error", [500.0, -999.0, 1e12])
def test_a_constant_with_one_error_is_forecast_as_the_constant(model_id, frequency, error) -> None:
    history = History(with_values(np.full(POINTS, 5.0), [60], error), (12,), frequency)
    fitted = fit(history, HORIZON, model_id)
    for forecast in (fitted.median, *fitted.interval(0.95)):
        np.testing.assert_array_equal(forecast, 5.0)
    assert fitted.provenance.notices == ("extreme values were ignored: 1",)


@pytest.mark.parametrize(
    "values",
    [
        with_values(usual_values(), PLACES, 0.0),
        with_values(usual_values(), PLACES, [500.0, 300.0, 400.0]),
        with_values(usual_values(), PLACES, [-1.0, -2.0, -3.0]),
        with_values(usual_values(), range(0, 60, 10), 9999.0),
        with_values(usual_values(size=300.0), PLACES, 999.0),
        with_values(usual_values(), [50], -1.0),
    ],
    ids=["closed days", "spikes", "losses", "many", "a usual value", "one loss"],
)
def test_values_that_may_be_real_are_not_taken_for_error_codes(values) -> None:
    assert not find_error_codes(values).any()
