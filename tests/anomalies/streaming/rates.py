"""Rates by five minutes whose history is never near 0, as services have them."""

from collections.abc import Callable

import numpy as np

from app.timeseries.types import FloatArray
from tests.anomalies.clean_series import Random, autocorrelated_noise

DAY, WEEK = 288, 2016


def noisy_level(rng: Random, level: FloatArray | float, n: int, share: float) -> FloatArray:
    """Return a level with noise of a share of it."""
    return np.asarray(level * (1 + share * rng.standard_normal(n)))


def rhythm(n: int) -> FloatArray:
    """Return a day between -1.2 and 1.2."""
    turn = 2 * np.pi * np.arange(n) / DAY
    return np.sin(turn) + 0.4 * np.sin(2 * turn)


def work_week(n: int) -> FloatArray:
    """Return the level of a week: 140 on five days, 60 on two."""
    return np.where(np.arange(n) // DAY % 7 < 5, 140.0, 60.0) + 25 * rhythm(n)


def bursts(
    rng: Random, n: int, every: int, length: int, height: float, jitter: int = 0
) -> FloatArray:
    """Return bursts of a length that return after a number of steps."""
    values = np.zeros(n + length + jitter)
    for begin in range(int(rng.integers(every)), n, every):
        at = max(0, begin + int(rng.integers(-jitter, jitter + 1)))
        values[at : at + length] = height * (1 + 0.2 * rng.standard_normal(length))
    return values[:n]


def spikes(rng: Random, n: int, share: float, height: float) -> FloatArray:
    return (rng.random(n) < share) * height * rng.exponential(1.0, n)


RATES: dict[str, Callable[[Random, int], FloatArray]] = {
    "steady, burst each hour": lambda r, n: noisy_level(r, 78, n, 0.05) + bursts(r, n, 12, 1, 250),
    "log-normal": lambda r, n: 20 * r.lognormal(0, 0.6, n),
    "gamma": lambda r, n: 25 * r.gamma(4, 0.25, n),
    "day": lambda r, n: noisy_level(r, 100 + 40 * rhythm(n), n, 0.06),
    "day, burst each hour": lambda r, n: (
        noisy_level(r, 100 + 40 * rhythm(n), n, 0.06) + bursts(r, n, 12, 1, 300)
    ),
    "day, nightly job": lambda r, n: (
        noisy_level(r, 100 + 40 * rhythm(n), n, 0.06) + bursts(r, n, DAY, 9, 4000)
    ),
    "log-normal day": lambda r, n: 40 * np.exp(0.5 * rhythm(n)) * r.lognormal(0, 0.3, n),
    "week": lambda r, n: noisy_level(r, work_week(n), n, 0.05),
    "week, spikes": lambda r, n: noisy_level(r, work_week(n), n, 0.05) + spikes(r, n, 0.02, 500),
    "spikes by chance": lambda r, n: noisy_level(r, 50, n, 0.1) + spikes(r, n, 0.02, 400),
    "Pareto": lambda r, n: 30 * (1 + 0.5 * r.pareto(2, n)),
    "t with 3 degrees of freedom": lambda r, n: 300 + 8 * np.clip(r.standard_t(3, n), -20, 50),
    "autocorrelated": lambda r, n: 200 * np.exp(0.15 * autocorrelated_noise(r, n, 0.9)),
    "counts": lambda r, n: r.poisson(40, n).astype(float),
    "counts of a day": lambda r, n: r.poisson(np.exp(4 + 0.5 * rhythm(n))).astype(float),
    "two bursts each hour": lambda r, n: noisy_level(r, 120, n, 0.08) + bursts(r, n, 6, 2, 500),
    "bursts with jitter": lambda r, n: noisy_level(r, 78, n, 0.05) + bursts(r, n, 12, 1, 900, 1),
    "batch each four hours": lambda r, n: noisy_level(r, 78, n, 0.05) + bursts(r, n, 48, 4, 2000),
    "long wave": lambda r, n: (
        100 * np.exp(0.4 * np.sin(2 * np.pi * np.arange(n) / 700)) * r.lognormal(0, 0.05, n)
    ),
    "trend": lambda r, n: noisy_level(r, 50 + 0.02 * np.arange(n), n, 0.08),
    "two levels by the hour": lambda r, n: noisy_level(
        r, np.where(np.arange(n) // 12 % 2, 60.0, 90.0), n, 0.05
    ),
    "small": lambda r, n: 0.02 * r.lognormal(0, 0.2, n) + bursts(r, n, 12, 1, 0.1),
}
