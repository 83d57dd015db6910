"""An outage before a new level is set aside."""

from dataclasses import replace

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

HOURS, HORIZON = 480, 24
LEVEL_BEFORE = 100 + 40 * np.sin(2 * np.pi * np.arange(HOURS + HORIZON) / 24)
FUTURE = LEVEL_BEFORE[HOURS:]


def history_with_outage(points_after: int, factor: float, outage: int = 12) -> History:
    """Return hours with 5 % of noise: zeros, then ``points_after`` hours at another level."""
    noise = 1 + 0.05 * np.random.default_rng(0).normal(size=HOURS)
    values = LEVEL_BEFORE[:HOURS] * noise
    start = HOURS - points_after
    values[start:] *= factor
    values[start - outage : start] = 0
    return History(values, (24, 168), Frequency.HOURS)


def fit_general(history: History) -> tuple[ForecastDistribution, FloatArray]:
    """Return the fit, and its median relative to the usual level."""
    result = fit(history, HORIZON, "forecast-model-1")
    return result, result.median / FUTURE


@pytest.mark.parametrize("points_after", [3, 7, 14, 40])
@pytest.mark.parametrize("factor", [0.3, 0.6, 1.6])
def test_a_forecast_continues_at_the_level_after_an_outage(
    factor: float, points_after: int
) -> None:
    result, level = fit_general(history_with_outage(points_after, factor))
    assert np.median(level) == pytest.approx(factor, rel=0.15)
    lower, upper = result.interval(0.95)
    assert np.mean((lower <= factor * FUTURE) & (factor * FUTURE <= upper)) >= 0.95
    assert "unusual values were set aside: 12" in result.provenance.notices


def test_the_start_of_the_new_level_is_known() -> None:
    result, _ = fit_general(history_with_outage(7, 1.6))
    assert result.provenance.level_change == HOURS - 7


@pytest.mark.parametrize("points_after", [3, 7])
def test_after_an_outage_without_a_new_level_the_usual_one_continues(points_after: int) -> None:
    _, level = fit_general(history_with_outage(points_after, 1.0))
    assert np.median(level) == pytest.approx(1, rel=0.05)


def test_zeros_that_recur_are_no_outage() -> None:
    history = history_with_outage(7, 1.6)
    values = history.values.copy()
    values[100:112] = 0
    result, _ = fit_general(replace(history, values=values))
    assert "unusual values were set aside: 12" not in result.provenance.notices
