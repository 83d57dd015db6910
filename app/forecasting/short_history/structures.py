"""The small Gaussian models that a short history may follow: level, trend and season.

A *structure* is one choice of each. Its parts are Gaussian processes (Rasmussen and Williams 2006),
whose covariances are in units of the variance of a difference: so the prior of structures does not
depend on the scale of a series. Sources: Harvey (1989) for structural models, Gardner and McKenzie
(1985) for the damped slope.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.forecasting.intervals.learned import StructurePrior
from app.timeseries.seconds import MONTHS_PER_YEAR
from app.timeseries.types import FloatArray, IntArray

# A level is a random walk plus white noise, of which the walk has this fraction of the variance of
# a difference, or an autoregression with this coefficient.
_WALK_FRACTIONS = (0.0, 0.03, 0.15, 0.5, 1.0)
_AUTOREGRESSION = 0.8
# Trends: none, a line, a slope that changes at random with this damping, or a slope that falls by
# this power of e over the history (a launch, a saturation). The last number of each is the standard
# deviation of the slope, in standard deviations of a difference.
_DRIFTS = (0.3, 1.5)
_DAMPED = ((0.8, 0.7), (0.95, 1.0))
_FALLING = ((2.0, 1.5), (5.0, 3.0))
# Standard deviations of the seasonal profile, in standard deviations of a difference.
SEASONS = (0.0, 0.5, 1.5, 4.0, 10.0)

LEVEL_COUNT = len(_WALK_FRACTIONS) + 1
TREND_COUNT = 1 + len(_DRIFTS) + len(_DAMPED) + len(_FALLING)
MAX_PRIOR_PERIOD = 52  # longer seasons are ignored
_MAX_INDEPENDENT_PHASES = 7  # phases of longer seasons are correlated
# The correlation lengths of seasons.
_SHORT_SEASON_LENGTH = 0.5  # of up to a year of months
_LONG_SEASON_LENGTH = 0.7
# The least likely structures are left out: those whose prior probabilities add up to this.
_NEGLIGIBLE_PROBABILITY = 0.01
_CACHED = 16


@dataclass(frozen=True)
class Kernels:
    """The covariances of the n known steps with all N = n + h, and the variances of all.

    Shapes (choices, N, n) and (choices, N); the unit is the variance of a difference.
    """

    levels: FloatArray
    trends: FloatArray
    seasons: FloatArray
    level_variances: FloatArray
    trend_variances: FloatArray
    season_variances: FloatArray

    def covariances(self, structures: IntArray, start: int, stop: int) -> FloatArray:
        """Return the covariances of steps ``start`` to ``stop`` with the known: (k, steps, n)."""
        level, trend, season = structures.T
        rows = slice(start, stop)
        return np.asarray(
            self.levels[level, rows] + self.trends[trend, rows] + self.seasons[season, rows]
        )

    def variances(self, structures: IntArray, start: int) -> FloatArray:
        """Return the variances of the steps from ``start`` on, by structure: (k, N - start)."""
        level, trend, season = structures.T
        return np.asarray(
            self.level_variances[level, start:]
            + self.trend_variances[trend, start:]
            + self.season_variances[season, start:]
        )


def usable_period(periods: tuple[int, ...]) -> int:
    """Return the shortest seasonal period, or 1 if there is none or it is too long."""
    shortest = min(periods, default=1)
    return shortest if shortest <= MAX_PRIOR_PERIOD else 1


def likely_structures(prior: StructurePrior, period: int) -> tuple[IntArray, FloatArray]:
    """Return the structures with the largest prior probabilities.

    Returns:
        Indices of level, trend and season, shape (k, 3), and log probabilities (k,).
    """
    seasons = prior.seasons if period > 1 else np.ones(1)
    joint = prior.levels[:, None, None] * prior.trends[:, None] * seasons
    order = np.argsort(-joint, axis=None, kind="stable")
    mass = joint.ravel()[order]
    likely = order[
        : 1 + int(np.searchsorted(np.cumsum(mass), (1.0 - _NEGLIGIBLE_PROBABILITY) * mass.sum()))
    ]
    structures = np.stack(np.unravel_index(likely, joint.shape), axis=1)
    return structures, np.log(joint.ravel()[likely])


@lru_cache(maxsize=_CACHED)
def make_kernels(points: int, horizon: int, period: int) -> Kernels:
    """Return the kernels of ``points`` known steps and ``horizon`` steps ahead.

    ``period`` is 1 without a season. The kernels of a step do not depend on the horizon.
    """
    steps = np.arange(points + horizon)
    parts = (_level_kernels(steps), _trend_kernels(steps, points), _season_kernels(steps, period))
    covariances = [np.ascontiguousarray(part[:, :, :points]) for part in parts]
    variances = [np.diagonal(part, axis1=1, axis2=2).copy() for part in parts]
    return Kernels(*covariances, *variances)


def _level_kernels(steps: IntArray) -> FloatArray:
    """Return the kernels of the level, shape (choices, N, N)."""
    walk = np.minimum(steps[:, None], steps) + 1.0
    noise = np.eye(len(steps)) / 2.0
    mixed = [fraction * walk + (1.0 - fraction) * noise for fraction in _WALK_FRACTIONS]
    apart = np.abs(steps[:, None] - steps)
    return np.stack([*mixed, _AUTOREGRESSION**apart / (2.0 * (1.0 - _AUTOREGRESSION))])


def _trend_kernels(steps: IntArray, points: int) -> FloatArray:
    """Return the kernels of the trend, shape (choices, N, N)."""
    kernels: list[FloatArray] = [np.zeros((len(steps), len(steps)))]
    line = np.outer(steps, steps).astype(np.float64)
    kernels += [spread**2 * line for spread in _DRIFTS]
    apart = np.abs(steps[:, None] - steps)
    for damping, spread in _DAMPED:
        slopes = spread**2 * damping**apart
        slopes[0], slopes[:, 0] = 0.0, 0.0  # no slope before the first step
        kernels.append(np.cumsum(np.cumsum(slopes, axis=0), axis=1))
    for power, spread in _FALLING:
        climbed = np.cumsum(np.exp(-power * steps / points)) - 1.0
        kernels.append(spread**2 * np.outer(climbed, climbed))
    return np.stack(kernels)


def _season_kernels(steps: IntArray, period: int) -> FloatArray:
    """Return the kernels of the season, shape (choices, N, N): a constant profile of mean 0."""
    if period < 2:
        return np.zeros((1, len(steps), len(steps)))
    phases = np.arange(period)
    if period <= _MAX_INDEPENDENT_PHASES:
        correlation = np.eye(period)
    else:
        length = _SHORT_SEASON_LENGTH if period <= MONTHS_PER_YEAR else _LONG_SEASON_LENGTH
        waves = np.sin(np.pi * (phases[:, None] - phases) / period)
        correlation = np.exp(-2.0 * (waves / length) ** 2)
    centred = (
        correlation
        - correlation.mean(axis=0)
        - correlation.mean(axis=1)[:, None]
        + correlation.mean()
    )
    profile = centred / centred[0, 0]
    every = profile[np.ix_(steps % period, steps % period)]
    return np.stack([spread**2 * every for spread in SEASONS])
