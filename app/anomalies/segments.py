"""Segments that are anomalous as a whole: another level for a while, or a burst of noise.

A segment is found by its contrast with both of its sides (the epidemic change points of
Fisch, Eckley and Fearnhead 2022). The typical contrast is learned from the series' own windows
of the same length, so that a random walk, or a series that is often restless, needs a greater one.

The thresholds were compared on the series of ``docs/developing/anomaly-figures.md``.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from app.anomalies.results import MIN_LEVEL_POINTS, AnomalousSegment, EventKind
from app.timeseries.numbers import TINY
from app.timeseries.robust import clip_to_sigmas, robust_sigma
from app.timeseries.running_median import running_median
from app.timeseries.types import FloatArray

# Lengths in points that are looked for.
_LEVEL_LENGTHS = (5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 112, 128)
_BURST_LENGTHS = (8, 12, 16, 24, 32, 48, 64, 96, 128)
_MAX_SEGMENT_FRACTION = 0.1  # of the series
_MIN_SIDE_POINTS = 12
_CONTRAST_QUANTILE = 0.75  # of all windows: their typical contrast
# Multiples of the typical contrast that a segment has. Synthetic series of some 40 kinds without
# anomalies hardly reach 8 and 6, real ones 20 and 11.
_LEVEL_FACTOR, _BURST_FACTOR = 22.0, 11.0
# At an end of the series there is one side to differ from and one window of each length.
_END_FACTOR = 12.0
_MAX_END_SEGMENT_FRACTION = 0.2  # of the series: a longer segment at its end is a level
_MIN_LEVEL_SIGMAS = 3.5  # a level differs by this many sigmas of single points
_MIN_BURST_RATIO = 2.5  # the noise of a burst is this many times the noise around it
_CERTAIN_RATIO = 10.0  # noise that is larger by this factor is a burst in any series
# More segments than this, plus one per ``_POINTS_PER_NORMAL_SEGMENT`` points, are normal.
_NORMAL_SEGMENTS = 3
_POINTS_PER_NORMAL_SEGMENT = 1000
_SIMILAR_CONTRAST_FRACTION = 0.7  # of the limit: windows above it are counted
_OUTLIER_SIGMAS = 3.0  # from the running median
_MEDIAN_WINDOW_POINTS = 9
# Sizes of scaled residuals are clipped at the maximum. If a quarter of them are below the minimum,
# the series is idle: its rare movements are its normal behaviour.
_MAX_SCALED_RESIDUAL, _MIN_SCALED_RESIDUAL = 10.0, 0.05
_ROUNDS = 2  # iterations in which a segment and its level are found from each other
_SIGMAS_AT_LIMIT = 9.0  # to the lowest limit of a contrast, where contrasts are normal


class _Window(NamedTuple):
    """Points from ``start`` to before ``stop``, and their contrast: signed, and over its limit."""

    start: int
    stop: int
    contrast: float
    strength: float


class _Search(NamedTuple):
    """What windows are compared by, and the contrasts that are too large for chance.

    The contrast of a window is its mean less the mean of a side, of bursts the logarithm of their
    ratio.
    """

    values: FloatArray  # shape (n,): the series, or the sizes of its residuals for bursts
    is_for_bursts: bool
    lengths: tuple[int, ...]  # of windows, ascending
    factor: float  # the smallest contrast, in typical ones, of a window with two sides
    min_contrast: float
    certain_contrast: float = np.inf  # one this large is enough, however large the typical one is
    # How far from its surroundings a point of a segment is at most, else half as far as the others.
    max_edge: float = np.inf


def find_segments(
    values: FloatArray, scaled_residual: FloatArray, *, has_edges: bool = False
) -> list[AnomalousSegment]:
    """Return the segments that are anomalous as a whole, oldest first, without overlap.

    Args:
        values: The series without its season, shape (n,).
        scaled_residual: In units of the typical size of residuals, shape (n,).
        has_edges: Whether points beside a segment that noise does not explain belong to it, also
            less than half as far out: of an outage in a season, those where the season is low.
    """
    n = len(values)
    size = np.minimum(np.abs(scaled_residual), _MAX_SCALED_RESIDUAL)
    if np.quantile(size, 0.25) < _MIN_SCALED_RESIDUAL:
        return []
    local = running_median(values, min(_MEDIAN_WINDOW_POINTS, n))
    sigma = robust_sigma(values - local)
    levels = _Search(
        values=clip_to_sigmas(values, local, _OUTLIER_SIGMAS),
        is_for_bursts=False,
        lengths=_LEVEL_LENGTHS,
        factor=_LEVEL_FACTOR,
        min_contrast=_MIN_LEVEL_SIGMAS * sigma,
        max_edge=_MIN_LEVEL_SIGMAS * sigma if has_edges else np.inf,
    )
    bursts = _Search(
        values=size,
        is_for_bursts=True,
        lengths=_BURST_LENGTHS,
        factor=_BURST_FACTOR,
        min_contrast=float(np.log(_MIN_BURST_RATIO)),
        certain_contrast=float(np.log(_CERTAIN_RATIO)),
    )
    excursions = [  # a long one at an end of the series is a level
        segment
        for segment in _locate_segments(levels)
        if segment.end - segment.start + 1 < MIN_LEVEL_POINTS
        or (segment.start > 0 and segment.end < n - 1)
    ]
    separate: list[AnomalousSegment] = []
    for segment in [*excursions, *_locate_segments(bursts)]:
        if all(segment.start > other.end or segment.end < other.start for other in separate):
            separate.append(segment)
    return sorted(separate, key=lambda segment: segment.start)


def _locate_segments(search: _Search) -> list[AnomalousSegment]:
    """Return the segments of the clearest windows, which lie apart: bursts, or spikes and dips.

    There are none if the number of windows makes them normal.
    """
    n, segments = len(search.values), []
    chosen: list[_Window] = []
    for window in sorted(_find_windows(search), key=lambda window: -window.strength):
        start, stop, length = window.start, window.stop, window.stop - window.start
        if all(start >= other.stop + length or stop <= other.start - length for other in chosen):
            chosen.append(window)
    if len(chosen) >= _NORMAL_SEGMENTS + n / _POINTS_PER_NORMAL_SEGMENT:
        return []
    for window in chosen:
        if window.strength < 1:
            break
        kind = EventKind.SPIKE if window.contrast > 0 else EventKind.DIP
        if search.is_for_bursts:
            if kind is EventKind.DIP:  # calmer than around it
                continue
            kind = EventKind.BURST
        p_value = float(min(1.0, 2 * n * ndtr(-_SIGMAS_AT_LIMIT * window.strength)))
        bounds = _segment_bounds(search, window)
        if bounds is not None:
            segments.append(AnomalousSegment(*bounds, kind, p_value))
    return segments


def _find_windows(search: _Search) -> list[_Window]:
    """Return the windows that differ from both of their sides; at an end there is one side."""
    n = len(search.values)
    sums = np.concatenate([[0.0], np.cumsum(search.values)])

    def moving_means(points: int) -> FloatArray:
        means = (sums[points:] - sums[:-points]) / points
        return np.log(np.maximum(means, TINY)) if search.is_for_bursts else means

    windows = []
    for length in search.lengths:
        margin = _side_points(length)
        if length > _MAX_END_SEGMENT_FRACTION * n or length + margin > n // 2:
            break
        inside, outside = moving_means(length), moving_means(margin)
        # With the side before, of all windows but the first ones; with that after, but the last.
        before, after = inside[margin:] - outside[:-length], inside[:-margin] - outside[length:]
        windows += _end_windows(search, length, before, after)
        if length <= _MAX_SEGMENT_FRACTION * n and length + 2 * margin <= n // 2:
            windows += _inner_windows(search, length, before[:-margin], after[margin:])
    return windows


def _end_windows(
    search: _Search, length: int, before: FloatArray, after: FloatArray
) -> list[_Window]:
    """Return those of the first and the last window that differ from their only side."""
    typical = float(np.quantile(np.abs(before), _CONTRAST_QUANTILE))
    limit = max(_END_FACTOR * typical, search.min_contrast)
    ends = ((0, float(after[0])), (len(search.values) - length, float(before[-1])))
    return [
        _Window(start, start + length, contrast, abs(contrast) / limit)
        for start, contrast in ends
        if abs(contrast) > limit
    ]


def _inner_windows(
    search: _Search, length: int, before: FloatArray, after: FloatArray
) -> list[_Window]:
    """Return the windows that differ from both sides in one direction: the lesser contrast counts.

    ``before`` and ``after``, shape (m,), are the contrasts of the windows that have both sides.
    """
    lesser = np.minimum(np.abs(before), np.abs(after))
    typical = float(np.quantile(lesser, _CONTRAST_QUANTILE))
    limit = min(max(search.factor * typical, search.min_contrast), search.certain_contrast)
    is_contrasting = (lesser > _SIMILAR_CONTRAST_FRACTION * limit) & (before * after > 0)
    contrasts = np.copysign(lesser, before)
    return [
        _Window(start, start + length, contrast, abs(contrast) / limit)
        for start, contrast in zip(
            (_side_points(length) + np.flatnonzero(is_contrasting)).tolist(),
            contrasts[is_contrasting].tolist(),
            strict=True,
        )
    ]


def _side_points(length: int) -> int:
    return max(length, _MIN_SIDE_POINTS)


def _segment_bounds(search: _Search, window: _Window) -> tuple[int, int] | None:
    """Return the first and the last point of the segment of a window.

    It is the one whose values exceed the middle between inside and outside, or the edge if that is
    nearer, by the largest sum; None where most points just outside are as far out as those inside.
    """
    values = search.values
    length, side = window.stop - window.start, np.sign(window.contrast)
    begin, stop = max(0, window.start - length), min(len(values), window.stop + length)
    around = np.concatenate([values[begin : window.start], values[window.stop : stop]])
    outside = float(np.median(around))
    inside = float(values[window.start : window.stop].mean())
    if side * (inside - outside) <= 0:
        return None
    first, last = 0, 0
    for _ in range(_ROUNDS):
        edge = min(abs(inside - outside) / 2, search.max_edge)
        above = side * (values[begin:stop] - outside) - edge
        sums = np.concatenate([[0.0], np.cumsum(above)])
        last = int(np.argmax(sums - np.minimum.accumulate(sums)))
        first = int(np.argmin(sums[: last + 1]))
        inside = float(np.median(values[begin + first : begin + last]))
    return begin + first, begin + last - 1
