"""The expected value of each point: from the season, the level and the neighbouring points."""

from dataclasses import dataclass

import numpy as np

from app.anomalies.change_points import LevelStep, find_steps, step_levels
from app.anomalies.neighbours import expect_from_neighbours
from app.anomalies.seasons import SeasonalProfile, find_profiles, seasonal_part
from app.timeseries.robust import clip_to_median, running_median
from app.timeseries.types import BoolArray, FloatArray

# From the running median, before seasons are detected: wide enough to keep a season's peaks.
_CLIP_SIGMAS = 6.0
_MEDIAN_WINDOW_POINTS = 25
# The level next to imputed values is the median of this many points.
_LEVEL_WINDOW_POINTS = 9


@dataclass(frozen=True)
class Decomposition:
    """A decomposed series of shape (n,).

    ``expected`` is the sum of the season, the level between the ``steps`` and the prediction from
    the neighbours of each point; ``without_season`` is the series minus its season, which is the
    sum of the ``profiles``.
    """

    expected: FloatArray
    season: FloatArray
    without_season: FloatArray
    steps: list[LevelStep]
    profiles: tuple[SeasonalProfile, ...]
    periods: tuple[int, ...]  # of the profiles, in steps, shortest first


def decompose_series(
    values: FloatArray, suggested: tuple[int, ...], period: int | None, excluded: BoolArray
) -> Decomposition:
    """Return the expected value of each point of a series and its parts.

    ``values``, shape (n,), are centred and scaled to their usual size; those ``excluded`` are
    imputed, and ignored for steps. The periods are those of ``find_profiles``.
    """
    clipped = clip_to_median(values, _MEDIAN_WINDOW_POINTS, _CLIP_SIGMAS)
    profiles = find_profiles(clipped, suggested, period)
    season = seasonal_part(profiles, len(values))
    without_season = values - season
    kept = np.flatnonzero(~excluded)
    steps = [LevelStep(int(kept[step.index]), step.t) for step in find_steps(without_season[kept])]
    levels = step_levels(without_season, steps)
    residual = impute_masked(without_season - levels, np.zeros_like(season), excluded)
    periods = tuple(len(profile.values) for profile in profiles)
    expected = season + levels + expect_from_neighbours(residual, periods)
    return Decomposition(expected, season, without_season, steps, profiles, periods)


def impute_masked(values: FloatArray, season: FloatArray, excluded: BoolArray) -> FloatArray:
    """Return the values, those excluded replaced by the season and the levels on both sides."""
    if not excluded.any():
        return values
    level = values - season
    index = np.arange(len(values))
    line = np.interp(
        index, index[~excluded], running_median(level[~excluded], _LEVEL_WINDOW_POINTS)
    )
    return np.where(excluded, season + line, values)
