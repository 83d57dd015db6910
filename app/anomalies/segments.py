"""Segments that are anomalous as a whole: another level for a while, or a burst of noise.

A segment is found by its contrast with both of its sides (the epidemic change points of
Fisch, Eckley and Fearnhead 2022). The usual contrast is learned from the series' own windows
of the same length, so that a random walk, or a series that is often restless, needs a greater one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from app.anomalies.results import MIN_LEVEL_POINTS, AnomalousSegment, EventKind
from app.timeseries.robust import clip_to_sigmas, robust_sigma
from app.timeseries.running_median import running_median
from app.timeseries.types import FloatArray

# Lengths in points that are looked for.
_LEVEL_LENGTHS = (5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 112, 128)
_BURST_LENGTHS = (8, 12, 16, 24, 32, 48, 64, 96, 128)
_MAX_SEGMENT_FRACTION = 0.1  # of the series
_MIN_SIDE_POINTS = 12
_CONTRAST_QUANTILE = 0.75  # of all windows: their usual contrast
# Multiples of the usual contrast that a segment has. Synthetic series of some 40 kinds without
# anomalies hardly reach 8 and 6, real ones 20 and 11.
_LEVEL_FACTOR, _BURST_FACTOR = 22.0, 11.0
# At an end of the series there is one side to differ from and one window of each length.
_END_FACTOR = 12.0
_MAX_END_SEGMENT_FRACTION = 0.2  # of the series: a longer segment at its end is a level
_MIN_LEVEL_SIGMAS = 3.5  # a level differs by this many sigmas of single points
_MIN_BURST_RATIO = 2.5  # the noise of a burst is this many times the noise around it
# Noise of this factor is a burst in any series: hardly a point of it is usual.
_CERTAIN_RATIO = 10.0
# More segments than this, plus one per ``_POINTS_PER_NORMAL_SEGMENT`` points, are normal.
_NORMAL_SEGMENTS = 3
_POINTS_PER_NORMAL_SEGMENT = 1000
_SIMILAR_CONTRAST_FRACTION = 0.7  # of the limit: windows above it are counted
_CLIP_SIGMAS = 3.0  # from the running median
_MEDIAN_WINDOW_POINTS = 9
# Sizes of scaled residuals are clipped at the maximum. If a quarter of them are below the minimum,
# the series is idle: its rare movements are its normal behaviour.
_MAX_SCALED_RESIDUAL, _MIN_SCALED_RESIDUAL = 10.0, 0.05
# Iterations in which a segment and its level are found from each other.
_ROUNDS = 2
# Sigmas to the lowest limit of a contrast, where contrasts are normal.
_SIGMAS_AT_LIMIT = 9.0


class _Window(NamedTuple):
    """Points from ``start`` to before ``stop``, and their contrast: signed, and over its limit."""

    start: int
    stop: int
    contrast: float
    strength: float


def find_segments(values: FloatArray, scaled_residual: FloatArray) -> list[AnomalousSegment]:
    """Return the segments that are anomalous as a whole, oldest first, without overlap.

    ``values`` are the series without its season, ``scaled_residual`` is in units of the usual size
    of residuals; both have shape (n,).
    """
    n = len(values)
    size = np.minimum(np.abs(scaled_residual), _MAX_SCALED_RESIDUAL)
    if np.quantile(size, 0.25) < _MIN_SCALED_RESIDUAL:
        return []
    local = running_median(values, min(_MEDIAN_WINDOW_POINTS, n))
    sigma = robust_sigma(values - local)
    clipped = clip_to_sigmas(values, local, _CLIP_SIGMAS)
    level_windows = _contrasting_windows(
        clipped, _LEVEL_LENGTHS, np.asarray, _LEVEL_FACTOR, _MIN_LEVEL_SIGMAS * sigma
    )
    excursions = _locate_segments(clipped, level_windows)
    burst_windows = _contrasting_windows(
        size,
        _BURST_LENGTHS,
        lambda means: np.log(np.maximum(means, np.finfo(float).tiny)),
        _BURST_FACTOR,
        float(np.log(_MIN_BURST_RATIO)),
        float(np.log(_CERTAIN_RATIO)),
    )
    bursts = _locate_segments(size, burst_windows, EventKind.BURST)
    excursions = [  # a long one at an end of the series is a level
        segment
        for segment in excursions
        if segment.end - segment.start + 1 < MIN_LEVEL_POINTS
        or (segment.start > 0 and segment.end < n - 1)
    ]
    separate: list[AnomalousSegment] = []
    for segment in [*excursions, *bursts]:
        if all(segment.start > other.end or segment.end < other.start for other in separate):
            separate.append(segment)
    return sorted(separate, key=lambda segment: segment.start)


def _contrasting_windows(
    values: FloatArray,
    lengths: tuple[int, ...],
    scale: Callable[[FloatArray], FloatArray],
    factor: float,
    min_contrast: float,
    certain_contrast: float = np.inf,
) -> list[_Window]:
    """Return the windows that differ from both of their sides.

    The contrast of a window is ``scale`` of its mean minus ``scale`` of a side's mean; the side
    with the smaller one counts. A window at an end of the series has one side.
    """
    n = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    windows = []
    for length in lengths:
        margin = max(length, _MIN_SIDE_POINTS)
        if length > _MAX_END_SEGMENT_FRACTION * n or length + margin > n // 2:
            break
        inside = scale((sums[length:] - sums[:-length]) / length)
        sides = scale((sums[margin:] - sums[:-margin]) / margin)
        before, after = inside[margin:] - sides[:-length], inside[:-margin] - sides[length:]
        usual = float(np.quantile(np.abs(before), _CONTRAST_QUANTILE))
        limit = max(_END_FACTOR * usual, min_contrast)
        for start, contrast in ((0, float(after[0])), (n - length, float(before[-1]))):
            if abs(contrast) > limit:
                windows.append(_Window(start, start + length, contrast, abs(contrast) / limit))
        if length > _MAX_SEGMENT_FRACTION * n or length + 2 * margin > n // 2:
            continue
        before, after = before[:-margin], after[margin:]
        lesser = np.minimum(np.abs(before), np.abs(after))
        usual = float(np.quantile(lesser, _CONTRAST_QUANTILE))
        limit = min(max(factor * usual, min_contrast), certain_contrast)
        is_contrasting = (lesser > _SIMILAR_CONTRAST_FRACTION * limit) & (before * after > 0)
        for at in np.flatnonzero(is_contrasting).tolist():
            contrast = float(np.copysign(lesser[at], before[at]))
            start = margin + at
            windows.append(_Window(start, start + length, contrast, float(lesser[at]) / limit))
    return windows


def _locate_segments(
    values: FloatArray, windows: list[_Window], kind: EventKind | None = None
) -> list[AnomalousSegment]:
    """Return the segments of the clearest windows: of ``kind``, or spikes and dips by their side.

    Windows lie apart; there are none if their number makes them normal.
    """
    n, segments = len(values), []
    chosen: list[_Window] = []
    for window in sorted(windows, key=lambda window: -window.strength):
        start, stop, length = window.start, window.stop, window.stop - window.start
        if all(start >= other.stop + length or stop <= other.start - length for other in chosen):
            chosen.append(window)
    if len(chosen) >= _NORMAL_SEGMENTS + n / _POINTS_PER_NORMAL_SEGMENT:
        return []
    for window in chosen:
        if window.strength < 1:
            break
        segment_kind = kind or (EventKind.SPIKE if window.contrast > 0 else EventKind.DIP)
        p_value = float(min(1.0, 2 * n * ndtr(-_SIGMAS_AT_LIMIT * window.strength)))
        bounds = _segment_bounds(values, window)
        is_calm = kind is EventKind.BURST and window.contrast < 0
        if bounds is not None and not is_calm:
            segments.append(AnomalousSegment(*bounds, segment_kind, p_value))
    return segments


def _segment_bounds(values: FloatArray, window: _Window) -> tuple[int, int] | None:
    """Return the first and the last point of the segment of a window.

    It is the one whose values exceed the middle between inside and outside by the largest sum; None
    where most points just outside are as far out as those inside.
    """
    length, side = window.stop - window.start, np.sign(window.contrast)
    begin, stop = max(0, window.start - length), min(len(values), window.stop + length)
    around = np.concatenate([values[begin : window.start], values[window.stop : stop]])
    outside = float(np.median(around))
    inside = float(values[window.start : window.stop].mean())
    if side * (inside - outside) <= 0:
        return None
    first, last = 0, 0
    for _ in range(_ROUNDS):
        above = side * (values[begin:stop] - (inside + outside) / 2)
        sums = np.concatenate([[0.0], np.cumsum(above)])
        last = int(np.argmax(sums - np.minimum.accumulate(sums)))
        first = int(np.argmin(sums[: last + 1]))
        inside = float(np.median(values[begin + first : begin + last]))
    return begin + first, begin + last - 1
