"""Fit a series: expected values, typical deviations, and anomalous segments.

Flat runs, and segments found in a first fit, are excluded: the fit of the rest judges their points.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from app.anomalies.change_points import LevelStep, find_steps, step_levels
from app.anomalies.neighbours import expect_from_neighbours
from app.anomalies.results import AnomalousSegment, segment_mask
from app.anomalies.runs import find_active_runs, find_flat_runs
from app.anomalies.scale import noise_scale
from app.anomalies.seasons import SearchedPeriods, SeasonalProfile, find_profiles
from app.anomalies.segments import find_segments
from app.anomalies.units import MIN_IDLE_FRACTION, NEGLIGIBLE, Units, find_units
from app.timeseries.numbers import TINY
from app.timeseries.robust import robust_sigma
from app.timeseries.running_median import running_median
from app.timeseries.types import BoolArray, FloatArray

# Logarithms are tried if the highest level is this many times the lowest.
_MIN_LOG_LEVEL_RATIO = 1.5
_TRIMMED_LEVEL_FRACTION = 0.05  # of the levels at each end, which that ratio leaves out
_MIN_DENSITY_GAIN = 0.14  # of the mean log density, for logarithms
_CLIP_MEDIANS = 6.0  # residuals are clipped at this many times their median
# Outliers are clipped around a running median before seasons are detected.
_CLIP_WINDOW_POINTS = 25
_MAX_PEAK_SIGMAS = 6.0
_MIN_PEAK_FRACTION = 0.5  # of this bound, which a season's peak exceeds in most cycles
_LEVEL_WINDOW_POINTS = 9  # their median is the level next to imputed values


@dataclass(frozen=True)
class SeriesFit:
    """A fitted series; its arrays have shape (n,)."""

    expected: FloatArray  # the season, the level between the steps, and what the neighbours add
    season: FloatArray  # the sum of the profiles
    without_season: FloatArray  # the values, those excluded imputed, less the season
    level_steps: list[LevelStep]
    profiles: tuple[SeasonalProfile, ...]  # shortest first
    periods: tuple[int, ...]  # of the profiles, in steps
    scale: FloatArray  # the typical size of the noise around each point
    scaled_residual: FloatArray  # the residuals divided by it
    is_excluded: BoolArray  # the points of the segments, which the fit leaves out
    segments: list[AnomalousSegment]  # flat runs first


def fit_values_or_logs(
    values: FloatArray,
    periods: SearchedPeriods,
    is_left_out: BoolArray | None = None,
    *,
    has_edges: bool = False,
) -> tuple[Units, SeriesFit] | None:
    """Fit a series (n,) or its logarithms, whichever has the steadier noise.

    Args:
        values: The series, with plausible values at the points that are left out.
        periods: As in `find_profiles`.
        is_left_out: Whether each point says nothing about the others, shape (n,).
        has_edges: As in `find_segments`.

    Returns:
        The units and the fit in them; None for a constant series.
    """
    is_left_out = np.zeros(len(values), dtype=bool) if is_left_out is None else is_left_out
    units = find_units(values)
    if units.unit == 0.0:
        return None
    flat_runs = find_flat_runs(values)
    fit_in = partial(_fit_scaled, periods, is_left_out, flat_runs, has_edges)
    fitted = fit_in(units.to_units(values))
    if values.min() <= 0 or not _has_varying_level(units.to_values(fitted.expected)):
        return units, fitted
    logs = find_units(values, is_log=True)
    in_logs = fit_in(logs.to_units(values))
    gain = _log_density(logs, in_logs) - _log_density(units, fitted)
    gain -= float(np.log(values).mean())
    return (logs, in_logs) if gain > _MIN_DENSITY_GAIN else (units, fitted)


def _fit_scaled(
    periods: SearchedPeriods,
    is_left_out: BoolArray,
    flat_runs: list[AnomalousSegment],
    has_edges: bool,
    values: FloatArray,
) -> SeriesFit:
    season = np.zeros(len(values))
    fitted = _fit_imputed(values, season, periods, is_left_out, flat_runs)
    if is_mostly_repeated(values):  # its activity is normal, unless it lasts
        flat_runs, segments = [], find_active_runs(values, fitted.periods)
    else:
        is_excluded = segment_mask(flat_runs, len(values)) | is_left_out
        if flat_runs:
            fitted = _fit_imputed(values, fitted.season, periods, is_excluded, flat_runs)
        residual = np.where(is_excluded, 0.0, fitted.scaled_residual)
        segments = find_segments(fitted.without_season, residual, has_edges=has_edges)
    if not segments:
        return fitted
    segments = [*flat_runs, *segments]
    is_excluded = segment_mask(segments, len(values)) | is_left_out
    return _fit_imputed(values, fitted.season, periods, is_excluded, segments)


def _fit_imputed(
    values: FloatArray,
    season: FloatArray,
    periods: SearchedPeriods,
    is_excluded: BoolArray,
    segments: list[AnomalousSegment],
) -> SeriesFit:
    """Fit a series (n,) in units; excluded values are imputed by ``season``, from a first fit.

    ``periods`` are as in ``find_profiles``.
    """
    n = len(values)
    imputed = _impute_masked(values, season, is_excluded)
    profiles = _find_profiles(imputed, periods)
    season = sum((profile.repeat(n) for profile in profiles), np.zeros(n))
    without_season = imputed - season
    kept = np.flatnonzero(~is_excluded)
    level_steps = [
        LevelStep(int(kept[step.index]), step.t) for step in find_steps(without_season[kept])
    ]
    levels = step_levels(without_season, level_steps)
    around = _impute_masked(without_season - levels, np.zeros(n), is_excluded)
    found_periods = tuple(round(profile.period) for profile in profiles)
    expected = season + levels + expect_from_neighbours(around, found_periods)
    residual = values - expected
    residual[np.abs(residual) < NEGLIGIBLE] = 0.0
    scale = noise_scale(residual, tuple(profile.period for profile in profiles), is_excluded)
    return SeriesFit(
        expected=expected,
        season=season,
        without_season=without_season,
        level_steps=level_steps,
        profiles=profiles,
        periods=found_periods,
        scale=scale,
        scaled_residual=residual / scale,
        is_excluded=is_excluded,
        segments=segments,
    )


def _find_profiles(values: FloatArray, periods: SearchedPeriods) -> tuple[SeasonalProfile, ...]:
    """Return the profiles of a series (n,) whose outliers are clipped.

    What most cycles of the longest season have at its phase is a peak, not an outlier.
    """
    n = len(values)
    around = running_median(values, min(_CLIP_WINDOW_POINTS, n))
    excess = values - around
    limit = _MAX_PEAK_SIGMAS * robust_sigma(excess)
    clipped = np.clip(excess, -limit, limit)
    profiles = find_profiles(around + clipped, periods)
    if not profiles or profiles[-1].period % 1:
        return profiles
    size = round(profiles[-1].period)
    cycles = np.sort(excess[n % size :].reshape(-1, size), axis=0)
    # Of an even number of cycles the one nearer to 0: an outlier in one of two is in one only.
    low, high = cycles[(len(cycles) - 1) // 2], cycles[len(cycles) // 2]
    min_peak = _MIN_PEAK_FRACTION * limit
    peaks = np.where(low > min_peak, low, np.where(high < -min_peak, high, 0.0))
    if not peaks.any():
        return profiles
    peak = peaks[(np.arange(n) - n) % size]
    clipped = np.where(peak, np.clip(excess, peak - limit, peak + limit), clipped)
    return find_profiles(around + clipped, periods)


def _impute_masked(values: FloatArray, season: FloatArray, is_excluded: BoolArray) -> FloatArray:
    """Return the values, those excluded replaced by the season and the levels on both sides."""
    if not is_excluded.any():
        return values
    index, is_kept = np.arange(len(values)), ~is_excluded
    levels = running_median((values - season)[is_kept], _LEVEL_WINDOW_POINTS)
    return np.where(is_excluded, season + np.interp(index, index[is_kept], levels), values)


def is_mostly_repeated(values: FloatArray) -> bool:
    """Return whether most values of a series equal the one before."""
    return bool(np.mean(values[1:] == values[:-1]) > MIN_IDLE_FRACTION)


def _has_varying_level(expected: FloatArray) -> bool:
    """Return whether expected values are positive and vary enough for their scale to matter."""
    low, high = np.quantile(expected, [_TRIMMED_LEVEL_FRACTION, 1 - _TRIMMED_LEVEL_FRACTION])
    return bool(low > 0 and np.log(high) - np.log(low) > np.log(_MIN_LOG_LEVEL_RATIO))


def _log_density(units: Units, fitted: SeriesFit) -> float:
    """Return a robust mean log density of the residuals, up to a constant.

    Laplace's density, whose scale is the mean distance; distances are clipped.
    """
    size = np.abs(fitted.scaled_residual * fitted.scale)[~fitted.is_excluded]
    limit = _CLIP_MEDIANS * float(np.median(size))
    spread = float(np.minimum(size, limit).mean())
    return -float(np.log(max(spread, TINY)) + np.log(units.unit))
