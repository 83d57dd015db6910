"""Synthetic observability metrics: eleven kinds of trouble on top of a daily and weekly season.

Real metrics that may be redistributed are rare; these replace them. Each kind is a load with a
level, a day, a week and autocorrelated noise, and one thing that breaks ordinary models.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
HORIZON = 48  # points after a history
Random = np.random.Generator


class Load:
    """An ordinary load, before anything happens to it.

    ``values`` has shape (n + h,), ``level`` is its mean, ``day`` the steps of a day, ``known`` the
    number of points of history; the last two sevenths of each week are quieter.
    """

    def __init__(self, rng: Random, known: int, horizon: int, day: int, week: int) -> None:
        total = known + horizon
        time = np.arange(total)
        self.rng, self.known, self.day, self.time = rng, known, day, time
        self.level = float(rng.uniform(20, 200))
        turn = 2 * np.pi / day
        daily = 0.4 * np.sin(turn * (time + rng.integers(day)))
        daily += 0.15 * np.sin(2 * turn * (time + rng.integers(day)))
        weekend = np.where(7 * (time % week) >= 5 * week, -0.2, 0.0)
        shocks = rng.standard_normal(total) * 0.08
        noise = np.zeros(total)
        for step in range(1, total):
            noise[step] = 0.6 * noise[step - 1] + shocks[step]
        self.values: FloatArray = self.level * (1 + daily + weekend + noise)

    def chance(self, probability: float) -> npt.NDArray[np.bool_]:
        """Return which steps are struck by an event of this probability."""
        return self.rng.random(len(self.time)) < probability

    def late_step(self) -> int:
        """Return a step in the last part of the history."""
        return int(self.rng.integers(int(self.known * 0.6), self.known - 20))


def clean_load(load: Load) -> FloatArray:
    """Nothing happens."""
    return load.values


def spikes(load: Load) -> FloatArray:
    """One point in fifty is far too high."""
    size = load.level * load.rng.exponential(4, len(load.time))
    return np.asarray(load.values + load.chance(0.02) * size)


def bursts(load: Load) -> FloatArray:
    """Now and then the load doubles to quadruples for a few steps."""
    values = load.values.copy()
    step = 0
    while step < len(values):
        step += int(load.rng.exponential(5 * load.day))
        length = int(load.rng.integers(3, 9))
        values[step : step + length] *= load.rng.uniform(2, 4)
    return values


def shift(load: Load) -> FloatArray:
    """The level changes for good, late in the history."""
    values = load.values.copy()
    values[load.late_step() :] += load.level * load.rng.choice([-0.45, 0.8, 1.5])
    return values


def shift_and_spikes(load: Load) -> FloatArray:
    """The level rises for good, and there are spikes."""
    values = load.values.copy()
    values[load.late_step() :] += load.level * load.rng.choice([0.8, 1.5])
    return values + load.chance(0.02) * load.level * load.rng.exponential(4, len(values))


def counts(load: Load) -> FloatArray:
    """Small Poisson counts."""
    rate = (2 + 1.5 * np.sin(2 * np.pi * load.time / load.day)) * load.rng.uniform(0.3, 2)
    return np.asarray(load.rng.poisson(np.maximum(0.1, rate)), dtype=float)


def bursty_counts(load: Load) -> FloatArray:
    """Overdispersed (negative binomial) counts."""
    rate = np.maximum(0.1, 6 + 5 * np.sin(2 * np.pi * load.time / load.day))
    return np.asarray(load.rng.negative_binomial(1.2, 1.2 / (1.2 + rate)), dtype=float)


def rare_load(load: Load) -> FloatArray:
    """Zero at 85 % of the steps."""
    size = load.rng.exponential(load.level, len(load.time))
    return np.where(load.chance(0.85), 0.0, size)


def skewed_noise(load: Load) -> FloatArray:
    """Multiplicative noise, as latencies have."""
    wave = 0.5 * np.sin(2 * np.pi * load.time / load.day)
    noise = 0.4 * load.rng.standard_normal(len(load.time))
    return np.asarray(np.exp(np.log(load.level) + wave + noise))


def capped_load(load: Load) -> FloatArray:
    """A ceiling cuts the daily peaks."""
    return np.clip(load.values * 0.9, 0, load.level * 1.05)


def random_walk(load: Load) -> FloatArray:
    """No season, no level to come back to."""
    walk = np.cumsum(load.rng.standard_normal(len(load.time)))
    return load.level * (5 + 0.05 * walk)


KINDS: dict[str, Callable[[Load], FloatArray]] = {
    "clean": clean_load,
    "spikes": spikes,
    "bursts": bursts,
    "shift": shift,
    "shift and spikes": shift_and_spikes,
    "counts": counts,
    "bursty counts": bursty_counts,
    "mostly zero": rare_load,
    "skewed noise": skewed_noise,
    "saturated": capped_load,
    "random walk": random_walk,
}


def make_metric(
    kind: str,
    seed: int,
    *,
    known: int = 336,
    cycles: tuple[int, int] = (24, 168),
) -> tuple[FloatArray, FloatArray]:
    """Return a history of ``known`` points and the ``HORIZON`` points that follow.

    Args:
        kind: A key of ``KINDS``.
        seed: The same seed gives the same series.
        known: Points of history.
        cycles: Steps of a day and of a week, or of their substitutes.
    """
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    values = np.maximum(KINDS[kind](Load(rng, known, HORIZON, *cycles)), 0.0)
    return values[:known], values[known:]
