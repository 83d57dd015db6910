"""Half-widths from features of a history, by factors of each confidence level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS, LEARNED, interpolate_levels
from app.forecasting.intervals.quantile_factors import (
    WidthFeatures,
    half_widths,
    member_width_weight,
)
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

NORMAL = np.array(
    [(np.log(ndtri((1 + level) / 2)), 0.0, 0.0, 0.0, 0.0) for level in CONFIDENCE_LEVELS]
)
FEATURES = WidthFeatures(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.2, 0.2]), 1.5, 1.2)


def half_width_at(halves, confidence=0.95):
    return interpolate_levels(halves, confidence)


def test_factors_of_the_normal_distribution_give_its_interval() -> None:
    half = half_width_at(half_widths(FEATURES, NORMAL))
    np.testing.assert_allclose(half, 1.959964 * FEATURES.standard_error, rtol=1e-6)


@pytest.mark.parametrize("confidence", [0.1, 0.3, 0.65, 0.85, 0.93, 0.97])
def test_between_the_levels_the_normal_quantile_is_followed(confidence) -> None:
    half = half_width_at(half_widths(FEATURES, NORMAL), confidence)
    np.testing.assert_allclose(
        half, ndtri((1 + confidence) / 2) * FEATURES.standard_error, rtol=1e-6
    )


def test_each_coefficient_weighs_its_own_feature() -> None:
    base = half_width_at(half_widths(FEATURES, NORMAL))
    weights = {
        1: np.log([1.0, 2.0, 3.0]),
        2: np.log(1.5 / FEATURES.standard_error),
        3: np.log(0.2 / FEATURES.standard_error).clip(np.log(0.05)),
        4: np.full(3, np.log(1.2)),
    }
    for column, logs in weights.items():
        factors = NORMAL.copy()
        factors[:, column] = 0.1
        half = half_width_at(half_widths(FEATURES, factors))
        np.testing.assert_allclose(half, base * np.exp(0.1 * logs), rtol=1e-6)


@pytest.mark.parametrize(
    "table", [LEARNED.with_arima, LEARNED.without_arima], ids=["with ARIMA", "without"]
)
@pytest.mark.parametrize("frequency", [Frequency.YEARLY, Frequency.QUARTERLY, Frequency.MONTHLY])
@given(
    confidences=st.tuples(st.floats(0.1, 0.99), st.floats(0.1, 0.99)),
    width=st.floats(1e-6, 1.0),
    share=st.floats(0.0, 1.0),
    change=st.floats(1e-6, 1.0),
)
def test_learned_factors_widen_with_confidence_and_horizon(
    table, frequency, confidences, width, share, change
) -> None:
    widths = width * np.sqrt(np.arange(1.0, 101.0))
    features = WidthFeatures(widths, share * widths, change, 1.0)
    halves = half_widths(features, table[frequency].factors)
    less, more = (half_width_at(halves, confidence) for confidence in sorted(confidences))
    assert np.all(less > 0)
    assert np.all(less <= more)
    assert np.all(np.diff(more) >= 0)


def test_a_perfect_past_gives_a_finite_interval() -> None:
    features = WidthFeatures(np.zeros(4), np.zeros(4), 0.0, 1.0)
    half = half_widths(features, LEARNED.without_arima[Frequency.MONTHLY].factors)
    assert np.all(np.isfinite(half))


def test_features_measure_the_seasonal_change_and_how_much_grew_lately() -> None:
    values = np.concatenate([np.tile([0.0, 1.0], 20), np.tile([0.0, 1.0], 5) * 3])
    history = History(values, (), Frequency.YEARLY)
    features = WidthFeatures.of(history, np.ones(2), np.ones(2))
    changes = np.abs(np.diff(values))
    assert features.seasonal_change == pytest.approx(changes.mean())
    assert features.recent_ratio == pytest.approx(changes[-8:].mean() / changes.mean())


def test_a_period_as_long_as_the_history_counts_as_none() -> None:
    history = History(np.arange(12.0), (12,), Frequency.MONTHLY)
    assert WidthFeatures.of(history, np.ones(2), np.ones(2)).seasonal_change == pytest.approx(1.0)


def test_the_power_by_which_intervals_grow_is_a_regressor_of_its_own() -> None:
    walk = WidthFeatures(np.sqrt(np.arange(1.0, 9.0)), np.ones(8), 1.0, 1.0)
    _, regressors = walk.regressors()
    np.testing.assert_allclose(regressors[:, 5], 0.5 * np.log(np.arange(1.0, 9.0)))


def test_long_history_moves_the_width_towards_its_own() -> None:
    assert member_width_weight(30, 0.4) == member_width_weight(10, 0.4) == 0.0
    assert member_width_weight(120, 0.4) == pytest.approx(0.3)
    wide = NORMAL + np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    learned, mixed = (
        half_width_at(half_widths(FEATURES, wide, member_weight=share)) for share in (0.0, 0.5)
    )
    own = 1.2 * 1.959964 * FEATURES.standard_error
    np.testing.assert_allclose(mixed, np.sqrt(learned * own), rtol=1e-6)


@pytest.mark.parametrize("level", CONFIDENCE_LEVELS)
def test_intervals_do_not_jump_at_a_learned_level(level) -> None:
    factors = NORMAL + np.arange(len(CONFIDENCE_LEVELS))[:, None] ** 2 / 10
    halves = half_widths(FEATURES, factors)
    np.testing.assert_allclose(
        half_width_at(halves, level), half_width_at(halves, level - 1e-9), rtol=1e-6
    )
