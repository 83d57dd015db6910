"""Intervals from errors at past origins, by step and by phase."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri

from app.forecasting.intervals.conformal import (
    ErrorScale,
    learned_half_widths,
    log_volatility_ratio,
    measure_errors,
    phase_error_ratios,
    skewed_half_widths,
    step_scale,
)
from app.forecasting.intervals.learned import CONFIDENCE_LEVELS, LEARNED, interpolate_levels
from app.forecasting.intervals.short_history import SeasonShortfall
from app.forecasting.members.types import BacktestedForecast
from app.forecasting.past_origins import BacktestTask
from app.timeseries.calendar.frequency import Frequency
from tests.forecasting.tasks import PLAIN

LONG = SeasonShortfall.of(10_000, 1)
WEIGHED, ROBUST = LEARNED.weighed[Frequency.HOURS], LEARNED.robust[Frequency.HOURS]
CONFIDENCES = (0.1, 0.25, 0.5, 0.65, 0.8, 0.9, 0.95, 0.97, 0.99)


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def normal_scale(rng, independent=28.0, horizon=4):
    """Return errors of standard deviation 1 in units of their mean absolute value."""
    mean_absolute = np.sqrt(2 / np.pi)
    scores = rng.standard_normal(100_000) / mean_absolute
    return scale_of(np.full(horizon, mean_absolute), scores, independent)


def scale_of(ahead, scores, independent):
    return ErrorScale(ahead, scores, np.full(len(ahead), independent), 0.0, LONG)


def bounds(scale, confidence, widths=WEIGHED):
    """Return the bounds around a median of 0."""
    half = (
        interpolate_levels(learned_half_widths(scale, widths), confidence) * scale.expected_errors
    )
    return -half, half


def bounds_and_median(scale, confidence):
    """Return the bounds and the median of a forecast of 0 whose errors may be skewed."""
    sides = skewed_half_widths(scale, ROBUST)
    median = sides.median_shift * scale.expected_errors
    below, above = (interpolate_levels(side, confidence) for side in (sides.below, sides.above))
    return median - below * scale.expected_errors, median, median + above * scale.expected_errors


def task_of(values, targets, pooled_leads):
    """Return a task without a season whose origins are the first steps of the history."""
    origins = tuple(range(len(targets)))
    return BacktestTask(values, PLAIN, targets.shape[1], pooled_leads, origins, targets, ())


def test_errors_by_step_are_averaged_and_never_shrink_with_the_horizon() -> None:
    errors = np.array([[1.0, -4, 2], [-1, 2, 2]])
    np.testing.assert_allclose(step_scale(errors, 1), [1, 3, 3])


def test_the_scale_beyond_the_last_error_grows_like_that_of_a_random_walk() -> None:
    errors = np.full((3, 8), np.nan)
    errors[:, :2] = 5.0
    np.testing.assert_allclose(step_scale(errors, 1)[[1, 7]], [5, 10])


def test_a_phase_with_larger_errors_stands_out_once_it_was_seen_often() -> None:
    relative = np.tile([1.0, 3.0], 500)
    factors = phase_error_ratios(relative, np.arange(1_000) % 2, 2)
    np.testing.assert_allclose(factors, [1, 3], rtol=0.1)
    assert phase_error_ratios(relative[:2], np.arange(2), 2)[1] < 1.2


def test_scale_of_errors_without_season_or_sign_is_their_mean(rng) -> None:
    errors = rng.standard_normal((40, 6))
    forecast = BacktestedForecast(np.zeros(6), backtest=-errors)
    values = rng.standard_normal(500)
    scale = measure_errors(forecast, task_of(values, np.zeros((40, 6)), pooled_leads=3))
    assert scale.expected_errors[-1] == pytest.approx(np.abs(errors).mean(axis=0).max())
    # Of three steps at least: the windows do not overlap.
    assert scale.independent_forecasts == pytest.approx([40 / 3 + 1] * 3 + [11, 9, 40 / 6 + 1])


def test_many_normal_errors_give_about_the_normal_interval(rng) -> None:
    for confidence in (0.5, 0.8, 0.95):
        lower, upper = bounds(normal_scale(rng), confidence)
        assert upper[0] == pytest.approx(ndtri((1 + confidence) / 2), rel=0.2)
        np.testing.assert_allclose(lower, -upper)


def test_few_independent_errors_widen_the_interval(rng) -> None:
    many, few = (bounds(normal_scale(rng, count), 0.95)[1][0] for count in (40, 2))
    assert few > 1.1 * many


def test_bounds_move_apart_with_the_confidence(rng) -> None:
    scale = normal_scale(rng, 3.0)
    skewed = scale_of(scale.expected_errors, np.exp(scale.scores) - 1.5, 3.0)
    for errors in (scale, skewed):
        plain = [bounds(errors, level) for level in CONFIDENCES]
        skew = [bounds_and_median(errors, level) for level in CONFIDENCES]
        for lower, upper in (
            ([p[0] for p in plain], [p[1] for p in plain]),
            ([s[0] for s in skew], [s[2] for s in skew]),
        ):
            assert (np.diff(np.stack(lower), axis=0) <= 0).all()
            assert (np.diff(np.stack(upper), axis=0) >= 0).all()


def test_skewed_errors_give_a_longer_side(rng) -> None:
    errors = rng.exponential(1.0, 50_000) - np.log(2)
    lower, median, upper = bounds_and_median(
        scale_of(np.ones(3), errors, 100.0), CONFIDENCE_LEVELS[3]
    )
    assert (upper - median > 2 * (median - lower)).all()
    assert (lower <= median).all()


def test_one_sided_errors_at_most_double_their_side(rng) -> None:
    one_sided = scale_of(np.ones(1), rng.exponential(1.0, 2_000), 50.0)
    lower, median, upper = bounds_and_median(one_sided, 0.95)
    assert upper[0] == pytest.approx(np.quantile(one_sided.scores, 0.975), rel=0.25)
    assert lower[0] < median[0]


def test_the_median_follows_a_bias_of_the_past(rng) -> None:
    scale = scale_of(np.ones(2), rng.standard_normal(1_000) + 2.0, 50.0)
    assert bounds_and_median(scale, 0.8)[1][0] > 0.5


def test_errors_of_zero_give_an_interval_without_width() -> None:
    scale = scale_of(np.zeros(3), np.zeros(10), 5.0)
    lower, upper = bounds(scale, 0.95)
    np.testing.assert_array_equal(lower, 0.0)
    np.testing.assert_array_equal(upper, 0.0)


def test_after_two_seasons_an_interval_is_wider_by_what_was_learned(rng) -> None:
    long = normal_scale(rng)
    short = replace(long, shortfall=SeasonShortfall.of(2 * 24, 24))
    wider = short.shortfall.widening_factors(WEIGHED.exponents)
    for level, factor in zip(CONFIDENCE_LEVELS, wider, strict=True):
        _, upper = bounds(long, level)
        _, upper_after_short = bounds(short, level)
        np.testing.assert_allclose(upper_after_short, factor * upper)


def test_without_a_season_no_step_is_narrower_than_the_one_before(rng) -> None:
    errors = rng.standard_normal((40, 6))
    falling = BacktestedForecast(np.linspace(300.0, 10.0, 6), backtest=200.0 - errors)
    values = np.linspace(600.0, 310.0, 80)
    scale = measure_errors(falling, task_of(values, np.full((40, 6), 200.0), pooled_leads=6))
    assert (np.diff(scale.expected_errors) >= 0).all()


def test_a_calm_window_at_the_origins_does_not_decide_the_interval_of_a_walk(rng) -> None:
    scale = np.where(np.arange(6_000) < 4_000, 3.0, 1.0)
    walk = np.cumsum(scale * rng.standard_normal(6_000))
    origins = tuple(range(4_000, 5_900, 10))
    targets = np.stack([walk[origin : origin + 5] for origin in origins])
    naive = np.abs(targets - walk[np.array(origins) - 1][:, None]).mean()
    assert log_volatility_ratio(walk, origins, targets, naive) == pytest.approx(
        np.log(7 / 3), abs=0.1
    )
    assert log_volatility_ratio(walk, origins, targets, 0.4 * naive) == 0.0


def test_volatility_of_the_whole_history_widens_the_interval(rng) -> None:
    clipped = normal_scale(rng)
    _, usual = bounds(clipped, 0.95)
    _, wider = bounds(replace(clipped, log_volatility=1.0), 0.95)
    assert (wider > 1.2 * usual).all()
