"""Fit the tails of a stream's statistics, and the size of its errors in each phase."""

import math

import numpy as np

from app.anomalies.scale import phase_factors
from app.anomalies.streaming.fit import StatisticTails
from app.anomalies.streaming.forecaster import BURST_POINTS
from app.anomalies.tail import Tail, Tails, fit_tail
from app.timeseries.robust import mad_sigma
from app.timeseries.types import BoolArray, FloatArray

# The smallest scale of the tails of errors, in typical errors. The errors of a very steady series
# say nothing about larger errors to come. Uniform noise has a scale about as large.
_MIN_ERROR_TAIL = 0.3

# Where a tail is fitted it has not reached its final shape. For the sizes of normal noise it is
# about this instead of 0; for Student's t with five degrees of freedom 0.1 instead of 0.2.
_NORMAL_SHAPE = -0.15
_SHAPE_UNCERTAINTY = 4.8  # two standard errors of that shape, times the root of the sizes' number
# A shape above their sum is raised by this many times the difference, at most by the margin.
_MARGIN_RATIO, _MAX_MARGIN = 3.0, 0.18

# The size of each phase is learned from at least this many cycles of errors, clipped at this many
# sigmas.
_MIN_PHASE_CYCLES = 2
_PHASE_CLIP_SIGMAS = 3.0


def phase_ratios(
    scaled_error: FloatArray, is_kept: BoolArray, time: int, periods: list[float]
) -> list[float]:
    """Return the size of errors in each part of the shortest season, on average 1.

    The scaled errors, shape (m,), begin at ``time``.
    """
    if not periods or len(scaled_error) < _MIN_PHASE_CYCLES * periods[0]:
        return [1.0]
    size = np.abs(scaled_error)
    size[~is_kept] = size[is_kept].mean() if is_kept.any() else 0.0
    limit = _PHASE_CLIP_SIGMAS * mad_sigma(size)
    size = np.minimum(size, limit) if limit > 0 else size
    if not size.any():
        return [1.0]
    return list(phase_factors(size[math.ceil(-time % periods[0]) :], periods[0]).tolist())


def fit_tails(
    columns: dict[str, FloatArray],
    error: FloatArray,
    distance: FloatArray,
    is_kept: BoolArray,
    contamination: float,
    margin: float,
) -> StatisticTails:
    """Fit the tails to the steps in ``columns``, shape (m,), that are kept.

    ``error``, shape (m,), and ``distance``, shape (n,), are the errors of the steps and the
    distances of all values from the base, both relative to the phase. ``margin`` raises the shapes
    of both.
    """
    size = np.abs(error)

    def tail_of(sample: FloatArray, margin: float = 0.0, min_scale: float = 0.0) -> Tail:
        return fit_tail(sample, contamination).with_caution(margin, min_scale)

    bursts = np.convolve(size, np.ones(BURST_POINTS), "valid")[is_kept[BURST_POINTS - 1 :]]
    return StatisticTails(
        errors=Tails(
            tail_of(error[is_kept], margin, _MIN_ERROR_TAIL),
            tail_of(-error[is_kept], margin, _MIN_ERROR_TAIL),
        ),
        burst=tail_of(bursts, min_scale=_MIN_ERROR_TAIL),
        drift=tail_of(np.abs(columns["drift"])[is_kept]),
        persistence=tail_of(np.abs(columns["persistence"])[is_kept]),
        high=tail_of(distance, margin),
        low=tail_of(-distance, margin),
    )


def shape_margin(sizes: FloatArray, contamination: float) -> float:
    """Return by how much the shapes of both tails of errors with these absolute sizes are raised.

    Both sides together show whether noise has heavy tails: one is too uncertain.
    """
    expected_shape = _NORMAL_SHAPE + _SHAPE_UNCERTAINTY / math.sqrt(len(sizes))
    excess = fit_tail(sizes, contamination).shape - expected_shape
    return min(_MAX_MARGIN, max(0.0, _MARGIN_RATIO * excess))
