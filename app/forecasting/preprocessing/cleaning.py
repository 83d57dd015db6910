"""Decompose a disturbed series robustly: season, level shifts and outliers.

All of it uses medians, so that a few outliers have no effect. The season is the median of each
phase around a running median (a robust form of classical decomposition). A lasting change of level
shows in the medians of neighbouring windows (`level_shifts`). Points further from a local median
than a few scaled median absolute deviations are clipped (Hampel 1974).
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.preprocessing.level_shifts import last_level_shift, move_to_new_level
from app.forecasting.preprocessing.seasonality import Seasonality, find_seasonality
from app.timeseries.bounds import floor_of
from app.timeseries.phases import phase_medians
from app.timeseries.robust import mad_sigma, robust_sigma
from app.timeseries.running_median import running_median
from app.timeseries.types import FloatArray

_OUTLIER_SIGMAS = 3.5
_DEFAULT_CYCLE_STEPS = 12  # for a series without a season
# A line is a trend if it rises by this many sigmas within this many seasons.
_SLOPE_SIGMAS = 3.0
_SLOPE_SEASONS = 3
# A series grows exponentially if its logarithms rise steadily by more than this in total.
_MIN_LOG_GROWTH = 1.0
# The level at an end of a series is the median of this many points: two may be outliers.
_MIN_END_POINTS = 5
# Only gross outliers are removed from a short history, where 3.5 sigmas may be growth.
_GROSS_WINDOW = 5
_GROSS_SIGMAS = 15.0
# Growth is steady if its rate differs between quarters of the history by less than this fraction.
_MAX_UNEVENNESS = 0.2
_MIN_GROWTH_POINTS = 8
# Residuals below this fraction of their typical magnitude are zeros with rounding errors: these are
# a billionth of a value, and residuals are thousands of times smaller than values.
_MAX_ZERO_RATIO = 1e-6
# A season is removed only if it explains at least this fraction of the mean absolute deviation.
_MIN_CLEANING_GAIN = 0.03


@dataclass(frozen=True)
class CleanedSeries:
    """A decomposed series; arrays have shape (n,) unless given.

    Attributes:
        moved: The raw values, those before the last level shift moved to the new level.
        clipped: ``moved`` with outliers clipped.
        season: The seasonal deviation at each step.
        season_ahead: The same for the next h steps, shape (h,).
        shift: The index of the last level shift, 0 for none.
    """

    moved: FloatArray
    clipped: FloatArray
    season: FloatArray
    season_ahead: FloatArray
    shift: int


def clean_series(values: FloatArray, seasonality: Seasonality, horizon: int) -> CleanedSeries:
    """Decompose ``values`` (n,), with the season of ``horizon`` further steps.

    A steady trend, as a line or as exponential growth, is removed first and added again.
    """
    points = len(values)
    rate = steady_growth(values, seasonality.period)
    if abs(rate) * points > _MIN_LOG_GROWTH:
        # Ordinary values at the end of such a series would be outliers at its beginning.
        growth = np.exp(rate * np.arange(1.0 - points, horizon + 1.0))
        cleaned = _clean_level(values / growth[:points], seasonality, horizon)
        return replace(
            cleaned,
            moved=cleaned.moved * growth[:points],
            clipped=cleaned.clipped * growth[:points],
            season=cleaned.season * growth[:points],
            season_ahead=cleaned.season_ahead * growth[points:],
        )
    # The ends of a line are far from any local median, and would look like outliers or a shift.
    line = steady_slope(values, seasonality.period) * np.arange(1.0 - points, 1.0)
    cleaned = _clean_level(values - line, seasonality, horizon)
    floor = floor_of(values)
    return replace(
        cleaned,
        moved=np.maximum(cleaned.moved + line, floor),
        clipped=np.maximum(cleaned.clipped + line, floor),
    )


def _clean_level(values: FloatArray, seasonality: Seasonality, horizon: int) -> CleanedSeries:
    points = len(values)
    # The long season would take a recent shift for an effect of one of its short cycles.
    residuals = values - robust_season(values, replace(seasonality, long=0), horizon)[:points]
    shift = last_level_shift(residuals, seasonality)
    cycle = seasonality.short or _DEFAULT_CYCLE_STEPS
    moved = move_to_new_level(values, residuals, shift, 2 * cycle)
    whole_season = robust_season(moved, seasonality, horizon)
    season = whole_season[:points]
    residuals = moved - season
    local = local_level(residuals, (cycle // 2 + 1) | 1)
    deviation = residuals - local
    limit = _OUTLIER_SIGMAS * _noise_sigma(deviation)
    clipped = season + local + np.clip(deviation, -limit, limit)
    return CleanedSeries(
        moved=moved, clipped=clipped, season=season, season_ahead=whole_season[points:], shift=shift
    )


def steady_slope(values: FloatArray, period: int = 1) -> float:
    """Return the slope of a series that rises or falls throughout, 0 if noise hides it.

    It is the median change over a quarter of the history, in whole seasons (after Theil 1950),
    which noise, outliers and a change of level hardly affect. It counts if it changes the series
    within a few seasons by far more than the noise of these changes.
    """
    points = len(values)
    lag = max(1, points // 4 // period) * period
    changes = values[lag:] - values[:-lag]
    middle = float(np.median(changes))
    noise = mad_sigma(changes - middle)
    slope = middle / lag
    span = min(lag, _SLOPE_SEASONS * (period if period > 1 else _DEFAULT_CYCLE_STEPS))
    return slope if abs(slope) * span > _SLOPE_SIGMAS * noise else 0.0


def steady_growth(values: FloatArray, period: int) -> float:
    """Return the slope of the logarithms of a series that grows or decays at one rate, else 0.

    Growth that slows down has a slope, too, so the rates of all quarters of the history must agree.
    """
    if len(values) < _MIN_GROWTH_POINTS or values.min() <= 0:
        return 0.0
    logs = np.log(values)
    rises = np.diff([np.median(quarter) for quarter in np.array_split(logs, 4)])
    mean_rise = float(rises.mean())
    is_uneven = np.abs(rises - mean_rise).max() >= _MAX_UNEVENNESS * abs(mean_rise)
    return 0.0 if is_uneven else steady_slope(logs, period)


def robust_season(values: FloatArray, seasonality: Seasonality, horizon: int) -> FloatArray:
    """Return the seasonal deviation of each step and of the next ``horizon``, shape (n + h,).

    The short season has a median for each phase. The long one has an offset for each of its short
    cycles, such as a weekday, if it is a whole number of them: few long cycles do not show more.
    """
    points = len(values)
    short, long = seasonality.short, seasonality.long
    index = np.arange(points + horizon)
    season = np.zeros(points + horizon)
    if not short:
        return season
    residuals = values - running_median(values, 2 * short)
    medians = phase_medians(residuals, short)
    medians = medians - np.median(medians)
    if is_explained_by(residuals, medians[index[:points] % short], _MIN_CLEANING_GAIN):
        season += medians[index % short]
    if long and long % short == 0 and points >= long:
        cycles = long // short
        deseasonalized = values - season[:points]
        residuals = deseasonalized - running_median(deseasonalized, long)
        cycle = (index // short) % cycles
        offsets = np.array([np.median(residuals[cycle[:points] == k]) for k in range(cycles)])
        offsets = offsets - np.median(offsets)
        if is_explained_by(residuals, offsets[cycle[:points]], _MIN_CLEANING_GAIN):
            season += offsets[cycle]
    return season


def is_explained_by(values: FloatArray, part: FloatArray, min_gain: float) -> bool:
    """Return whether subtracting ``part`` reduces the mean magnitude by a ``min_gain`` of it."""
    return float(np.abs(values - part).mean()) <= (1 - min_gain) * float(np.abs(values).mean())


def clip_gross_outliers(values: FloatArray, period: int) -> FloatArray:
    """Replace gross outliers by the season and the running median; for short histories.

    Args:
        values: Shape (n,).
        period: Seasonal period in steps, 1 for none.
    """
    season = robust_season(values, find_seasonality(len(values), (period,)), 0)
    residuals = values - season
    local = running_median(residuals, _GROSS_WINDOW)
    deviation = residuals - local
    # A running median follows any trend exactly: the noise of such a series shows in its changes.
    limit = _GROSS_SIGMAS * _noise_sigma(np.diff(residuals))
    return np.where(np.abs(deviation) > limit, season + local, values)


def _noise_sigma(residuals: FloatArray) -> float:
    """Return ``robust_sigma``, without the rounding of residuals that are mostly 0."""
    size = np.abs(residuals)
    # The largest twentieth may be outliers.
    typical_size = np.sort(size)[: max(1, len(size) * 19 // 20)].mean()
    return robust_sigma(np.where(size > _MAX_ZERO_RATIO * typical_size, residuals, 0.0))


def local_level(values: FloatArray, window: int) -> FloatArray:
    """Return the centred running median, shape (n,), which follows a trend at both ends.

    A mirrored series would turn at its ends, and the last points of a trend would be outliers. So
    it is rotated about its end: the end of the line through the medians of the last two windows.
    """
    half = window // 2
    size = max(half, _MIN_END_POINTS)
    if len(values) < 2 * size:
        return running_median(values, window)
    ends = []
    for side in (values[::-1], values):
        last, before = np.median(side[-size:]), np.median(side[-2 * size : -size])
        end = last + (last - before) * (size - 1) / (2 * size)
        ends.append(2 * end - side[-2 : -half - 2 : -1])
    padded = np.concatenate([ends[0][::-1], values, ends[1]])
    return running_median(padded, window)[half:-half]
