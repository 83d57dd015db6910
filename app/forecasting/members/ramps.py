"""Ramps that end in resets: memory until it is freed, a battery, stock until it is replenished.

Steady changes one way are undone by sudden ones the other way, so that the mean change is 0 and
other members expect the last value. This one continues the ramp to its usual end, and begins the
next one.
"""

from typing import NamedTuple

import numpy as np

from app.forecasting.members.types import BacktestedForecast, HighFrequencyMember
from app.forecasting.past_origins import BacktestTask
from app.timeseries.robust import mad_sigma
from app.timeseries.types import BoolArray, FloatArray

_MIN_RESETS = 3
_MIN_RAMP_STEPS = 6  # on average
_MIN_RESET_SIGMAS = 8.0
_RECENT_RAMPS = 6
# The rise from the first half of a ramp to the second, over its length: 0.5 for a straight one.
_RISE_RANGE = (0.35, 0.65)
# In lengths of a ramp.
_MAX_SCATTER = 0.2  # the mean deviation of the beginnings, and of the ends, of all ramps
_MAX_RANGE = 1.2  # the range of nine tenths of the values


class Ramps(NamedTuple):
    """How ramps of a series run: by ``slope`` a step, from ``bottom`` to ``top``.

    A ramp that falls has a negative slope, and a bottom above its top.
    """

    slope: float
    bottom: float
    top: float

    def continue_from(self, last: float, horizon: int) -> FloatArray:
        """Return the path after a value, shape (h,); beyond the top the next ramp begins."""
        step, sign = abs(self.slope), np.sign(self.slope)
        length = abs(self.top - self.bottom) + step
        covered = sign * (last - self.bottom) + step * np.arange(1.0, horizon + 1.0)
        # Half a step earlier, as the last value of a ramp may exceed the top by noise or rounding.
        wrapped = (covered + step / 2) % length - step / 2
        covered = np.where(covered < length - step / 2, covered, wrapped)
        return np.asarray(self.bottom + sign * covered)


def has_ramps(values: FloatArray) -> bool:
    """Return whether ``values`` (n,) consist of straight ramps with like beginnings and ends."""
    changes = np.diff(values)
    is_reset, _ = _classify_changes(changes)
    resets = np.flatnonzero(is_reset)
    if len(resets) < _MIN_RESETS or len(changes) < _MIN_RAMP_STEPS * len(resets):
        return False
    tops, bottoms = values[resets], values[resets + 1]
    length = float(np.median(tops) - np.median(bottoms))
    scatter = max(float(np.abs(ends - np.median(ends)).mean()) for ends in (tops, bottoms))
    span = float(np.ptp(np.quantile(values, (0.05, 0.95))))
    if scatter > _MAX_SCATTER * abs(length) or span > _MAX_RANGE * abs(length):
        return False
    ramps = [ramp for ramp in np.split(values, resets + 1)[1:-1] if len(ramp) > 1]
    halves = [np.array_split(ramp, 2) for ramp in ramps]
    rises = [float(second.mean() - first.mean()) for first, second in halves]
    low, high = _RISE_RANGE
    return bool(rises) and low <= float(np.median(rises)) / length <= high


def _classify_changes(changes: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Return which changes are resets (sudden, against the usual one), and which not sudden."""
    usual = float(np.median(changes))
    limit = abs(usual) + _MIN_RESET_SIGMAS * mad_sigma(changes - usual)
    return changes * np.sign(usual) < -limit, np.abs(changes) <= limit


def ramp_paths(task: BacktestTask) -> list[BacktestedForecast]:
    """Return the forecast that continues the ramps."""
    paths = [_continue_ramp(task.values[:start], task.horizon) for start in task.starts]
    return [BacktestedForecast.of_paths(np.array(paths))]


def _continue_ramp(values: FloatArray, horizon: int) -> FloatArray:
    """Return the path after ``values`` (n,), shape (h,): the last value if no ramp has ended."""
    changes = np.diff(values)
    is_reset, is_usual = _classify_changes(changes)
    resets = np.flatnonzero(is_reset)[-_RECENT_RAMPS:]
    if not len(resets):
        return np.full(horizon, values[-1])
    ramps = Ramps(
        slope=float(changes[is_usual].mean()),
        bottom=float(np.median(values[resets + 1])),
        top=float(np.median(values[resets])),
    )
    return ramps.continue_from(float(values[-1]), horizon)


RAMPS = HighFrequencyMember("ramps with resets", ramp_paths, lambda task: has_ramps(task.values))
