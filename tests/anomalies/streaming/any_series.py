"""Kinds of series as monitors meet them; each behaves in one way from some point on."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.timeseries.types import FloatArray
from tests.anomalies.clean_series import Random, autocorrelated_noise

LENGTH = 3000
TIME = np.arange(LENGTH)


@dataclass(frozen=True)
class Kind:
    """A kind of series.

    Attributes:
        make: Returns the values, shape (n,).
        settled: The number of points before the series behaves as it does to its end.
    """

    make: Callable[[Random], FloatArray]
    settled: int = 0


def wave(period: float) -> FloatArray:
    return np.sin(2 * np.pi * TIME / period)


def noise(rng: Random, size: float = 1.0) -> FloatArray:
    return size * rng.standard_normal(LENGTH)


def replace_start(count: int, value: float, values: FloatArray) -> FloatArray:
    """Return values of which the first ``count`` are replaced by a constant."""
    return np.concatenate([np.full(count, value), values[count:]])


def switching(rng: Random, chance: float) -> FloatArray:
    """Return 0 and 1 in turns of random length."""
    return np.cumsum(rng.random(LENGTH) < chance) % 2


def counter_with_resets(rng: Random) -> FloatArray:
    counted = np.cumsum(rng.poisson(5, LENGTH)).astype(float)
    resets = np.flatnonzero(rng.random(LENGTH) < 0.004)
    since = np.concatenate([[0.0], counted[resets]])
    return counted - since[np.searchsorted(resets, TIME, side="right")]


def clustered_bursts(rng: Random) -> FloatArray:
    values, begin = np.zeros(LENGTH), 0
    while (begin := begin + int(rng.exponential(60))) < LENGTH:
        end = min(LENGTH, begin + int(rng.exponential(8)) + 1)
        values[begin:end] = rng.lognormal(3, 1, end - begin)
        begin = end
    return values


def noise_of_changing_size(rng: Random) -> FloatArray:
    values, variance = rng.standard_normal(LENGTH), 1.0
    for index, value in enumerate(values):
        values[index] = value * np.sqrt(variance)
        variance = 0.05 + 0.15 * values[index] ** 2 + 0.82 * variance
    return values


def steps(rng: Random, length: int) -> FloatArray:
    return np.repeat(rng.normal(0, 10, LENGTH // length), length) + noise(rng)


KINDS: dict[str, Kind] = {
    # The table of what was seen.
    "400 zeros, then normal": Kind(lambda r: replace_start(400, 0.0, 100 + noise(r, 5)), 400),
    "400 zeros, then counts": Kind(lambda r: replace_start(400, 0.0, r.poisson(3, LENGTH)), 400),
    "disk writes": Kind(lambda r: (r.random(LENGTH) < 0.1) * r.lognormal(5, 2, LENGTH)),
    "30 equal values, then normal": Kind(lambda r: replace_start(30, 5.0, 50 + noise(r, 3)), 30),
    "30 equal values, then a season": Kind(
        lambda r: replace_start(30, 5.0, 50 + 10 * wave(24) + noise(r)), 30
    ),
    "square wave": Kind(lambda r: 10.0 * (TIME // 100 % 2) + noise(r, 0.1)),
    "counter with resets": Kind(counter_with_resets),
    # What never moved or moves in few ways.
    "constant": Kind(lambda _r: np.full(LENGTH, 3.0)),
    "1,500 zeros, then normal": Kind(lambda r: replace_start(1500, 0.0, 100 + noise(r, 5)), 1500),
    "constant, then noise around it": Kind(lambda r: replace_start(400, 7.0, 7 + noise(r)), 400),
    "two values": Kind(lambda r: np.where(r.random(LENGTH) < 0.5, 1.0, 2.0)),
    "a rare second value": Kind(lambda r: np.where(r.random(LENGTH) < 0.02, 1.0, 2.0)),
    "on and off": Kind(lambda r: switching(r, 0.05) * (50 + noise(r, 5))),
    "alternating": Kind(lambda r: np.where(TIME % 2, 1.0, 5.0) + noise(r, 0.01)),
    "to zero": Kind(lambda r: np.where(TIME < 1000, 100 + noise(r, 5), 0.0), 1000),
    # Counts and what is rounded.
    "few counts": Kind(lambda r: r.poisson(0.1, LENGTH).astype(float)),
    "counts": Kind(lambda r: r.poisson(3, LENGTH).astype(float)),
    "many counts": Kind(lambda r: r.poisson(300, LENGTH).astype(float)),
    "overdispersed counts": Kind(lambda r: r.negative_binomial(1, 0.1, LENGTH).astype(float)),
    "rounded": Kind(lambda r: np.round(noise(r, 2))),
    "rounded to three values": Kind(lambda r: np.round(noise(r, 0.5))),
    "zeros with bursts": Kind(clustered_bursts),
    # Waves, saws, counters, steps.
    "square wave of a day": Kind(lambda r: 10.0 * (TIME // 24 % 2) + noise(r, 0.1)),
    "square wave without noise": Kind(lambda _r: 10.0 * (TIME // 50 % 2)),
    "switching": Kind(lambda r: 10.0 * switching(r, 0.02) + noise(r, 0.1)),
    "saw": Kind(lambda r: TIME % 60 + noise(r, 0.5)),
    "saw without noise": Kind(lambda _r: TIME % 60 * 1.0),
    "long saw without noise": Kind(lambda _r: TIME % 250 * 1.0),
    "counter": Kind(lambda r: np.cumsum(r.poisson(5, LENGTH)).astype(float)),
    "counter that wraps": Kind(lambda r: np.cumsum(r.poisson(5, LENGTH)) % 1000.0),
    "steps": Kind(lambda r: steps(r, 100)),
    "rare steps": Kind(lambda r: steps(r, 300)),
    "long wave": Kind(lambda r: 100 * wave(997) + noise(r, 0.5)),
    "spike in every 37th point": Kind(lambda r: noise(r) + 30.0 * (TIME % 37 == 0)),
    "spike once a day": Kind(lambda r: noise(r) + 60.0 * (TIME % 24 == 3)),
    "spikes by chance": Kind(lambda r: noise(r) + 30.0 * (r.random(LENGTH) < 0.01)),
    "days of work": Kind(
        lambda r: np.where(TIME % 168 < 120, 100 + 20 * wave(24), 20) + noise(r, 2)
    ),
    # Sizes.
    "a billionth": Kind(lambda r: 1e-9 * (5 + noise(r))),
    "a billion": Kind(lambda r: 1e9 + noise(r)),
    "a billion with a season": Kind(lambda r: 1e9 + 1e3 * wave(24) + noise(r, 50)),
    "the largest": Kind(lambda r: 1e100 * r.uniform(-1, 1, LENGTH)),
    # Tails, memory, growth.
    "t with 2 degrees of freedom": Kind(lambda r: r.standard_t(2, LENGTH)),
    "Cauchy": Kind(lambda r: r.standard_cauchy(LENGTH)),
    "log-normal": Kind(lambda r: r.lognormal(0, 2, LENGTH)),
    "exponential": Kind(lambda r: r.exponential(1, LENGTH)),
    "two levels by chance": Kind(
        lambda r: np.where(r.random(LENGTH) < 0.3, 100 + noise(r), noise(r))
    ),
    "volatile": Kind(noise_of_changing_size),
    "autocorrelated": Kind(lambda r: autocorrelated_noise(r, LENGTH, 0.99)),
    "random walk": Kind(lambda r: np.cumsum(noise(r))),
    "twice integrated noise": Kind(lambda r: np.cumsum(np.cumsum(noise(r)))),
    "growth": Kind(lambda r: np.exp(TIME / 200) * (1 + noise(r, 0.05))),
    "decay": Kind(lambda r: 100 * np.exp(-TIME / 100) + noise(r, 0.01)),
    # What changes for good.
    "a season begins": Kind(lambda r: 10 * wave(24) * (TIME >= 1000) + noise(r), 1000),
    "a season doubles": Kind(lambda r: 10 * wave(24) * (1 + (TIME >= 1000)) + noise(r), 1000),
    "noise grows tenfold": Kind(lambda r: noise(r) * np.where(TIME < 1000, 1, 10), 1000),
    "noise grows a hundredfold": Kind(lambda r: noise(r) * np.where(TIME < 1000, 1, 100), 1000),
    "noise shrinks to a tenth": Kind(lambda r: noise(r) * np.where(TIME < 1000, 10, 1), 1000),
    "a thousand sigma higher": Kind(lambda r: noise(r) + np.where(TIME < 1000, 0, 1000), 1000),
    "a trend begins": Kind(lambda r: noise(r) + 0.5 * np.maximum(0, TIME - 1000), 1000),
    "a ramp ends": Kind(lambda _r: np.minimum(TIME, 1000) * 1.0, 1000),
}
