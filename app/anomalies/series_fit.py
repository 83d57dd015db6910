"""Fit a series: expected values, usual deviations, and anomalous segments.

Flat runs, and segments found in a first fit, are excluded: the fit of the rest judges their points.
"""

from dataclasses import dataclass

import numpy as np

from app.anomalies.expectation import Decomposition, decompose_series, impute_masked
from app.anomalies.flat_runs import find_flat_runs
from app.anomalies.results import AnomalousSegment, segment_mask
from app.anomalies.scale import noise_scale
from app.anomalies.segments import find_segments
from app.anomalies.units import MIN_IDLE_FRACTION, NEGLIGIBLE, Units, find_units
from app.timeseries.types import BoolArray, FloatArray

_MIN_LEVEL_RATIO = 1.5  # of the highest level to the lowest, from which on logarithms are tried
_TRIMMED_FRACTION = 0.05  # of the levels, left out at each end
# The mean log density must be this much larger with logarithms.
_MIN_DENSITY_GAIN = 0.14
# Residuals are clipped at this many times their median.
_CLIP_MEDIANS = 6.0


@dataclass(frozen=True)
class SeriesFit:
    """A fitted series of shape (n,).

    ``scale`` is the usual size of the noise around each point, ``scaled_residual`` the residuals
    divided by it, ``excluded`` whether a point is left out because it is in one of the
    ``segments``, the flat runs first.
    """

    parts: Decomposition
    scale: FloatArray
    scaled_residual: FloatArray
    excluded: BoolArray
    segments: list[AnomalousSegment]


def fit_values_or_logs(
    values: FloatArray, suggested: tuple[int, ...], period: int | None
) -> tuple[Units, SeriesFit] | None:
    """Fit a series (n,) or its logarithms, whichever has the steadier noise.

    Returns:
        The units and the fit in them; None for a constant series.
    """
    units = find_units(values)
    if units.unit == 0.0:
        return None
    flat_runs = find_flat_runs(values)
    fitted = _fit_scaled(units.to_units(values), suggested, period, flat_runs)
    if values.min() <= 0 or not _has_varying_level(units.to_values(fitted.parts.expected)):
        return units, fitted
    logs = find_units(values, is_log=True)
    in_logs = _fit_scaled(logs.to_units(values), suggested, period, flat_runs)
    gain = _log_density(logs, in_logs) - _log_density(units, fitted)
    gain -= float(np.log(values).mean())
    return (logs, in_logs) if gain > _MIN_DENSITY_GAIN else (units, fitted)


def _fit_scaled(
    values: FloatArray,
    suggested: tuple[int, ...],
    period: int | None,
    flat_runs: list[AnomalousSegment],
) -> SeriesFit:
    n = len(values)
    nothing, excluded = np.zeros(n, dtype=bool), segment_mask(flat_runs, n)
    parts = decompose_series(values, suggested, period, nothing)
    if is_mostly_repeated(values):  # its activity is normal
        return _scale_residuals(values, parts, nothing, flat_runs)
    if excluded.any():
        filled = impute_masked(values, parts.season, excluded)
        parts = decompose_series(filled, suggested, period, excluded)
    first = _scale_residuals(values, parts, excluded, flat_runs)
    segments = find_segments(parts.without_season, np.where(excluded, 0.0, first.scaled_residual))
    if not segments:
        return first
    segments = [*flat_runs, *segments]
    excluded = segment_mask(segments, n)
    filled = impute_masked(values, parts.season, excluded)
    parts = decompose_series(filled, suggested, period, excluded)
    return _scale_residuals(values, parts, excluded, segments)


def is_mostly_repeated(values: FloatArray) -> bool:
    """Return whether most values of a series equal the one before."""
    return bool(np.mean(values[1:] == values[:-1]) > MIN_IDLE_FRACTION)


def _has_varying_level(expected: FloatArray) -> bool:
    """Return whether expected values are positive and vary enough for their scale to matter."""
    low, high = np.quantile(expected, [_TRIMMED_FRACTION, 1 - _TRIMMED_FRACTION])
    return bool(low > 0 and np.log(high) - np.log(low) > np.log(_MIN_LEVEL_RATIO))


def _log_density(units: Units, fitted: SeriesFit) -> float:
    """Return a robust mean log density of the residuals, up to a constant.

    Laplace's density, whose scale is the mean distance; distances are clipped.
    """
    size = np.abs(fitted.scaled_residual * fitted.scale)[~fitted.excluded]
    limit = _CLIP_MEDIANS * float(np.median(size))
    spread = float(np.minimum(size, limit).mean())
    return -float(np.log(max(spread, np.finfo(float).tiny)) + np.log(units.unit))


def _scale_residuals(
    values: FloatArray, parts: Decomposition, excluded: BoolArray, segments: list[AnomalousSegment]
) -> SeriesFit:
    residual = values - parts.expected
    residual[np.abs(residual) < NEGLIGIBLE] = 0.0
    scale = noise_scale(residual, parts.periods, excluded)
    return SeriesFit(parts, scale, residual / scale, excluded, segments)
