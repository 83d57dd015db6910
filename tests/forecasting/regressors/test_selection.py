"""Groups of regressors are chosen by their evidence."""

import numpy as np

from app.forecasting.regressors.design import RegressorGroup
from app.forecasting.regressors.selection import Moments, select_groups
from app.timeseries.types import FloatArray

POINTS = 300
RANDOM = np.random.default_rng(5)
COLUMNS = RANDOM.normal(size=(4, POINTS))
NOISE = RANDOM.normal(size=POINTS)


def selected_columns(values: FloatArray, groups: list[RegressorGroup]) -> set[int]:
    rows = np.vstack([columns.values for columns in groups])
    rows = rows / np.sqrt((rows**2).mean(axis=1, keepdims=True))
    group_indices = np.repeat(np.arange(len(groups)), [len(columns.values) for columns in groups])
    return set(select_groups(Moments.of(rows, values, np.ones(POINTS)), groups, group_indices))


def group(column: int, *rows: FloatArray, is_main: bool = True) -> RegressorGroup:
    return RegressorGroup(column, np.array(rows), is_main)


ALL_GROUPS = [group(index, row) for index, row in enumerate(COLUMNS)]


def test_columns_with_an_effect_are_chosen_and_no_others() -> None:
    assert selected_columns(COLUMNS[0] - 0.5 * COLUMNS[2] + NOISE, ALL_GROUPS) == {0, 2}


def test_noise_selects_no_column() -> None:
    assert not any(selected_columns(RANDOM.normal(size=POINTS), ALL_GROUPS) for _ in range(200))


def test_a_column_that_is_there_twice_is_chosen_once() -> None:
    twice = [*ALL_GROUPS, group(4, 3 * COLUMNS[0])]
    assert len(selected_columns(COLUMNS[0] + NOISE, twice)) == 1


def test_an_effect_by_the_hour_needs_one_of_its_column() -> None:
    by_hour = group(1, COLUMNS[0], is_main=False)
    assert selected_columns(COLUMNS[0] + NOISE, [group(1, COLUMNS[1]), by_hour]) == set()
    values = COLUMNS[0] + COLUMNS[1] + NOISE
    assert selected_columns(values, [group(1, COLUMNS[1]), by_hour]) == {0, 1}


def test_effects_are_found_and_how_sure_they_are() -> None:
    moments = Moments.of(COLUMNS[:2], 2 * COLUMNS[0] + NOISE, np.ones(POINTS))
    mean, covariance = moments.solve(np.full(2, 9.0))
    np.testing.assert_allclose(mean, [2, 0], atol=4 / np.sqrt(POINTS))
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), 1 / np.sqrt(POINTS), rtol=0.2)


def test_points_without_weight_change_nothing() -> None:
    values, weights = COLUMNS[0] + NOISE, (np.arange(POINTS) % 2).astype(float)
    wild = np.where(weights > 0, values, 1e6)
    first, second = (Moments.of(COLUMNS, series, weights) for series in (values, wild))
    np.testing.assert_allclose(first.moment, second.moment)
