"""The covariances of the small Gaussian models."""

import numpy as np
import pytest

from app.forecasting.intervals.learned import LEARNED, PRIOR_FREQUENCIES
from app.forecasting.short_history.structures import (
    LEVEL_COUNT,
    MAX_PRIOR_PERIOD,
    SEASONS,
    TREND_COUNT,
    likely_structures,
    make_kernels,
    usable_period,
)
from app.timeseries.calendar.frequency import Frequency


@pytest.mark.parametrize("season", [1, 4, 7, 12, 24, 52])
@pytest.mark.parametrize("points", [3, 10, 60])
def test_every_structure_has_a_positive_definite_covariance(season, points) -> None:
    kernels = make_kernels(points, 5, season)
    assert len(kernels.levels) == LEVEL_COUNT
    assert len(kernels.trends) == TREND_COUNT
    assert len(kernels.seasons) == (len(SEASONS) if season > 1 else 1)
    seasons = range(len(kernels.seasons))
    types = np.array(
        [(i, j, k) for i in range(LEVEL_COUNT) for j in range(TREND_COUNT) for k in seasons]
    )
    known = kernels.covariances(types, 0, points)
    np.testing.assert_allclose(known, known.swapaxes(1, 2), atol=1e-9)
    assert np.isfinite(np.linalg.cholesky(known)).all()


def test_the_kernels_of_a_step_do_not_depend_on_the_horizon() -> None:
    near, far = make_kernels(20, 3, 12), make_kernels(20, 50, 12)
    types = np.array([(0, 0, 0), (3, 4, 2), (5, 6, 4)])
    np.testing.assert_array_equal(
        near.covariances(types, 20, 23), far.covariances(types, 20, 70)[:, :3]
    )
    np.testing.assert_array_equal(near.variances(types, 20), far.variances(types, 20)[:, :3])


@pytest.mark.parametrize("season", [7, 12, 24])
def test_a_seasonal_profile_returns_and_has_no_level(season) -> None:
    kernels = make_kernels(2 * season, 1, season)
    profile = kernels.seasons[2, :season, :season]
    np.testing.assert_allclose(profile.sum(axis=0), 0.0, atol=1e-9)
    np.testing.assert_array_equal(profile, kernels.seasons[2, :season, season : 2 * season])


def test_neighbouring_hours_are_alike_and_weekdays_are_not() -> None:
    hours, days = make_kernels(24, 1, 24).seasons[1], make_kernels(7, 1, 7).seasons[1]
    assert hours[0, 1] > 0.8 * hours[0, 0]
    assert days[0, 1] < 0


def test_the_random_walk_adds_one_variance_a_step_and_noise_has_half_of_one() -> None:
    kernels = make_kernels(10, 1, 1)
    differences = np.diff(np.diff(kernels.levels[:5, :10], axis=1), axis=2)
    for kernel in differences:
        np.testing.assert_allclose(np.diagonal(kernel), 1.0)


def test_a_season_is_looked_for_up_to_a_year_of_weeks() -> None:
    assert usable_period(()) == 1
    assert usable_period((24, 168)) == 24
    assert usable_period((MAX_PRIOR_PERIOD,)) == MAX_PRIOR_PERIOD
    assert usable_period((1_440, 10_080)) == 1


@pytest.mark.parametrize("frequency", PRIOR_FREQUENCIES)
def test_structures_that_are_left_out_are_negligible(frequency) -> None:
    prior = LEARNED.priors[frequency]
    types, log_prior = likely_structures(prior, 12)
    assert len(np.unique(types, axis=0)) == len(types)
    assert 0.99 <= np.exp(log_prior).sum() <= 1.0 + 1e-3
    assert (np.diff(log_prior) <= 0).all()


def test_no_structure_has_a_season_without_a_period() -> None:
    types, _ = likely_structures(LEARNED.priors[Frequency.DAILY], 1)
    assert (types[:, 2] == 0).all()
