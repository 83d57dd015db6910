"""How the prior of short histories is learned, on series whose type is known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import polygamma

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from benchmarks.calibrate.prior_widening import Case, Window, coverage, judge
from benchmarks.calibrate.prior_widening import learn as learn_factor
from benchmarks.calibrate.structure_prior import (
    LEARNED,
    MAX_DEGREES,
    TO_MEAN,
    flat_prior,
    inverse_trigamma,
    learn,
    pooled_prior,
    shrink_to_mean,
    tables_of,
)


def test_walks_are_learned_to_be_walks_without_a_season() -> None:
    rng = np.random.default_rng(1)
    walks = [100 + np.cumsum(rng.normal(size=40)) for _ in range(40)]
    learned = learn(walks, 7)
    assert learned.levels.argmax() == 4
    assert learned.trends.argmax() == 0
    assert learned.seasons[0] > 0.7


def test_strong_seasons_are_learned_to_be_strong() -> None:
    rng = np.random.default_rng(2)
    waves = [100 + np.tile(rng.normal(0, 10, 7), 6) + rng.normal(0, 1.5, 42) for _ in range(40)]
    assert learn(waves, 7).seasons[3:].sum() > 0.7


def test_the_scale_is_learned_from_the_series_magnitudes() -> None:
    rng = np.random.default_rng(3)
    noises = [100 + rng.normal(0, 10 / np.sqrt(2), 40) for _ in range(40)]
    learned = learn(noises, 1)
    assert learned.scale == pytest.approx(0.1, rel=0.35)
    assert learned.degrees == MAX_DEGREES


@pytest.mark.parametrize("value", [0.05, 0.5, 3.0, 40.0])
def test_the_inverse_of_the_trigamma_function_is_one(value) -> None:
    assert polygamma(1, inverse_trigamma(value)) == pytest.approx(value)


def test_level_and_trend_move_towards_the_mean_and_the_season_stays() -> None:
    first, other = flat_prior(), flat_prior()
    only = np.eye(len(first.levels))[0]
    first = replace(first, levels=only)
    drawn = shrink_to_mean({Frequency.MONTHLY: first, Frequency.WEEKLY: other})[Frequency.MONTHLY]
    mean = (only + other.levels) / 2
    np.testing.assert_allclose(drawn.levels, (1 - TO_MEAN) * only + TO_MEAN * mean)
    np.testing.assert_array_equal(drawn.seasons, first.seasons)


def test_years_have_no_say_in_the_pooled_season_and_tables_sum_to_one() -> None:
    years = replace(flat_prior(), seasons=np.array([1.0, 0, 0, 0, 0]))
    months = replace(flat_prior(), seasons=np.array([0.0, 0, 0, 0, 1]))
    tables = tables_of(pooled_prior({Frequency.YEARLY: years, Frequency.MONTHLY: months}))
    assert tables["seasons"] == [0, 0, 0, 0, 1]
    assert sum(tables["levels"]) == pytest.approx(1.0, abs=1e-3)


def test_intervals_are_widened_in_full_and_narrowed_by_half() -> None:
    needed = np.linspace(0.01, 2.0, 200)
    wide = [Case("M4", Frequency.WEEKLY, needed)]
    assert coverage(wide, learn_factor(wide)) == pytest.approx(95, abs=1)
    narrow = [Case("M4", Frequency.WEEKLY, needed / 4)]
    assert np.quantile(needed / 4, 0.95) < learn_factor(narrow) < 1.0


def test_a_window_is_judged_by_each_model_by_what_its_interval_misses() -> None:
    values = 100 + np.random.default_rng(4).normal(0, 10, 20)
    past = History(values, (52,), Frequency.WEEKLY)
    near, far = (judge(Window("M4", past, np.full(3, value))) for value in (values.mean(), 1_000.0))
    assert len(near) == len(far) == 2
    assert all((case.needed < 1).all() for case in near)
    assert all((case.needed > 1).all() for case in far)
    assert near[0].frequency in LEARNED
