"""Clean series to judge: what is flagged of them are false alarms."""

import numpy as np
from scipy.signal import lfilter

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

Random = np.random.Generator


def hourly_history(values: FloatArray) -> History:
    """Return the history of hours that these values are."""
    return History(np.asarray(values, dtype=np.float64), (24, 168), Frequency.HOURS)


def autocorrelated_noise(rng: Random, n: int, lag: float) -> FloatArray:
    """Return noise of standard deviation 1 of which each value keeps a share of the last."""
    noise = lfilter([1.0], [1.0, -lag], rng.standard_normal(n + 200))[200:]
    return np.asarray(noise * np.sqrt(1 - lag**2))


def day(n: int) -> FloatArray:
    """Return the season of a day of hours."""
    turn = 2 * np.pi * np.arange(n) / 24
    return 20 + 3 * np.sin(turn) + np.cos(2 * turn)


def week(n: int) -> FloatArray:
    """Return a week whose last two days are quieter and have another course."""
    quiet = np.arange(n) // 24 % 7 >= 5
    return day(n) - quiet * (3 + 2 * np.sin(2 * np.pi * np.arange(n) / 24))


KINDS = {
    "white noise": lambda rng, n: rng.standard_normal(n),
    "season": lambda rng, n: day(n) + rng.standard_normal(n),
    "autocorrelated": lambda rng, n: day(n) + autocorrelated_noise(rng, n, 0.7),
    "random walk": lambda rng, n: np.cumsum(rng.standard_normal(n)),
    "long tails": lambda rng, n: day(n) + rng.standard_t(4, n),
    "multiplicative": lambda rng, n: np.exp(day(n) / 6 + 0.3 * rng.standard_normal(n)),
    "exponential": lambda rng, n: rng.exponential(1.0, n),
    "counts": lambda rng, n: rng.poisson(np.exp(day(n) / 4 - 3)).astype(float),
    "mostly zeros": lambda rng, n: (rng.random(n) < 0.1) * rng.exponential(3.0, n),
    "rounded": lambda rng, n: (day(n) + rng.standard_normal(n)).round(1),
    "restless by hour": lambda rng, n: (day(n) - 14) * rng.standard_normal(n),
    "trend": lambda rng, n: 0.01 * np.arange(n) + day(n) + rng.standard_normal(n),
    "week": lambda rng, n: week(n) + rng.standard_normal(n),
}
