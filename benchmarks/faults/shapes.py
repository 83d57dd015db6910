"""The parts of the series of the simulated shop: rhythms, noise, jobs, counters."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.timeseries.types import FloatArray, IntArray

MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 604_800
RATE_SECONDS = 300  # the window of `rate()` in the queries of counters

Chance = np.random.Generator
# Makes the values of a series without its job at Unix times, shape (n,).
Base = Callable[[Chance, IntArray], FloatArray]
Runs = list[tuple[int, int]]  # the runs of a job: Unix times at which each begins and ends


@dataclass(frozen=True)
class Job:
    """A job that adds ``height`` while it runs: ``lasts`` seconds, each ``every`` seconds.

    It begins ``at`` seconds after midnight, the hour or Thursday (as Unix time counts weeks), and
    up to a minute later.
    """

    every: int
    at: int
    lasts: int
    height: float

    def runs(self, rng: Chance, times: IntArray) -> Runs:
        """Return the runs that begin within ``times``."""
        first = -(-(int(times[0]) - self.at) // self.every) * self.every + self.at
        begins = np.arange(first, int(times[-1]) + 1, self.every)
        begins = begins + MINUTE * rng.integers(0, 2, len(begins))
        return [(begin, begin + self.lasts) for begin in begins.tolist()]

    def load(self, runs: Runs, rng: Chance, times: IntArray) -> FloatArray:
        """Return what the job adds at each time, shape (n,)."""
        is_running = np.zeros(len(times), dtype=bool)
        for begin, end in runs:
            is_running |= (times >= begin) & (times < end)
        return is_running * self.height * (1 + 0.05 * rng.standard_normal(len(times)))


@dataclass(frozen=True)
class Shape:
    """A series of the shop.

    Attributes:
        name: Its label in Prometheus.
        base: Makes its values without the job.
        job: Its job, if it has one.
        is_counter: Whether Prometheus has a counter of it, and the query is its ``rate()``.
        resets: Seconds between resets of the counter, 0 if there are none.
        digits: Decimals of its values; None: all.
        low: The lowest value that is possible.
        high: The highest.
        step: Seconds between two points.
    """

    name: str
    base: Base
    job: Job | None = None
    is_counter: bool = False
    resets: int = 0
    digits: int | None = None
    low: float = 0.0
    high: float = np.inf
    step: int = MINUTE


def rhythm(times: IntArray, depth: float, peak_hour: float = 15.0) -> FloatArray:
    """Return a day's rhythm around 1 with its highest value near ``peak_hour``, shape (n,)."""
    turn = 2 * np.pi * (times % DAY / HOUR - peak_hour) / 24
    return 1 + depth * (0.85 * np.cos(turn) + 0.15 * np.cos(2 * turn))


def weekend(times: IntArray, factor: float) -> FloatArray:
    """Return ``factor`` on Saturdays and Sundays, 1 on other days, shape (n,)."""
    return np.where((times // DAY + 3) % 7 >= 5, factor, 1.0)


def autocorrelated_noise(rng: Chance, count: int, share: float) -> FloatArray:
    """Return noise of standard deviation 1 that keeps ``share`` from a step to the next."""
    draws = rng.standard_normal(count) * np.sqrt(1 - share**2)
    draws[0] /= np.sqrt(1 - share**2)
    for index in range(1, count):
        draws[index] += share * draws[index - 1]
    return draws


def count_up(rates: FloatArray, shape: Shape, times: IntArray) -> FloatArray:
    """Return the counter of the rates a second, which a restart sets to 0, shape (n,)."""
    counter: FloatArray = np.cumsum(rates * shape.step)
    if shape.resets:
        part = times // shape.resets
        before = np.searchsorted(part, part)  # the first step since the restart
        counter = counter - np.where(before > 0, counter[before - 1], 0.0)
    return counter


def rate_of(counter: FloatArray, step: int) -> FloatArray:
    """Return ``rate()`` over `RATE_SECONDS` as Prometheus computes it, shape (n,).

    Steps whose window begins before the counter are NaN.
    """
    increases = np.diff(counter, prepend=np.nan)
    increases = np.where(increases < 0, counter, increases)
    steps = RATE_SECONDS // step
    rates = np.full(len(counter), np.nan)
    sums = np.convolve(increases[1:], np.ones(steps), "valid")
    rates[steps:] = sums / RATE_SECONDS
    return rates
