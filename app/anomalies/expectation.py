"""What each value of a series would have been: its season, its level, and what neighbours say."""

from dataclasses import dataclass

import numpy as np

from app.anomalies.change_points import Step, find_steps, step_part
from app.anomalies.neighbours import expect_from_neighbours
from app.anomalies.results import BoolArray
from app.anomalies.robust import calm
from app.anomalies.seasons import find_periods, seasonal_part
from app.forecasting.cleaning import running_median
from app.forecasting.types import FloatArray

# What is further from a running median of so many points is pulled in to so many sigmas before
# seasons are looked for: wide enough that a season's own peaks stay.
_WINDOW, _CLIP = 25, 6.0
# The level beside what is bridged is the median of so many points.
_BRIDGE = 9


@dataclass(frozen=True)
class Parts:
    """A series of shape (n,) taken apart.

    ``expected`` is the sum of the season, the level between the ``steps`` and what the neighbours
    of each point say; ``without_season`` is the series less its season.
    """

    expected: FloatArray
    season: FloatArray
    without_season: FloatArray
    steps: list[Step]
    periods: tuple[int, ...]


def take_apart(
    values: FloatArray, suggested: tuple[int, ...], period: int | None, aside: BoolArray
) -> Parts:
    """Return the expectation of each point of a series and what it is made of.

    Args:
        values: shape (n,), centred and in units of their usual size.
        suggested: seasonal periods to test.
        period: the period where it is known, 0 for none, None to find it.
        aside: which values are only ``bridged``, shape (n,), and show no steps.
    """
    told = calm(values, _WINDOW, _CLIP)
    periods = find_periods(told, suggested) if period is None else _known(period, len(values))
    season = seasonal_part(told, periods)
    without_season = values - season
    kept = np.flatnonzero(~aside)
    steps = [Step(int(kept[step.index]), step.t) for step in find_steps(without_season[kept])]
    levels = step_part(without_season, steps)
    rest = bridged(without_season - levels, np.zeros_like(season), aside)
    expected = season + levels + expect_from_neighbours(rest, periods)
    return Parts(expected, season, without_season, steps, periods)


def bridged(values: FloatArray, season: FloatArray, aside: BoolArray) -> FloatArray:
    """Return the values with what the season and the levels on both sides say of those aside."""
    if not aside.any():
        return values
    level = values - season
    index = np.arange(len(values))
    line = np.interp(index, index[~aside], running_median(level[~aside], _BRIDGE))
    return np.where(aside, season + line, values)


def _known(period: int, length: int) -> tuple[int, ...]:
    return (period,) if 2 <= period <= length // 2 else ()
