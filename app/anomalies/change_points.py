"""Change points: lasting changes in the level of a series.

The values of an interval are regressed on a line, on their own last values and on a step at every
index in turn: in an autocorrelated series, or a random walk, a step must explain what the past does
not. The best steps of a fixed set of intervals compete (seeded binary segmentation: Kovács,
Bühlmann, Li and Munk 2023).
"""

from dataclasses import dataclass
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from app.anomalies.results import MIN_LEVEL_POINTS, ChangePoint
from app.anomalies.units import NEGLIGIBLE, Units
from app.timeseries.phases import phase_medians
from app.timeseries.robust import mad_sigma
from app.timeseries.running_median import clip_to_median
from app.timeseries.types import FloatArray

_LAGS = 3  # of the regression
_MAX_BLOCKS = 2000  # longer series are first averaged to about this many
# An interval has at least this many points, and this fraction of them.
_MIN_INTERVAL_POINTS = 64
_MIN_INTERVAL_FRACTION = 0.03
_MIN_STEP_T_STATISTIC = 6.0  # random walks rarely reach it by chance
# The contrast of a step is at least this many sigmas of the differences of neighbouring windows. A
# sigma is at least the size of rounding errors, in units.
_MIN_CONTRAST_SIGMAS, _MIN_WINDOW_DIFFERENCE = 3.0, 10 * NEGLIGIBLE
# The points of a window, fewer in a series with fewer than this many windows.
_WINDOW_POINTS = 24
_MIN_WINDOWS = 8
_OUTLIER_SIGMAS = 3.5  # from the running median: the bound of outliers
_MEDIAN_WINDOW_POINTS = 9
# The difference of a step's sides, in standard errors; each has its own noise and persistence.
_MIN_WELCH_T = 4.5
_MAX_LAG_CORRELATION = 0.95
# The levels around a step are compared over this many of the distances that it may move.
_COMPARED_DISTANCES = 4
_MAX_STEP_CYCLES = 6  # of a season that takes a part of a step in the level
_MAX_SEASONAL_STEPS = 4  # that are removed
# Of two places a period apart one has the step: that without which the series is nearest to its
# season, and where the distances differ by less than this fraction, that where the points on both
# sides differ most.
_SIMILAR_DISTANCE_FRACTION = 0.05
_CONTRAST_POINTS = 28
# The points on both sides of a jump are about as far out, and noise hardly ever is; at least this
# fraction of it is left in the median of the points after it.
_MIN_JUMP_SIGMAS, _MIN_PAIR_RATIO, _MIN_LASTING_FRACTION = 5.0, 2 / 3, 0.5
# The fraction of the variance that counts as rounding, if the past explains a series completely.
_ROUNDING_VARIANCE_FRACTION = 1e-12


@dataclass(frozen=True)
class LevelStep:
    """A step at ``index``, the first point of the new level, with its t-statistic."""

    index: int
    t: float


class _SeasonalStep(NamedTuple):
    """A step of the changes over a period: where it is, and how far they rise there."""

    start: int
    size: float


