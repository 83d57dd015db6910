"""Synthetic series of behaviours one after the other: level, season, noise and bursts."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.timeseries.types import FloatArray
from tests.anomalies.clean_series import Random, autocorrelated_noise

Noise = Callable[[Random, int], FloatArray]
Shape = Callable[[FloatArray], FloatArray]

NOISES: dict[str, Noise] = {
    "none": lambda _random, n: np.zeros(n),
    "normal": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.uniform(-2, 2, n),
    "heavy tails": lambda rng, n: rng.standard_t(3, n),
    "exponential": lambda rng, n: rng.exponential(1.0, n),
    "log-normal": lambda rng, n: rng.lognormal(0.0, 1.0, n),
    "counts": lambda rng, n: rng.poisson(2.0, n).astype(float),
    "rare ones": lambda rng, n: (rng.random(n) < 0.05).astype(float),
    "autocorrelated": lambda rng, n: autocorrelated_noise(rng, n, 0.9),
    "on and off": lambda rng, n: 4.0 * (np.cumsum(rng.random(n) < 0.05) % 2),
    "random walk": lambda rng, n: np.cumsum(rng.standard_normal(n)),
}
SHAPES: dict[str, Shape] = {
    "sine": lambda turn: np.sin(2 * np.pi * turn),
    "square": lambda turn: np.sign(0.5 - turn),
    "saw": lambda turn: 2 * turn - 1,
    "peak": lambda turn: 2.0 * (turn < 0.04),
}
FINISHES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "as it is": lambda values: values,
    "rounded": np.round,
    "not below zero": lambda values: np.maximum(values, 0.0),
    "size": np.abs,
}


@dataclass(frozen=True)
class Behaviour:
    """How a series behaves for some time, in units of its noise.

    ``bursts`` is the fraction of points at which a burst of some points begins.
    """

    level: float = 0.0
    noise: str = "normal"
    size: float = 1.0
    shape: str = "sine"
    amplitude: float = 0.0
    period: int = 24
    bursts: float = 0.0
    finish: str = "as it is"

    def values(self, rng: Random, time: FloatArray) -> FloatArray:
        """Return the values at consecutive times, shape (n,)."""
        n = len(time)
        season = self.amplitude * SHAPES[self.shape](time / self.period % 1)
        values = self.level + season + self.size * NOISES[self.noise](rng, n)
        for begin in np.flatnonzero(rng.random(n) < self.bursts):
            end = begin + 1 + rng.integers(8)
            values[begin:end] += 20 * rng.exponential(1.0, len(values[begin:end]))
        return FINISHES[self.finish](values)


@dataclass(frozen=True)
class SyntheticSeries:
    """A series of one behaviour after the other.

    Attributes:
        parts: The length of each behaviour but the last, and the behaviours.
        last: The last behaviour.
        unit: What all values are multiplied by.
        seed: Of the random numbers.
    """

    parts: tuple[tuple[int, Behaviour], ...]
    last: Behaviour
    unit: float = 1.0
    seed: int = 0

    @property
    def change_point(self) -> int:
        """The point of the last lasting change."""
        return sum(length for length, _behaviour in self.parts)

    def values(self, after: int) -> FloatArray:
        """Return the values up to ``after`` points after the last lasting change."""
        rng = np.random.default_rng(self.seed)
        lengths = [*(length for length, _behaviour in self.parts), after]
        ends = np.cumsum([0, *lengths])
        behaviours = [*(behaviour for _length, behaviour in self.parts), self.last]
        parts = [
            behaviour.values(rng, np.arange(begin, end, dtype=float))
            for behaviour, (begin, end) in zip(behaviours, pairwise(ends.tolist()), strict=True)
        ]
        return self.unit * np.concatenate(parts)
