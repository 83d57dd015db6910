"""The regressors of a column: bent lines, categories, delays, waves within a season."""

import numpy as np
import pytest

from app.forecasting.regressors.columns import KnownColumns
from app.forecasting.regressors.design import RegressorGroup, main_groups, wave_groups
from app.timeseries.types import FloatArray

POINTS, AHEAD = 200, 12
RANDOM = np.random.default_rng(1)
WEATHER = RANDOM.normal(15, 8, POINTS + AHEAD)


def known_columns(*columns: FloatArray, is_category: bool = False) -> KnownColumns:
    return KnownColumns(np.array(columns), np.full(len(columns), is_category))


def shown_effect(groups: list[RegressorGroup], effect: FloatArray) -> FloatArray:
    """Return the effect as far as the regressors can show it."""
    design = np.vstack([np.ones(POINTS + AHEAD), *(group.values for group in groups)]).T
    return design @ np.linalg.lstsq(design, effect, rcond=None)[0]


def test_a_u_shaped_effect_is_fitted_by_bent_lines() -> None:
    effect = np.abs(WEATHER - 15)
    missed = effect - shown_effect(main_groups(known_columns(WEATHER), POINTS, 7, None), effect)
    assert missed.std() < 0.1 * effect.std()


@pytest.mark.parametrize(
    "column",
    [np.ones(POINTS + AHEAD), np.arange(POINTS + AHEAD), -np.floor(np.arange(POINTS + AHEAD) / 9)],
)
def test_constants_and_trends_are_left_to_the_models(column: FloatArray) -> None:
    assert not main_groups(known_columns(column.astype(float)), POINTS, 7, None)
    assert not wave_groups(known_columns(column.astype(float)), POINTS, 24)


def test_each_category_but_the_most_frequent_has_its_effect() -> None:
    kinds = np.array(([7.0, 7.0, 7.0, 2.0, 5.0] * 50)[: POINTS + AHEAD])
    (group,) = main_groups(known_columns(kinds, is_category=True), POINTS, 7, None)
    np.testing.assert_array_equal(np.sort(group.values.sum(axis=1)), [42, 42])
    assert not group.values[:, kinds == 7].any()


def test_a_category_that_is_new_ahead_has_no_effect() -> None:
    kinds = np.concatenate([np.arange(POINTS) % 3.0, np.full(AHEAD, 9.0)])
    (group,) = main_groups(known_columns(kinds, is_category=True), POINTS, 7, None)
    assert not group.values[:, POINTS:].any()


def test_a_binary_column_has_one_regressor() -> None:
    switch = (np.arange(POINTS + AHEAD) % 5 == 0).astype(float)
    group, _late = main_groups(known_columns(switch), POINTS, 7, None)
    assert group.values.shape == (1, POINTS + AHEAD)


def test_an_effect_may_grow_with_the_usual_value() -> None:
    profile = 1 + 0.5 * np.sin(np.arange(POINTS + AHEAD) / 4)
    plain, growing, _late = main_groups(known_columns(WEATHER), POINTS, 7, profile)
    np.testing.assert_allclose(growing.values, plain.values * profile)


def test_a_lagged_effect_is_fitted() -> None:
    late = np.concatenate([WEATHER[:1], WEATHER[:-1]])
    effect = (late + np.concatenate([late[:1], late[:-1]])) / 2
    missed = effect - shown_effect(main_groups(known_columns(WEATHER), POINTS, 7, None), effect)
    assert missed.std() < 1e-9


def test_an_effect_may_differ_by_the_hour() -> None:
    effect = (WEATHER - WEATHER[:POINTS].mean()) * np.cos(2 * np.pi * np.arange(212) / 24)
    missed = effect - shown_effect(wave_groups(known_columns(WEATHER), POINTS, 24), effect)
    assert missed.std() < 1e-9


def test_a_regressor_knows_nothing_of_later_steps() -> None:
    other = np.concatenate([WEATHER[: POINTS + 4], WEATHER[POINTS + 4 :] + 3])
    for make in (
        lambda column: main_groups(known_columns(column), POINTS, 7, None),
        lambda column: wave_groups(known_columns(column), POINTS, 24),
    ):
        for group, changed in zip(make(WEATHER), make(other), strict=True):
            np.testing.assert_array_equal(
                group.values[:, : POINTS + 4], changed.values[:, : POINTS + 4]
            )