def find_steps(values: FloatArray) -> list[LevelStep]:
    """Return the steps in the level of a deseasonalized series, shape (n,), oldest first."""
    n = len(values)
    clipped = clip_to_median(values, _MEDIAN_WINDOW_POINTS, _OUTLIER_SIGMAS)
    block = -(-n // _MAX_BLOCKS)
    means = clipped[n % block :].reshape(-1, block).mean(axis=1)
    kept: list[LevelStep] = []
    for step in sorted(_candidate_steps(means), key=lambda step: -abs(step.t)):
        index = _locate_step(clipped, step.index * block + n % block, _LAGS * block)
        apart = min((abs(index - other.index) for other in kept), default=n)
        if min(index, n - index, apart) >= MIN_LEVEL_POINTS * block:
            kept.append(LevelStep(index, step.t))
    return _lasting_steps(clipped, sorted(kept, key=lambda step: step.index))


def describe_steps(
    values: FloatArray, steps: list[LevelStep], units: Units
) -> tuple[ChangePoint, ...]:
    """Return the change points; their levels are the medians of ``values`` (n,) between them.

    Where two are equal, as of counts that are mostly 0, the levels are means: a step has a side.
    The p-value of a step is Bonferroni's bound for the largest of n normal statistics.
    """
    parts = np.split(values, [step.index for step in steps])
    levels = [float(units.to_values(np.median(part))) for part in parts]
    if any(before == after for before, after in pairwise(levels)):
        levels = [float(units.to_values(part.mean())) for part in parts]
    p_values = [float(min(1.0, 2 * len(values) * ndtr(-abs(step.t)))) for step in steps]
    return tuple(
        ChangePoint(step.index, before, after, p_value)
        for step, (before, after), p_value in zip(steps, pairwise(levels), p_values, strict=True)
    )


def find_jumps(
    values: FloatArray, residual: FloatArray, evidence: FloatArray, steps: tuple[ChangePoint, ...]
) -> tuple[ChangePoint, ...]:
    """Return the change points, with the jumps of a random walk, which has no level.

    Each point of a walk is expected between its neighbours, so the last point before a jump and the
    first one after it are far out, on different sides.

    Args:
        values: The series, shape (n,).
        residual: In units of its typical size, shape (n,).
        evidence: -log10 of the probability of each that is flagged, else 0, shape (n,).
        steps: The change points that are known; jumps beside them are none.
    """
    last, next_ = residual[:-1], residual[1:]
    lesser, greater = np.sort(np.abs([last, next_]), axis=0)
    is_pair = (last * next_ < 0) & (lesser >= _MIN_JUMP_SIGMAS)
    is_pair &= (lesser >= _MIN_PAIR_RATIO * greater) & (np.maximum(evidence[1:], evidence[:-1]) > 0)
    quarters = values / 4  # the range of the largest numbers overflows
    changes = list(steps)
    for index in (np.flatnonzero(is_pair) + 1).tolist():
        places = (0, len(values), *(change.index for change in changes))
        apart = min(abs(index - place) for place in places)
        size = quarters[index] - quarters[index - 1]
        old = float(np.median(quarters[max(0, index - MIN_LEVEL_POINTS) : index]))
        new = float(np.median(quarters[index : index + MIN_LEVEL_POINTS]))
        is_lasting = (new - old) * np.sign(size) > _MIN_LASTING_FRACTION * abs(size)
        if is_lasting and apart >= MIN_LEVEL_POINTS:
            p_value = len(values) * 10.0 ** -float(evidence[index - 1 : index + 1].max())
            changes.append(ChangePoint(index, 4 * old, 4 * new, min(1.0, p_value)))
    return tuple(sorted(changes, key=lambda change: change.index))


def step_levels(values: FloatArray, steps: list[LevelStep]) -> FloatArray:
    """Return the level of each part between steps, shape (n,); 0 where there are no steps."""
    if not steps:
        return np.zeros(len(values))
    parts = np.split(values, [step.index for step in steps])
    return np.concatenate([np.full(len(part), np.median(part)) for part in parts])


def remove_steps(values: FloatArray, period: int) -> FloatArray:
    """Return a series (n,) of few cycles of a season without the steps in its level.

    The profile of the season would have a part of a step, and the series without the season a
    second step, a period away. With many cycles the medians of the phases leave a step out, so the
    series is returned as it is.
    """
    if len(values) >= _MAX_STEP_CYCLES * period or len(values) - period < 3 * MIN_LEVEL_POINTS:
        return values
    original, kept, changes = values, values, values[period:] - values[:-period]
    steps = find_steps(changes)
    # A change of slope looks like a step of the changes, but its removal leaves others. Two steps
    # may look like one, as where they are a period apart.
    removable, removable_at_last = len(steps), max(len(steps), 2)
    removed: list[_SeasonalStep] = []
    while steps and len(removed) < _MAX_SEASONAL_STEPS:
        index = max(steps, key=lambda step: abs(step.t)).index
        levels = step_levels(changes, steps)
        removed.append(_SeasonalStep(index, levels[index] - levels[index - 1]))
        values = _without_steps(original, period, removed)
        changes = values[period:] - values[:-period]
        steps = find_steps(changes)
        if len(steps) + len(removed) <= (removable if steps else removable_at_last):
            kept = values
    return kept


def _without_steps(values: FloatArray, period: int, steps: list[_SeasonalStep]) -> FloatArray:
    """Return a series (n,) without steps of its changes over a period.

    The changes rise where the values rise one period later, or fall. Which of both is chosen for
    all steps together: an outage is two of them.
    """
    places = np.arange(len(values))
    choices = []
    for are_rises in product((True, False), repeat=len(steps)):
        rest, contrast = values, 0.0
        for step, is_rise in zip(steps, are_rises, strict=True):
            place = step.start + period * is_rise
            rest = rest + (-step.size if is_rise else step.size) * (places >= place)
            contrast += _contrast(values, place)
        choices.append((_distance_from_season(rest, period), contrast, rest))
    nearest = min(distance for distance, _, _ in choices)
    near = [choice for choice in choices if choice[0] <= nearest * (1 + _SIMILAR_DISTANCE_FRACTION)]
    return max(near, key=lambda choice: choice[1])[2]


def _distance_from_season(values: FloatArray, period: int) -> float:
    """Return the sum of the distances of a series (n,) from the medians of its phases."""
    medians = np.resize(phase_medians(values, period), len(values))
    return float(np.abs(values - medians).sum())


def _contrast(values: FloatArray, index: int) -> float:
    """Return the size of a step at a place in a series (n,), beside the slope around it."""
    begin = max(0, index - _CONTRAST_POINTS)
    around = values[begin : index + _CONTRAST_POINTS]
    points = np.arange(begin - index, begin - index + len(around))
    columns = np.column_stack([np.ones(len(around)), points / _CONTRAST_POINTS, points >= 0])
    return float(abs(np.linalg.lstsq(columns, around, rcond=None)[0][2]))


def _candidate_steps(values: FloatArray) -> list[LevelStep]:
    """Return the best step of each interval that has a significant one."""
    n = len(values)
    shortest = max(_MIN_INTERVAL_POINTS, int(_MIN_INTERVAL_FRACTION * n))
    steps, length = [], n
    while length >= min(shortest, n) and length >= 3 * MIN_LEVEL_POINTS:
        begins = np.unique(np.linspace(0, n - length, 2 * (n // length) + 1).astype(int))
        for begin in begins.tolist():
            part = values[begin : begin + length]
            t = step_statistics(part)
            best = int(np.argmax(np.abs(t)))
            if abs(t[best]) >= _MIN_STEP_T_STATISTIC and _is_welch_significant(part, best):
                steps.append(LevelStep(begin + best, float(t[best])))
        length = length // 2
    return steps


def step_statistics(values: FloatArray) -> FloatArray:
    """Return the t-statistic of a step at each index of an interval, shape (n,).

    By the theorem of Frisch, Waugh and Lovell the coefficient of a step follows from the residuals
    of the regression without it, summed from the step on, and the part of the step that the other
    regressors do not explain.
    """
    n = len(values)
    target = values[_LAGS:] - values.mean()
    columns = [np.ones(n - _LAGS), np.linspace(-1, 1, n - _LAGS)]
    columns += [values[_LAGS - lag : n - lag] - values.mean() for lag in range(1, _LAGS + 1)]
    others = np.linalg.qr(np.array(columns).T)[0]
    residual = target - others @ (others.T @ target)
    # Sums from each index to the end.
    tail_sums = np.cumsum(residual[::-1])[::-1]
    explained = np.cumsum(others[::-1], axis=0)[::-1]
    unexplained = np.arange(n - _LAGS, 0, -1.0) - (explained**2).sum(axis=1)
    # If the other regressors explain a step up to one point, its coefficient is undetermined.
    is_identified = unexplained > 1.0
    power = float(residual @ residual)
    if power <= _ROUNDING_VARIANCE_FRACTION * n * float(values.var()):
        return np.zeros(n)
    gain = np.where(is_identified, tail_sums**2 / np.where(is_identified, unexplained, 1.0), 0.0)
    freedom = max(1, (n - _LAGS) - (_LAGS + 3))  # rows less lags, level, slope and step
    noise = np.maximum(power - gain, _ROUNDING_VARIANCE_FRACTION * power) / freedom
    t = np.zeros(n)
    t[_LAGS:] = np.sign(tail_sums) * np.sqrt(gain / noise)
    t[:MIN_LEVEL_POINTS] = t[n - MIN_LEVEL_POINTS + 1 :] = 0.0
    return t


def _is_welch_significant(values: FloatArray, index: int) -> bool:
    """Return whether a step is significant with unequal noise on its sides (Welch 1947)."""
    before, after = values[:index], values[index:]
    error = 0.0
    for side in (before, after):
        around = side - side.mean()
        power = float(around @ around)
        correlation = float(around[1:] @ around[:-1]) / power if power > 0 else 0.0
        correlation = min(correlation, _MAX_LAG_CORRELATION)
        persistence = (1 + correlation) / (1 - correlation)
        error += power / len(side) * max(persistence, 1.0) / len(side)
    return bool(abs(before.mean() - after.mean()) >= _MIN_WELCH_T * np.sqrt(error))


def _locate_step(values: FloatArray, index: int, max_distance: int) -> int:
    """Return the index at most ``max_distance`` away that best separates the two levels."""
    side = _COMPARED_DISTANCES * max_distance
    begin, end = max(0, index - side), min(len(values), index + side)
    around = values[begin:end] - values[begin:end].mean()
    count = np.arange(1, len(around))
    gain = np.cumsum(around)[:-1] ** 2 / (count * count[::-1])
    is_near = np.abs(begin + count - index) <= max_distance
    return int(begin + 1 + np.argmax(np.where(is_near, gain, -1.0)))


def _lasting_steps(values: FloatArray, steps: list[LevelStep]) -> list[LevelStep]:
    """Return the steps whose sides differ by more than neighbouring windows."""
    n = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    # Short enough that most pairs of windows do not span a step.
    window = min(_WINDOW_POINTS, n // _MIN_WINDOWS)
    means = (sums[window:] - sums[:-window]) / window
    sigma = mad_sigma(means[window:] - means[:-window])
    kept = []
    edges = [0, *(step.index for step in steps), n]
    for before, step, after in zip(edges[:-2], steps, edges[2:], strict=True):
        index = step.index
        back, ahead = max(before, index - window), min(after, index + window)
        contrast = values[index:ahead].mean() - values[back:index].mean()
        widening = np.sqrt(window / min(index - back, ahead - index))
        if abs(contrast) > _MIN_CONTRAST_SIGMAS * max(sigma * widening, _MIN_WINDOW_DIFFERENCE):
            kept.append(step)
    return kept
