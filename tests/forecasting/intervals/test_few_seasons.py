import numpy as np
import pytest

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.intervals.few_seasons import (
    ENOUGH_POINTS,
    ENOUGH_SEASONS,
    EXPONENTS_ROBUST,
    EXPONENTS_WEIGHED,
    Shortness,
)
from app.forecasting.forecast import predict
from app.forecasting.types import History

TABLES = pytest.mark.parametrize(
    "table", [EXPONENTS_WEIGHED, EXPONENTS_ROBUST], ids=["weighed", "robust"]
)


@TABLES
@pytest.mark.parametrize("season", [1, 7, 52])
def test_half_of_what_is_enough_widens_by_two_to_the_exponent(table, season):
    enough = ENOUGH_SEASONS * season if season > 1 else ENOUGH_POINTS
    exponents = table.seasonal if season > 1 else table.plain
    wider = Shortness.of(enough // 2, season).widening(table)
    np.testing.assert_allclose(wider, 2.0 ** np.array(exponents))
    assert np.all(wider > 1)


@TABLES
@pytest.mark.parametrize(("points", "season"), [(48, 1), (56, 7), (50_000, 288)])
def test_enough_history_leaves_the_width_alone(points, season, table):
    np.testing.assert_array_equal(Shortness.of(points, season).widening(table), 1.0)


@TABLES
def test_more_confidence_is_never_widened_less(table):
    for exponents in table:
        assert list(exponents) == sorted(exponents)


@pytest.mark.parametrize("model", ["2", "4"])
@pytest.mark.parametrize(
    ("frequency", "periods", "points", "horizon"),
    [(Frequency.DAILY, (7, 365), 14, 7), (Frequency.HOURS, (24, 168), 48, 24)],
    ids=["two weeks of days", "two days of hours"],
)
def test_intervals_hold_on_random_walks_of_two_seasons(model, frequency, periods, points, horizon):
    inside = []
    for seed in range(30):
        walk = 500 + np.cumsum(np.random.default_rng(seed).standard_normal(points + horizon))
        history = History(walk[:points], periods, frequency)
        answer = predict(history, horizon, 0.95, f"forecast-model-{model}")
        came = walk[points:]
        inside.append(np.mean((answer.lower <= came) & (came <= answer.upper)))
    assert np.mean(inside) > 0.85
