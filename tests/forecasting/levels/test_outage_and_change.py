"""An outage before a new level is set aside."""

from dataclasses import replace

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.levels.outage_and_change import find_outage_and_change
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


def forecast_100(_history: History, horizon: int) -> ForecastDistribution:
    """Return 90 to 110 for each step."""
    median = np.full(horizon, 100.0)
    return ForecastDistribution(median, lambda _confidence: (median - 10, median + 10))


def history_near_100(
    end: list[float], points: int = 100, frequency: Frequency = Frequency.HOURS
) -> History:
    values = np.random.default_rng(0).normal(100, 3, points)
    return History(np.concatenate([values, end]), (24, 168), frequency)


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


@pytest.mark.parametrize(
    ("points_after", "factor", "others"),  # how many of the values after it may be set aside, too
    [(1, 0.6, [1]), (2, 1.6, [0, 1]), (3, 0.8, [0]), (5, 0.8, [0])],
)
@pytest.mark.parametrize("outage", [3, 12, 48, 162])
def test_an_outage_of_zeros_is_over_with_the_first_value_after_it(
    outage: int, points_after: int, factor: float, others: list[int]
) -> None:
    result, level = fit_general(history_with_outage(points_after, factor, outage))
    assert min(factor, 1) * 0.85 < np.median(level) < max(factor, 1) * 1.15
    possible = {f"unusual values were set aside: {outage + other}" for other in others}
    assert len(possible.intersection(result.provenance.notices)) == 1


def test_small_counts_that_fade_have_no_outage() -> None:
    counts = np.random.default_rng(2).poisson(2, 200) + 1.0
    counts[-6:-1] = 0
    level = fit(History(counts, (7, 365), Frequency.DAILY), HORIZON, "forecast-model-1")
    assert "unusual values were set aside: 5" not in level.provenance.notices


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


@pytest.mark.parametrize("points_after", [3, 6])
@pytest.mark.parametrize("new_points", [26, 38])
def test_a_new_level_from_before_the_outage_continues(new_points: int, points_after: int) -> None:
    history = history_with_outage(points_after, 1.6, outage=3)
    history.values[-new_points : -points_after - 3] *= 1.6
    result, level = fit_general(history)
    assert result.provenance.level_change == HOURS - new_points
    assert np.median(level) == pytest.approx(1.6, rel=0.06)


@pytest.mark.parametrize(
    "history",
    [
        history_near_100([0, 0, 60]),
        history_near_100([0, 0, 0, 0.01]),
        history_near_100([0, 0, 0, 60], frequency=Frequency.WEEKLY),
        history_near_100([0, 0, 0, 60], points=19),
        history_near_100([1, 1.5, 1.2, 60, 60]),
        history_near_100([-1, -1, -1, 60, 60, 60]),
        history_near_100([0] * 2000 + [60]),
    ],
    ids=[
        "two zeros",
        "a value of almost 0",
        "weeks",
        "few points before it",
        "two points after an outage that is not of zeros",
        "negative",
        "a level of 0",
    ],
)
def test_what_may_last_is_no_outage(history: History) -> None:
    assert find_outage_and_change(history, forecast_100) is None


def test_one_notice_says_how_many_values_were_set_aside() -> None:
    effect = find_outage_and_change(history_near_100([*[0] * 12, 400]), forecast_100)
    forecast = forecast_100(history_near_100([]), 1).with_provenance(notices=("another",))
    notices = effect.add_to(forecast, floor=0).provenance.notices
    assert notices == ("unusual values were set aside: 13", "another")


def test_three_zeros_are_over_with_one_value() -> None:
    outage = find_outage_and_change(history_near_100([0, 0, 0, 100], points=20), forecast_100)
    assert outage.index == 20
    assert outage.expected.tolist() == [100] * 3


def test_values_of_an_outage_differ_by_a_factor_of_two_at_most() -> None:
    effect = find_outage_and_change(history_near_100([1.9, 1, 1.5, *[60] * 7]), forecast_100)
    assert len(effect.outage.expected) == 3
    other = history_near_100([2.1, 1, 1.5, *[60] * 7])
    assert find_outage_and_change(other, forecast_100) is None


def test_a_tenth_of_what_was_expected_ends_an_outage() -> None:
    assert find_outage_and_change(history_near_100([0, 0, 0, 11]), forecast_100) is not None
    assert find_outage_and_change(history_near_100([0, 0, 0, 9]), forecast_100) is None


@pytest.mark.parametrize(("days", "last"), [(40, [2.0]), (400, [2.0, 2.0])])
def test_a_few_sales_after_a_long_time_do_not_bring_the_old_level_back(days, last) -> None:
    values = np.random.default_rng(0).normal(100, 3, days)
    history = History(np.concatenate([values, np.zeros(300), last]), (7, 365), Frequency.DAILY)
    assert fit(history, HORIZON, "forecast-model-1").median.max() < 3
