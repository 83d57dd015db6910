"""An interruption that is over: a segment of a history away from the level before and after it.

A year without tourists or a week of outage hides the season from members, and makes intervals as
wide as the fall. Real levels also wander and return, so only an exceptional segment counts: it
begins suddenly, no other movement is a third of it, and no season could repeat it. It is then moved
to the usual level.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.preprocessing.seasonality import deseasonalize
from app.forecasting.types import MAX_HORIZON, ForecastDistribution
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.numbers import TINY, changing_fraction
from app.timeseries.robust import mad_sigma
from app.timeseries.running_median import running_median
from app.timeseries.types import BoolArray, FloatArray

_MIN_HISTORY_POINTS, _MAX_HISTORY_POINTS = 30, 10_000
_MIN_SEGMENT_POINTS = 3
_MAX_SEGMENT_FRACTION = 1 / 3  # of the history
_MIN_USUAL_POINTS = 6  # before it and after it
_MIN_CHANGING_FRACTION = 0.5  # of the steps; rare sales may come together
_MAX_REST_RATIO = 1 / 3  # the largest deviation elsewhere over the median one of the segment
_MIN_STEP_RATIO = 0.5  # the first step over the median deviation
# A recovery lasts while deviations exceed both.
_MAX_TAIL_RATIO = 0.1  # of the largest deviation
_MAX_TAIL_SIGMAS = 2.5
_MAX_NOISE_SIGMAS = 2.5
_LINE_ROUNDS = 5
_SMOOTHED_POINTS = 3
_SEGMENT_SMOOTHED_POINTS = 5


@dataclass(frozen=True)
class OldInterruption:
    """The history without the interruption, ``values`` of shape (n,), and where that was."""

    values: FloatArray
    segment: slice

    def remove_from(self, history: History) -> History:
        return replace(history, values=self.values)

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the distribution, not below ``floor``, which the moved history may not show."""
        bounded = distribution.map_values(lambda values: np.maximum(values, floor))
        return bounded.with_provenance(interruption=(self.segment.start, self.segment.stop - 1))


def find_old_interruption(history: History) -> OldInterruption | None:
    """Return the only interruption of a history, None unless it is certain and over."""
    values = history.values
    is_long = _MIN_HISTORY_POINTS <= len(values) <= _MAX_HISTORY_POINTS
    if not is_long or history.frequency is Frequency.YEARLY:
        return None
    if changing_fraction(values) < _MIN_CHANGING_FRACTION:
        return None
    deviations, is_log = _deviations_from_line(history)
    segment = _find_segment(deviations)
    if segment is None or _may_recur(segment, history) or not _is_sudden(segment, history):
        return None
    inside = deviations[segment]
    noise = inside - running_median(inside, _SEGMENT_SMOOTHED_POINTS)
    # Ratios of what an outage has left are wild.
    limit = _MAX_NOISE_SIGMAS * mad_sigma(np.delete(deviations, segment))
    moves = np.clip(noise, -limit, limit) - inside
    usual = values.copy()
    if is_log:
        usual[segment] *= np.exp(moves)
    else:
        usual[segment] = np.maximum(usual[segment] + moves, floor_of(values))
    return OldInterruption(usual, segment)


def _deviations_from_line(history: History) -> tuple[FloatArray, bool]:
    """Return the deviations from a line through most points, without the season, shape (n,).

    The second result is whether they are of logarithms.
    """
    levels, is_log = deseasonalize(history.values, history.periods)
    time = np.linspace(-1.0, 1.0, len(levels))
    weights = np.ones(len(levels))
    for _ in range(_LINE_ROUNDS):
        slope, middle = np.polyfit(time, levels, 1, w=weights)
        deviations = levels - middle - slope * time
        typical = float(np.median(np.abs(deviations)))
        weights = 1.0 / np.maximum(1.0, np.abs(deviations) / max(typical, TINY))
    return np.asarray(deviations), is_log


def _find_segment(deviations: FloatArray) -> slice | None:
    """Return the points of the interruption, None without a certain one."""
    points = len(deviations)
    smooth = running_median(deviations, _SMOOTHED_POINTS)
    peak = int(np.argmax(np.abs(smooth)))
    sign = float(np.sign(smooth[peak]))
    heights = sign * smooth
    core = _run_around(peak, heights > _MAX_REST_RATIO * heights[peak])
    if core.stop - core.start < _MIN_SEGMENT_POINTS or core.start < _MIN_USUAL_POINTS:
        return None
    depth = float(np.median(heights[core]))
    tail = max(_MAX_TAIL_RATIO * heights[peak], _MAX_TAIL_SIGMAS * mad_sigma(smooth))
    whole = _run_around(peak, heights > min(tail, _MAX_REST_RATIO * heights[peak]))
    is_long = whole.stop - whole.start > _MAX_SEGMENT_FRACTION * points
    if is_long or min(whole.start, points - whole.stop) < _MIN_USUAL_POINTS:
        return None
    first_step = float((sign * np.diff(deviations[core.start - 2 : core.start + 2])).max())
    rest = np.abs(np.delete(smooth, slice(core.start - 1, core.stop + 1))).max()
    is_certain = rest <= _MAX_REST_RATIO * depth and first_step >= _MIN_STEP_RATIO * depth
    return whole if is_certain else None


def _run_around(index: int, is_in: BoolArray) -> slice:
    """Return the longest run of true values with the one at ``index``, which is true."""
    outside = np.flatnonzero(~is_in)
    after = int(np.searchsorted(outside, index))
    start = int(outside[after - 1]) + 1 if after else 0
    return slice(start, int(outside[after]) if after < len(outside) else len(is_in))


def _is_sudden(segment: slice, history: History) -> bool:
    """Return whether the values themselves step, too: seasons of a few cycles may be of a trend."""
    values = history.values
    levels = np.log(values) if values.min() > 0 else values
    before = levels[segment.start - _MIN_USUAL_POINTS : segment.start]
    change = float(np.median(levels[segment]) - np.median(before))
    steps = np.diff(levels[segment.start - 2 : segment.start + 2]) * np.sign(change)
    return bool(steps.max() >= _MIN_STEP_RATIO * abs(change) > 0)


def _may_recur(segment: slice, history: History) -> bool:
    """Return whether a season could repeat the segment, as no other cycle shows its steps."""
    points = len(history.values)
    return any(
        segment.start < period
        and segment.stop + period > points
        and segment.start + period < points + MAX_HORIZON
        for period in history.periods
    )
