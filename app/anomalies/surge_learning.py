"""Find recurring surges, such as that of a nightly backup, in an otherwise calm series.

Points far above their neighbours are folded at candidate periods. A window in which nearly every
cycle has some, give or take a step, gets a separate band, and the rest is fitted without it.
"""

import math

import numpy as np
from scipy.ndimage import binary_dilation
from scipy.special import bdtrc, binom, stdtrit

from app.anomalies.surges import MIN_TOTAL_FRACTION, RecurringSurges
from app.timeseries.numbers import TINY
from app.timeseries.robust import robust_sigma
from app.timeseries.running_median import running_median
from app.timeseries.types import BoolArray, FloatArray, IntArray

# A point is far above the running median by this many sigmas and this fraction of the median.
_FAR_SIGMAS = 8.0
_MIN_RELATIVE_EXCESS = 0.5
# The median's window is twice as long as the longest surge: this many points, or this part of the
# first period. A shorter one by the hour costs 0.3 flags of 1,000 points of M4's hours.
_MEDIAN_POINTS = 73
_MEDIAN_DIVISOR = 4
_MIN_RETURNS = 0.75  # the fraction of cycles in which a surge recurs
_MIN_CYCLES = 2
_MAX_FREE_FRACTION = 0.6  # of the days of a week that may be without a daily surge
_MAX_CHANCE = 0.02  # the expected number of windows in which surges recur by chance
# The windows of a period cover at most this fraction of it, far points this fraction of the series.
_MAX_WINDOW_FRACTION, _MAX_FAR_FRACTION = 0.5, 0.3
_MAX_SHIFT_STEPS = 1  # by which a surge may begin or end earlier or later
# This many at the same steps show that the next one is there too; where few may be anomalies, at
# most this fraction of them is elsewhere.
_MIN_PUNCTUAL_SURGES = 10
_MAX_LATE_FRACTION = 0.05
# The relative deviation of the sizes of a recurring surge before any was seen.
_PRIOR_DEVIATION = 0.05
_PRIOR_SURGES = 4  # the weight of that prior
_ROUNDS = 5  # iterations in which similar surges and their bounds are found from each other
# A surge at most this many times as large as the largest of the others, or as small, is like them.
_SIMILAR_RATIO = 1.5
_SIDE_RATE = 0.0005  # the rate of each side of a surge's band, by Student's t
# The points on each side of a window from which the series without the surge is interpolated.
_NEIGHBOUR_POINTS = 5


