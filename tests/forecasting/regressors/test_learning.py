"""Effects are learned from points by their noise, and of many columns from the strongest."""

import numpy as np
import pytest

from app.forecasting.regressors.columns import KnownColumns
from app.forecasting.regressors.learning import (
    MAX_EFFECT_POINTS,
    MAX_LEARNED_COLUMNS,
    ColumnEffects,
    learn_effects,
)
from app.timeseries.types import FloatArray

RANDOM = np.random.default_rng(3)
POINTS, AHEAD = 700, 28
STEPS = np.arange(POINTS + AHEAD)
SEASON = 5 * np.sin(2 * np.pi * STEPS / 7)
NOISE = RANDOM.normal(size=POINTS + AHEAD)
COLUMN = RANDOM.normal(size=POINTS + AHEAD)


def effects_of(values: FloatArray, *columns: FloatArray) -> ColumnEffects | None:
    known = KnownColumns(np.array(columns), np.zeros(len(columns), dtype=bool))
    return learn_effects(values[:POINTS], known, 7, 7, None)


def effect_of(effects: ColumnEffects | None) -> FloatArray:
    assert effects is not None
    effect: FloatArray = effects.effects @ effects.regressors
    return effect - effect.mean()


@pytest.mark.parametrize("size", [0.5, -2.0])
def test_an_effect_is_estimated_at_its_size(size: float) -> None:
    effect = effect_of(effects_of(SEASON + NOISE + size * COLUMN, COLUMN))
    assert effect @ COLUMN / (COLUMN @ COLUMN) == pytest.approx(size, abs=0.15)


def test_outliers_do_not_move_an_effect() -> None:
    wild = np.where(RANDOM.random(POINTS + AHEAD) < 0.02, 20.0, 0.0)
    effect = effect_of(effects_of(SEASON + NOISE + COLUMN + wild, COLUMN))
    assert effect @ COLUMN / (COLUMN @ COLUMN) == pytest.approx(1.0, abs=0.35)


def test_quiet_days_of_the_week_count_more_than_noisy_ones() -> None:
    noise = NOISE * np.where(STEPS % 7 < 5, 0.2, 12.0)
    effect = effect_of(effects_of(SEASON + noise + COLUMN, COLUMN))
    assert effect @ COLUMN / (COLUMN @ COLUMN) == pytest.approx(1.0, abs=0.1)


def test_the_strongest_of_many_columns_are_learned() -> None:
    many = RANDOM.normal(size=(3 * MAX_LEARNED_COLUMNS, POINTS + AHEAD))
    many[50] = COLUMN
    effects = effects_of(SEASON + NOISE + 3 * np.abs(COLUMN), *many)
    assert effects is not None
    assert 50 in effects.column_indices
    assert len(np.unique(effects.column_indices)) <= MAX_LEARNED_COLUMNS


def test_points_long_ago_change_nothing() -> None:
    count = MAX_EFFECT_POINTS + POINTS
    column = RANDOM.normal(size=count + AHEAD)
    values = (
        5 * np.sin(2 * np.pi * np.arange(count) / 7) + RANDOM.normal(size=count) + column[:count]
    )
    other = values.copy()
    other[: POINTS - 1] += 1e3
    known = KnownColumns(column[None], np.zeros(1, dtype=bool))
    first, second = (learn_effects(series, known, 7, 7, None) for series in (values, other))
    assert first is not None
    assert second is not None
    np.testing.assert_array_equal(first.effects, second.effects)


def test_an_effect_that_is_unsure_has_a_wider_deviation() -> None:
    deviations = []
    for scale in (1.0, 4.0):
        effects = effects_of(SEASON + scale * NOISE + 2 * COLUMN, COLUMN)
        assert effects is not None
        deviations.append(effects.deviation(POINTS).mean())
    assert deviations[1] > 2 * deviations[0]
