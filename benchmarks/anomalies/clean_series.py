"""Clean series: nothing happens in them, so whatever is flagged is a false alarm.

Synthetic ones by kind, hourly with a day of 24 steps where they have a season; and the shipped
hourly, daily and weekly series, which have no labels: everything in them counts as clean.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.series import PERIODS, long_series

DAY, WEEK = 24, 168
LEVEL = 20.0


@dataclass(frozen=True)
class Drawn:
    """Steps of time, shape (n,), a daily wave over them, and the random generator."""

    time: FloatArray
    wave: FloatArray
    rng: np.random.Generator

    def draw_noise(self) -> FloatArray:
        """Return standard normal noise, other at each call."""
        return self.rng.standard_normal(len(self.time))


def autocorrelate(noise: FloatArray, coefficient: float) -> FloatArray:
    """Return an autoregression of order one: each value keeps a fraction of the one before."""
    values = noise.copy()
    for step in range(1, len(values)):
        values[step] += coefficient * values[step - 1]
    return values


def _long_memory_noise(noise: FloatArray) -> FloatArray:
    """Return noise with a long memory: a fractional difference of order -.3 (Hosking 1981)."""
    order = 0.3
    lags = np.arange(1, len(noise))
    weights = np.concatenate([[1.0], np.cumprod((lags - 1 + order) / lags)])
    size = 2 * len(noise)
    return np.fft.irfft(np.fft.rfft(noise, size) * np.fft.rfft(weights, size), size)[: len(noise)]


def _weekend_drop(drawn: Drawn) -> FloatArray:
    """Return -3 on the last two days of each week, 0 on other days."""
    return np.where(drawn.time % WEEK >= 5 * DAY, -3.0, 0.0)


def _garch_noise(drawn: Drawn) -> FloatArray:
    """Return noise whose variance depends on the values before: GARCH(1, 1) (Bollerslev 1986)."""
    noise = drawn.draw_noise()
    variance = 1.0
    for step in range(len(noise)):
        noise[step] *= np.sqrt(variance)
        variance = 0.1 + 0.1 * noise[step] ** 2 + 0.8 * variance
    return noise


def _moving_average(noise: FloatArray, coefficient: float) -> FloatArray:
    """Return a moving average of order one: noise minus a fraction of the value before."""
    return noise - coefficient * np.concatenate([[0.0], noise[:-1]])


KINDS: dict[str, Callable[[Drawn], FloatArray]] = {
    "season, normal": lambda d: LEVEL + d.wave + d.draw_noise(),
    "season, AR(.7)": lambda d: LEVEL + d.wave + autocorrelate(d.draw_noise(), 0.7),
    "random walk": lambda d: np.cumsum(d.draw_noise()),
    "season, Student t3": lambda d: LEVEL + d.wave + d.rng.standard_t(3, len(d.time)),
    "season, lognormal": lambda d: np.exp(2 + d.wave / 6 + 0.3 * d.draw_noise()),
    "counts of 3": lambda d: d.rng.poisson(3, len(d.time)).astype(float),
    "seasonal counts": lambda d: d.rng.poisson(np.exp(1.5 + d.wave / 4)).astype(float),
    "noise by the hour": lambda d: (
        LEVEL + d.wave + (1 + 0.8 * np.sin(2 * np.pi * d.time / DAY + 1)) * d.draw_noise()
    ),
    "trend, season": lambda d: 0.01 * d.time + d.wave + d.draw_noise(),
    "Student t5": lambda d: d.rng.standard_t(5, len(d.time)),
    "day and week": lambda d: LEVEL + d.wave + _weekend_drop(d) + d.draw_noise(),
    "exponential": lambda d: d.rng.exponential(1.0, len(d.time)),
    "rare counts": lambda d: np.where(
        d.rng.random(len(d.time)) < 0.1, d.rng.poisson(4, len(d.time)) + 1.0, 0.0
    ),
    "rounded": lambda d: np.round(LEVEL + d.wave / 2 + 0.7 * d.draw_noise()),
    "long memory": lambda d: LEVEL + d.wave + _long_memory_noise(d.draw_noise()),
    "calm and wild": lambda d: LEVEL + d.wave + _garch_noise(d),
    "ceiling": lambda d: np.minimum(LEVEL + d.wave + d.draw_noise(), LEVEL + 2.5),
    "season on a walk": lambda d: LEVEL + d.wave + 0.2 * np.cumsum(d.draw_noise()) + d.draw_noise(),
    "uniform": lambda d: d.rng.random(len(d.time)),
    "MA(-.6)": lambda d: LEVEL + _moving_average(d.draw_noise(), 0.6),
}


def make_clean(kind: str, seed: int, length: int) -> History:
    """Return a synthetic hourly series of ``KINDS``; the same arguments give the same one."""
    rng = np.random.default_rng([seed, list(KINDS).index(kind), length])
    time = np.arange(length, dtype=np.float64)
    turn = 2 * np.pi * (time + rng.integers(DAY)) / DAY
    drawn = Drawn(time, 3 * np.sin(turn) + np.cos(2 * turn), rng)
    return History(KINDS[kind](drawn), PERIODS[Frequency.HOURS], Frequency.HOURS)


def shipped_series() -> dict[str, list[History]]:
    """Return the shipped hourly, daily and weekly series, by set and frequency.

    The values to forecast are part of each series.
    """
    groups: dict[str, list[History]] = {}
    for series in long_series():
        name = f"{series.source} {series.history.frequency}"
        values = np.concatenate([series.history.values, series.actual])
        history = History(values, series.history.periods, series.history.frequency)
        groups.setdefault(name, []).append(history)
    return groups