def learn_surges(
    values: FloatArray, suggested: tuple[int, ...], max_unlike_fraction: float = 0.0
) -> tuple[RecurringSurges, BoolArray]:
    """Find the recurring surges of a history.

    Args:
        values: The history, shape (n,), NaN where missing.
        suggested: Seasonal periods in steps that the calendar suggests.
        max_unlike_fraction: The largest fraction of the times that a surge recurred which may be
            unlike the others: its band does not widen to contain them.

    Returns:
        The surges, and whether each value is in the window of one.
    """
    n = len(values)
    surges, is_inside = RecurringSurges(), np.zeros(n, dtype=bool)
    indices = np.flatnonzero(~np.isnan(values))
    filled = np.interp(np.arange(n), indices, values[indices])
    points = max(_MEDIAN_POINTS, min(suggested, default=0) // _MEDIAN_DIVISOR | 1)
    baseline = running_median(filled, min(points, n // 2 | 1))
    with np.errstate(over="ignore"):
        above = filled - baseline
    is_far = above > np.maximum(
        _FAR_SIGMAS * robust_sigma(above), _MIN_RELATIVE_EXCESS * np.abs(baseline)
    )
    if not is_far.any() or is_far.mean() > _MAX_FAR_FRACTION:
        return surges, is_inside
    index = np.arange(n)
    for period in _candidate_periods(is_far, suggested):
        longer = _longer_period(period, suggested, n)
        for begin, length, days in _recurring_windows(is_far, period, longer):
            is_in_window = (index - begin) % period < length
            is_in_window &= np.isin((index - begin) % longer // period, days)
            starts = np.arange(begin, n - length + 1, period)
            steps = np.add.outer(starts, np.arange(length))
            is_back = is_far[steps].any(axis=1)
            excesses = _surge_excesses(filled, steps)[is_back]
            if len(excesses) >= _MIN_CYCLES and not (is_inside & is_in_window).any():
                shift = _shift_steps(is_far[steps][is_back], max_unlike_fraction)
                similar = _similar_surges(excesses, max_unlike_fraction, shift)
                bounds = _surge_bounds(similar, shift)
                if len(days) * period == longer:
                    surges.add(period, begin, *bounds)
                else:
                    for day in days:
                        surges.add(longer, (begin + day * period) % longer, *bounds)
                is_inside |= is_in_window
                is_far &= ~is_in_window
    return surges, is_inside


def _candidate_periods(is_far: BoolArray, suggested: tuple[int, ...]) -> list[int]:
    """Return the periods to try, shortest first: the calendar's, and the median gap."""
    n = len(is_far)
    begins = np.flatnonzero(is_far[1:] & ~is_far[:-1]) + 1
    gaps = np.diff(begins)
    median_gap = int(np.median(gaps)) if len(gaps) >= _MIN_CYCLES else 0
    is_suggested = any(abs(median_gap - period) <= _MAX_SHIFT_STEPS for period in suggested)
    periods = sorted({*suggested} if is_suggested else {*suggested, median_gap})
    return [period for period in periods if 2 * _MAX_SHIFT_STEPS + 1 < period <= n / _MIN_CYCLES]


def _longer_period(period: int, suggested: tuple[int, ...], length: int) -> int:
    """Return the calendar's next longer season of whole cycles, the period itself without one.

    ``length`` is that of the series, which has it at least twice.
    """
    multiples = [size for size in suggested if size > period and size % period == 0]
    longer = min(multiples, default=period)
    return longer if longer <= length / _MIN_CYCLES else period


def _recurring_windows(
    is_far: BoolArray, period: int, longer: int
) -> list[tuple[int, int, IntArray]]:
    """Return the windows in which surges recur by a period.

    ``longer`` is a period of whole days, say, if ``period`` is a day. A day of it on which there
    never was a surge does not count: some jobs do not run at weekends.

    Returns:
        The first phase and the length of each window, and the days on which surges recur.
    """
    n = len(is_far)
    is_near = binary_dilation(is_far, iterations=_MAX_SHIFT_STEPS)
    phases, longer_phases = np.arange(n) % period, np.arange(n) % longer
    by_day = np.bincount(longer_phases, minlength=longer).reshape(-1, period)
    returns_by_day = np.bincount(longer_phases, is_near, minlength=longer).reshape(-1, period)
    is_free = (returns_by_day == 0) & (by_day >= _MIN_CYCLES)
    is_counted = ~is_free | (is_free.mean(axis=0) > _MAX_FREE_FRACTION)
    cycles, returns = np.where(is_counted, by_day, 0).sum(axis=0), returns_by_day.sum(axis=0)
    hits = np.bincount(phases, is_far, minlength=period)
    needed = np.maximum(np.ceil(_MIN_RETURNS * cycles), _MIN_CYCLES)
    surges = int(is_far[0]) + int((is_far[1:] > is_far[:-1]).sum())
    nearby = min(1.0, (2 * _MAX_SHIFT_STEPS + 1) * surges / n)
    chance = _chance_of_returns(returns, needed, cycles, is_counted, nearby)
    is_core = (returns >= needed) & (chance * surges * period < _MAX_CHANCE * n)
    if not is_core.any() or is_core.mean() > _MAX_WINDOW_FRACTION:
        return []
    is_beyond = hits > (1 - _MIN_RETURNS) * cycles
    is_window = is_core
    for is_more in (returns > 0, is_beyond):  # a jitter not seen yet, then a varying length
        is_window = is_window | (is_more & (np.roll(is_window, 1) | np.roll(is_window, -1)))
    begins = np.flatnonzero(is_window & ~np.roll(is_window, 1)).tolist()
    windows = [(begin, int(np.argmin(np.roll(is_window, -begin)))) for begin in begins]
    # Surges that continue outside a window overlap it only by chance.
    return [
        (begin, length, _surge_days(is_free, begin, length))
        for begin, length in windows
        if not is_beyond[begin - 1] and not is_beyond[(begin + length) % period]
    ]


def _chance_of_returns(
    returns: IntArray, needed: FloatArray, cycles: IntArray, is_counted: BoolArray, nearby: float
) -> FloatArray:
    """Return the chance that a surge of the first cycle is back in nearly all others, (period,).

    The free days are one choice of many, by which each of the others has one surge.

    Args:
        returns: The number of cycles in which each phase has a surge, shape (period,).
        needed: The least number that is enough.
        cycles: The number of cycles that count.
        is_counted: Whether each day counts, shape (days, period).
        nearby: The chance of a surge at one phase of one cycle.
    """
    chance = bdtrc(needed - 2, cycles - 1, nearby)
    days, counted = len(is_counted), is_counted.sum(axis=0)
    chosen = bdtrc(returns - counted - 1, np.maximum(cycles - counted, 1), nearby)
    with_choice = np.maximum(chance, chosen) * binom(days, counted)
    return np.where(counted < days, with_choice, chance)


def _surge_days(is_free: BoolArray, begin: int, length: int) -> IntArray:
    """Return the rows of an array (days, period) that are not free throughout a window."""
    windows = np.roll(is_free.ravel(), -begin).reshape(is_free.shape)[:, :length]
    return np.flatnonzero(~windows.all(axis=1))


def _surge_excesses(values: FloatArray, steps: IntArray) -> FloatArray:
    """Return how far surges are above the line between the medians before and after each.

    Args:
        values: The history, shape (n,).
        steps: Those of each surge, shape (surges, length), as is the result.
    """
    n, length = len(values), steps.shape[1]
    distance = np.arange(1, _NEIGHBOUR_POINTS + 1)
    before = np.median(values[np.maximum(steps[:, :1] - distance, 0)], axis=1)
    after = np.median(values[np.minimum(steps[:, -1:] + distance, n - 1)], axis=1)
    fraction = (np.arange(length) + 1) / (length + 1)
    return np.asarray(values[steps] - before[:, None] * (1 - fraction) - after[:, None] * fraction)


def _shift_steps(is_far: BoolArray, max_unlike_fraction: float) -> int:
    """Return how many steps earlier or later than those seen the next surge may be.

    ``is_far``, shape (surges, length): the steps at which each was far above its neighbours.
    """
    is_often_far = is_far.mean(axis=0) > 0.5
    unlike = (is_far != is_often_far).any(axis=1)
    is_punctual = len(is_far) >= _MIN_PUNCTUAL_SURGES and unlike.mean() <= min(
        max_unlike_fraction, _MAX_LATE_FRACTION
    )
    return 0 if is_punctual else _MAX_SHIFT_STEPS


def _similar_surges(excesses: FloatArray, max_unlike_fraction: float, shift: int) -> FloatArray:
    """Return excesses (surges, length) without the few outside the bounds of the others."""
    unlike = min(math.ceil(max_unlike_fraction * len(excesses)), len(excesses) - _MIN_CYCLES)
    if unlike <= 0:
        return excesses
    total = excesses.sum(axis=1)
    sizes = total[:, None] if shift else excesses  # one that is late has the typical total
    order = np.argsort(np.abs(sizes - np.median(sizes, axis=0)).sum(axis=1), kind="stable")
    is_alike = order.argsort() < len(excesses) - unlike
    for _ in range(_ROUNDS):
        (low, _, high), (min_total, _, max_total) = _surge_bounds(excesses[is_alike], shift)
        is_alike |= (
            ((excesses >= low) & (excesses <= high)).all(axis=1)
            & (total >= min(min_total, total[is_alike].min() / _SIMILAR_RATIO))
            & (total <= max(max_total, total[is_alike].max() * _SIMILAR_RATIO))
        )
    return excesses[is_alike]


def _surge_bounds(
    excesses: FloatArray, shift: int
) -> tuple[FloatArray, tuple[float, float, float]]:
    """Return what `RecurringSurges.add` takes, from excesses of shape (surges, length)."""
    padded = np.pad(excesses, ((0, 0), (shift, shift)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * shift + 1, axis=1)
    low, high = windows.min(axis=(0, 2)), windows.max(axis=(0, 2))
    peaks, totals = excesses.max(axis=1), excesses.sum(axis=1)
    least = MIN_TOTAL_FRACTION * float(np.abs(totals).max())
    mean = max(float(totals.mean()), least, TINY)
    width = _max_deviation(peaks, _PRIOR_DEVIATION * float(peaks.mean()))
    # Sizes are positive, and their ratios vary: half as much is as improbable as twice as much.
    logs = np.log(np.maximum(totals / mean, MIN_TOTAL_FRACTION))
    typical_total = mean * math.exp(logs.mean())
    min_total = typical_total * math.exp(-_max_deviation(logs, _PRIOR_DEVIATION))
    max_total = mean + _max_deviation(totals, _PRIOR_DEVIATION * mean)
    bounds = np.array([low - width, np.median(excesses, axis=0), high + width])
    return bounds, (
        min(min_total, float(totals.min())),
        typical_total,
        max(max_total, float(totals.max())),
    )


def _max_deviation(sample: FloatArray, prior: float) -> float:
    """Return how far the next number may be from the mean of a sample, by Student's t.

    ``prior`` is their standard deviation before any was seen.
    """
    count, freedom = len(sample), _PRIOR_SURGES + len(sample) - 1
    variance = (_PRIOR_SURGES * prior**2 + count * float(sample.var())) / freedom
    limit = -float(stdtrit(freedom, _SIDE_RATE))
    return float(limit * np.sqrt(variance * (1 + 1 / count)))
