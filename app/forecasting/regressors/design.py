"""The regressors of a column: the ways in which it may affect a series.

Demand for heating and cooling is a U over temperature (Hyndman and Fan 2010), the effect of heat is
delayed, and that of sunshine depends on the time of day. Each way is a group of regressors that is
learned or left out as a whole. A regressor at a step depends only on the column up to that step,
and on the history.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.regressors.columns import KnownColumns
from app.timeseries.least_squares import fourier_columns
from app.timeseries.types import FloatArray

_BENDS = (0.25, 0.5, 0.75)  # quantiles of the past values at which a line may bend
_MIN_DISTINCT_VALUES = 5  # the line of a column with fewer does not bend
_MAX_CATEGORIES = 12  # the most frequent categories, of which each has an effect
_MAX_WAVES = 2  # sine-cosine pairs over the shortest season, by which an effect may vary
_MIN_WAVE_STEPS = 12  # shorter seasons have no waves
_DELAY_STEPS = 2  # the steps before, whose mean has a delayed effect, without a season of waves


@dataclass(frozen=True)
class RegressorGroup:
    """Regressors of one column that are learned together: ``values`` of shape (p, n + h).

    A group that is not ``is_main`` is only learned after a main one of its column.
    """

    column: int
    values: FloatArray
    is_main: bool


def main_groups(
    columns: KnownColumns, points: int, period: int, profile: FloatArray | None
) -> list[RegressorGroup]:
    """Return the groups by which a column shows whether it has an effect, now or delayed.

    Args:
        columns: Known for n + h steps.
        points: How many of the steps are the history's: n.
        period: The shortest seasonal period in steps, 1 for none.
        profile: The mean of each step's phase, shape (n + h,), with mean magnitude 1; None if
            effects do not depend on it.
    """
    groups = []
    delay_steps = period if period >= _MIN_WAVE_STEPS else _DELAY_STEPS
    for index, regressors in _varying_columns(columns, points):
        groups.append(RegressorGroup(index, regressors, is_main=True))
        if profile is not None:
            groups.append(RegressorGroup(index, regressors * profile, is_main=True))
        if not columns.is_category[index]:
            delayed = _mean_before(regressors[0], delay_steps)
            groups.append(RegressorGroup(index, _bent_lines(delayed, points), is_main=True))
    return groups


def wave_groups(columns: KnownColumns, points: int, period: int) -> list[RegressorGroup]:
    """Return the groups of effects that vary over the shortest season, none for a short season."""
    if period < _MIN_WAVE_STEPS:
        return []
    groups = []
    steps = columns.values.shape[1]
    for index, regressors in _varying_columns(columns, points):
        has_several = len(regressors) > 1
        outer_lines = regressors[[0, len(regressors) // 2]] if has_several else regressors
        varying = outer_lines[:, None] * _season_waves(steps, period)
        groups.append(RegressorGroup(index, varying.reshape(-1, steps), is_main=False))
    return groups


def _varying_columns(columns: KnownColumns, points: int) -> list[tuple[int, FloatArray]]:
    """Return the index of each usable column, and its lines or categories, shape (p, n + h).

    A column that only rises, or only falls, is left out: trends and levels belong to the models.
    """
    candidates = []
    for index, column in enumerate(columns.values):
        past = column[:points]
        if columns.is_category[index]:
            candidates.append((index, _indicators(column, points)))
            continue
        changes = np.diff(past)
        if (changes >= 0).all() or (changes <= 0).all():
            continue
        centered = column - past.mean()
        scaled = centered / np.abs(centered[:points]).max()
        candidates.append((index, _bent_lines(scaled, points)))
    return [(index, regressors) for index, regressors in candidates if len(regressors)]


def _indicators(column: FloatArray, points: int) -> FloatArray:
    """Return an indicator of each category but the most frequent one, shape (p, n + h)."""
    categories, counts = np.unique(column[:points], return_counts=True)
    by_count = categories[np.argsort(-counts, kind="stable")]
    return (column == by_count[1 : _MAX_CATEGORIES + 1, None]).astype(np.float64)


def _bent_lines(column: FloatArray, points: int) -> FloatArray:
    """Return the column and its excess over each bend, shape (1 to 4, n + h)."""
    past = column[:points]
    if len(np.unique(past)) < _MIN_DISTINCT_VALUES:
        return column[None]
    bends = np.unique(np.quantile(past, _BENDS))
    bends = bends[(bends > past.min()) & (bends < past.max())]
    return np.vstack([column, np.maximum(column - bends[:, None], 0.0)])


def _mean_before(column: FloatArray, steps: int) -> FloatArray:
    """Return the mean of the ``steps`` values before each step; the first one is repeated."""
    total = np.cumsum(np.concatenate([np.full(steps, column[0]), column]))
    before: FloatArray = total[steps - 1 : -1] - np.concatenate([[0.0], total[: len(column) - 1]])
    return before / steps


def _season_waves(count: int, period: int) -> FloatArray:
    """Return the cosine and the sine of each wave over a season, shape (4, count)."""
    sines, cosines = np.split(fourier_columns(np.arange(period), period, _MAX_WAVES).T, 2)
    waves = np.stack([cosines, sines], axis=1).reshape(-1, period)
    return waves[:, np.arange(count) % period]
