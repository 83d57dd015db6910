"""The upper bound of a rare count is not below a value that is more frequent than its errors."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.intervals.rare_counts import widen_to_counts
from app.forecasting.model_ids import LIGHT_MODEL
from app.forecasting.models.recipes import MODELS
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

HORIZON = 14


def widened_upper(values: FloatArray, upper: float, confidence: float, lower: float = 0.0) -> float:
    """Return the upper bound of one step that was ``upper``."""
    bounds = np.array([lower]), np.array([upper])
    distribution = ForecastDistribution(bounds[0], lambda _confidence: bounds)
    history = History(values, (7, 365), Frequency.DAILY)
    return float(widen_to_counts(distribution, history).interval(confidence)[1][0])


def counts(**shares: int) -> FloatArray:
    """Return 100 points: ``shares`` percent of 1, 2 and 5, the rest 0."""
    values = np.zeros(100)
    others = np.repeat([1.0, 2.0, 5.0], [shares["ones"], shares["twos"], shares["fives"]])
    values[: len(others)] = others
    return np.random.default_rng(0).permutation(values)


@pytest.mark.parametrize("model_id", MODELS)
def test_95_percent_intervals_of_rare_counts_contain_what_is_usual(model_id) -> None:
    hits = []
    for seed in range(6):
        drawn = np.random.default_rng(seed).poisson(0.2, 300 + HORIZON).astype(float)
        history = History(drawn[:300], (7, 365), Frequency.DAILY)
        lower, upper = fit(history, HORIZON, model_id).interval(0.95)
        future = drawn[300:]
        hits.append((lower <= future) & (future <= upper))
    assert np.mean(hits) > 0.95


@pytest.mark.parametrize("seed", [11, 21, 22, 33])
def test_a_season_by_chance_does_not_exclude_what_is_usual(seed: int) -> None:
    values = np.random.default_rng(seed).poisson(0.2, 400).astype(float)
    fitted = fit(History(values, (7, 365), Frequency.DAILY), HORIZON, LIGHT_MODEL)
    assert (fitted.interval(0.95)[1] >= 1).all()


@pytest.mark.parametrize(
    ("upper", "confidence", "expected"),
    [
        (0.6, 0.95, 1.0),  # 8 % are above 0, 3 % above 1
        (0.6, 0.9, 0.6),
        (0.6, 0.98, 2.0),
        (0.58, 0.98, 1.0),
        (0.2, 0.95, 0.2),  # a step unlike the others
        (2.5, 0.95, 2.5),
    ],
)
def test_a_bound_is_the_quantile_of_the_recent_counts(upper, confidence, expected) -> None:
    assert widened_upper(counts(ones=5, twos=1, fives=2), upper, confidence) == expected


def test_a_higher_confidence_never_has_a_lower_bound() -> None:
    history = History(counts(ones=15, twos=6, fives=3), (7, 365), Frequency.DAILY)
    fitted = fit(history, HORIZON, LIGHT_MODEL)
    uppers = [fitted.interval(confidence)[1] for confidence in np.linspace(0.1, 0.99, 40)]
    assert (np.diff(uppers, axis=0) >= 0).all()


@pytest.mark.parametrize(
    "values",
    [
        counts(ones=40, twos=20, fives=0),
        counts(ones=10, twos=3, fives=0) / 3,
        counts(ones=10, twos=3, fives=0) - 1,
        np.tile([2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 20),
    ],
    ids=["mostly not 0", "amounts", "negative", "a season"],
)
def test_other_series_keep_their_bounds(values) -> None:
    assert widened_upper(values, 0.6, 0.95) == 0.6


def test_an_interval_above_0_keeps_its_bound() -> None:
    assert widened_upper(counts(ones=5, twos=1, fives=2), 0.6, 0.95, lower=0.1) == 0.6


def test_only_recent_counts_are_compared() -> None:
    values = np.concatenate([np.zeros(400), counts(ones=5, twos=1, fives=2)])
    assert widened_upper(values, 0.6, 0.95) == 1.0


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize("monday", [2, 20])
def test_a_clinic_that_is_closed_on_most_days_has_a_bound_for_each_day(model_id, monday) -> None:
    wednesday = 3 * monday
    means = [monday, 2 * monday, wednesday, 0, 0, 0, 0]
    visits = np.random.default_rng(0).poisson(np.tile(means, 20)).astype(float)
    upper = fit(History(visits, (7, 365), Frequency.DAILY), 7, model_id).interval(0.95)[1]
    assert upper[0] < wednesday
    assert upper[3:].max() < monday
