"""The hour by which a daily season moves when clocks change.

People live by local time: after a night in which their clocks change, all that they do is an hour
earlier or later in UTC. Forecasts would repeat the old hours for about two weeks. The usual week is
the median of the weeks before that night. If the points since then follow the usual week an hour
earlier or later, and points before them never did, the history before that night is moved, too.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.grid import Grid
from app.timeseries.calendar.weekdays import is_clock_change_day
from app.timeseries.history import History
from app.timeseries.seconds import DAY_SECONDS, DAYS_PER_WEEK, HOUR_SECONDS
from app.timeseries.types import FloatArray, IntArray

# Clocks change about these hours from the start of the Sunday in UTC: in Europe, in America and in
# Australia.
_CHANGE_HOURS = (1, 8, -8)
# The first change with nearly the largest gain counts: at night many series do not show the hour.
_MIN_GAIN_RATIO = 0.98
_MAX_WEEKS_SINCE = 3  # by then models have learned the new hours
_MIN_USUAL_WEEKS, _MAX_USUAL_WEEKS = 2, 6  # whose median is the usual week
# The fraction of an hour by which the season has moved: 1, but for noise.
_MIN_FRACTION, _MAX_FRACTION = 0.7, 1.4
_MAX_EARLIER_FRACTION = 0.5  # the same in earlier periods: 0, but for noise
_MIN_DIFFERENCE = 0.3  # of the two fractions
_MAX_DRIFT = 0.4  # the fraction of the last week before the change less that of the first
_MAX_ERROR_RATIO = 0.6  # squared errors of the moved week since the change, over the usual one's
_MIN_EVIDENCE_RATIO = 0.5  # of earlier periods that count: some, such as Sundays, show no hours
_MAX_EARLIER_GAIN = 0.25  # of points shortly before the change, over the gain since then
# The rows of errors: of the usual week, of the moved week, and between the two weeks.
_UNMOVED, _MOVED, _BETWEEN = range(3)


@dataclass(frozen=True)
class SeasonShift:
    """A move of the daily season by an hour.

    Attributes:
        index: The index of the first point after it.
        steps: By how many steps the season is earlier since then, negative if it is later.
    """

    index: int
    steps: int

    def remove_from(self, history: History) -> History:
        """Return the history with the points before the move moved; an hour of them is repeated."""
        before, since = history.values[: self.index], history.values[self.index :]
        moved = before[self.steps :], before[-self.steps :]
        if self.steps < 0:
            moved = before[: -self.steps], before[: self.steps]
        return replace(history, values=np.concatenate([*moved, since]))

    def add_to(self, distribution: ForecastDistribution, _floor: float) -> ForecastDistribution:
        return distribution.with_provenance(season_shift=self.index)


def find_season_shift(history: History) -> SeasonShift | None:
    """Return the move of the daily season in the last weeks, None without a certain one.

    The history needs a grid with whole steps in an hour, and more than two weeks of points.
    """
    grid, points = history.grid, len(history.values)
    if grid is None or HOUR_SECONDS % grid.step_seconds:
        return None
    hour, day = HOUR_SECONDS // grid.step_seconds, DAY_SECONDS // grid.step_seconds
    week = DAYS_PER_WEEK * day
    first = max(points - _MAX_WEEKS_SINCE * week, _MIN_USUAL_WEEKS * week + day)
    changes = _clock_changes(grid, first, points - day)
    if not len(changes):
        return None
    values = _without_level(history.values, day)
    count = min(_MAX_USUAL_WEEKS, (first - day) // week)
    before, recent = np.split(values[first - day - count * week :], [count * week])
    weeks = before.reshape(count, week)
    usual = np.resize(np.median(weeks, axis=0), (-(-len(recent) // week), week))
    sums = {steps: _sum_errors(recent, usual, steps) for steps in (hour, -hour)}
    shift = _best_shift(sums, changes, first)
    others = np.stack([np.median(np.delete(weeks, row, axis=0), axis=0) for row in range(count)])
    sums_before = _sum_errors(before, others, shift.steps)
    by_week = _moved_fraction(np.diff(sums_before[:, ::week], axis=1))
    is_steady = by_week[-1] - by_week[0] <= _MAX_DRIFT
    # Longer periods would hide a season that moves all the time, such as that of dawn.
    length = min(points - shift.index, week)
    ends = np.arange(length, len(before) + 1, day)
    earlier = sums_before[:, ends] - sums_before[:, ends - length]
    earlier *= (points - shift.index) / length
    is_certain = _is_certain(sums[shift.steps], shift.index - first, earlier)
    return shift if is_steady and is_certain else None


def _clock_changes(grid: Grid, first: int, last: int) -> IntArray:
    """Return the indices from ``first`` to ``last`` at which clocks may have changed."""
    times = grid.times(last + 1)[first:]
    days = np.unique(times.astype("datetime64[D]"))
    sundays = days[is_clock_change_day(days)]
    changes = sundays.astype("datetime64[h]")[:, np.newaxis] + np.array(_CHANGE_HOURS)
    indices = first + np.searchsorted(times, changes.ravel().astype("datetime64[s]"))
    return indices[(indices > first) & (indices <= last)]


def _without_level(values: FloatArray, day: int) -> FloatArray:
    """Return the values after the first day, each less the mean of the day before it."""
    totals = np.append(0.0, np.cumsum(values))
    return np.asarray(values[day:] - (totals[day:-1] - totals[: -day - 1]) / day)


def _sum_errors(values: FloatArray, usual: FloatArray, steps: int) -> FloatArray:
    """Return running totals of squared errors over values (n,), shape (3, n + 1).

    The weeks have the shape (w, week); the moved ones are ``steps`` earlier than the ``usual``.
    """
    expected = usual.ravel()[: len(values)]
    moved = np.roll(usual, -steps, axis=1).ravel()[: len(values)]
    errors = np.stack([values - expected, values - moved, moved - expected])
    return np.pad(np.cumsum(errors**2, axis=1), ((0, 0), (1, 0)))


def _best_shift(sums: dict[int, FloatArray], changes: IntArray, first: int) -> SeasonShift:
    """Return the first shift of about the largest gain; ``sums`` (3, n) begin at ``first``."""
    shifts = [SeasonShift(int(index), steps) for steps in sums for index in changes]
    gained = {steps: errors[_UNMOVED] - errors[_MOVED] for steps, errors in sums.items()}
    gains = np.array([gained[s.steps][-1] - gained[s.steps][s.index - first] for s in shifts])
    return shifts[int(np.argmax(gains >= _MIN_GAIN_RATIO * gains.max()))]


def _is_certain(sums: FloatArray, start: int, earlier: FloatArray) -> bool:
    """Return whether the season has moved from ``start`` on, and not before it.

    ``sums`` are those of `_sum_errors`, ``earlier`` (3, k) their totals over k earlier periods.
    """
    since, before = sums[:, -1] - sums[:, start], sums[:, start]
    earlier = earlier[:, earlier[_BETWEEN] >= _MIN_EVIDENCE_RATIO * since[_BETWEEN]]
    if since[_BETWEEN] == 0 or earlier.size == 0:
        return False
    fraction, max_earlier = _moved_fraction(since), _moved_fraction(earlier).max()
    return bool(
        _MIN_FRACTION <= fraction <= _MAX_FRACTION
        and max_earlier <= min(_MAX_EARLIER_FRACTION, fraction - _MIN_DIFFERENCE)
        and since[_MOVED] <= _MAX_ERROR_RATIO * since[_UNMOVED]
        and before[_UNMOVED] - before[_MOVED]
        <= _MAX_EARLIER_GAIN * (since[_UNMOVED] - since[_MOVED])
    )


def _moved_fraction(errors: FloatArray) -> FloatArray:
    """Return by how much of an hour the season has moved, estimated by least squares."""
    return np.asarray(0.5 + (errors[_UNMOVED] - errors[_MOVED]) / (2 * errors[_BETWEEN]))
