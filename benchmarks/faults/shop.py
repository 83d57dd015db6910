"""The 60 series of the simulated shop, without faults; their seeds are their names."""

import zlib
from dataclasses import dataclass

import numpy as np

from app.timeseries.types import FloatArray, IntArray
from benchmarks.faults.shapes import (
    DAY,
    HOUR,
    MINUTE,
    RATE_SECONDS,
    WEEK,
    Base,
    Chance,
    Job,
    Runs,
    Shape,
    autocorrelated_noise,
    count_up,
    rate_of,
    rhythm,
    weekend,
)

# Sunday, 1 March 2026, 0:00 UTC: the last point of the history. A Monday is in the replayed days.
BEGIN = 1_772_323_200
REPLAYED_SECONDS, LIVE_SECONDS = 3 * DAY, DAY // 2
FIVE = 5 * MINUTE
# Steps learned from, by step: the longest history of a query, and two weeks.
HISTORY = {MINUTE: 10_000, FIVE: 4_032}
MONDAY = 4 * DAY  # Monday, as `Job` counts weeks


def normal_level(level: float, noise: float, depth: float = 0.0, peak_hour: float = 15.0) -> Base:
    """Return a level with a day's rhythm and normal noise, both as shares of it."""
    return lambda rng, times: (
        level * rhythm(times, depth, peak_hour) * (1 + noise * rng.standard_normal(len(times)))
    )


def autocorrelated_level(level: float, noise: float, share: float, depth: float = 0.0) -> Base:
    """Return the same with autocorrelated noise."""
    return lambda rng, times: (
        level * rhythm(times, depth) * (1 + noise * autocorrelated_noise(rng, len(times), share))
    )


def log_normal(median: float, sigma: float, depth: float = 0.0) -> Base:
    return lambda rng, times: (
        median * rhythm(times, depth) * np.exp(sigma * rng.standard_normal(len(times)))
    )


def heavy_tailed(level: float, noise: float, freedom: float, depth: float = 0.0) -> Base:
    """Return a level with Student's noise."""
    return lambda rng, times: (
        level * rhythm(times, depth) * (1 + noise * rng.standard_t(freedom, len(times)))
    )


def poisson(mean: float, depth: float = 0.0, unit: float = 1.0) -> Base:
    """Return counts of ``mean`` a step, in ``unit``."""
    return lambda rng, times: unit * rng.poisson(mean * rhythm(times, depth)).astype(float)


def weekly_level(level: float, noise: float, depth: float, factor: float) -> Base:
    """Return a level with a day's rhythm and calm weekends."""
    return lambda rng, times: (
        level
        * weekend(times, factor)
        * rhythm(times, depth)
        * (1 + noise * rng.standard_normal(len(times)))
    )


def wave(level: float, swing: float, noise: float, share: float = 0.0) -> Base:
    """Return a level with a day's wave and noise, in the series' own unit."""
    return lambda rng, times: (
        level
        + swing * (rhythm(times, 1.0) - 1)
        + noise * autocorrelated_noise(rng, len(times), share)
    )


def sawtooth(low: float, high: float, period: int, noise: float) -> Base:
    """Return what grows for ``period`` seconds and is cleaned up then."""
    return lambda rng, times: (
        low + (high - low) * (times % period) / period + noise * rng.standard_normal(len(times))
    )


def pareto(low: float, tail: float) -> Base:
    """Return sizes with a heavy tail."""
    return lambda rng, times: low * (1 + rng.pareto(tail, len(times)))


def growing_level(level: float, a_day: float, noise: float) -> Base:
    """Return what grows steadily."""
    return lambda rng, times: (
        level + a_day * (times - BEGIN) / DAY + noise * rng.standard_normal(len(times))
    )


def level_line(level: float) -> Base:
    return lambda _chance, times: np.full(len(times), level)


def idle_queue(rng: Chance, times: IntArray) -> FloatArray:
    """Return a queue that is empty most of the time, and drains in minutes."""
    arrivals = rng.poisson(4.0, len(times)) * (rng.random(len(times)) < 0.05)
    waiting = np.zeros(len(times))
    for index in range(1, len(times)):
        waiting[index] = max(0.0, waiting[index - 1] - 2.0) + arrivals[index]
    return waiting


def batches(rng: Chance, times: IntArray) -> FloatArray:
    """Return a queue that a consumer empties every ten minutes."""
    return rng.poisson(20 + 30 * (times % (10 * MINUTE)) / MINUTE).astype(float)


def counter(name: str, base: Base, job: Job | None = None, resets: int = 0) -> Shape:
    """Return a counter."""
    return Shape(name, base, job, is_counter=True, resets=resets)


SHAPES = (
    # Requests a second, from counters.
    counter("requests/cart", normal_level(78, 0.08), Job(HOUR, 0, 3 * MINUTE, 500)),
    counter("requests/partner", normal_level(20, 0.1), Job(HOUR, 30 * MINUTE, 5 * MINUTE, 120)),
    counter("requests/catalog", normal_level(240, 0.05, 0.5)),
    counter("requests/search", autocorrelated_level(150, 0.06, 0.8, 0.4)),
    counter("requests/login", log_normal(30, 0.3)),
    counter("requests/images", heavy_tailed(400, 0.05, 3, 0.6)),
    counter("requests/api", normal_level(55, 0.06), resets=2 * DAY - HOUR),
    counter("requests/checkout", poisson(720, 0.7, 1 / MINUTE)),
    counter("requests/admin", poisson(3, 0.5, 1 / MINUTE)),
    counter("requests/mobile", normal_level(90, 0.08, 0.85, 20)),
    counter("requests/feed", autocorrelated_level(65, 0.15, 0.95, 0.3), resets=DAY + HOUR),
    # What businesses count, a minute.
    Shape("orders", log_normal(20, 0.6)),
    Shape("sign-ups", log_normal(6, 0.5, 0.4), digits=1),
    Shape("payments", poisson(35, 0.7)),
    Shape("refunds", poisson(0.3)),
    # Jobs each night and each hour.
    Shape("nightly/backup", normal_level(2, 0.2), Job(DAY, 2 * HOUR, 45 * MINUTE, 5_000)),
    Shape("nightly/report", normal_level(40, 0.1, 0.3), Job(DAY, 3 * HOUR, 20 * MINUTE, 800)),
    Shape("nightly/export", normal_level(100, 0.08), Job(DAY, HOUR, 2 * HOUR, 1_200)),
    Shape("nightly/index", normal_level(5, 0.15), Job(DAY, 4 * HOUR, 10 * MINUTE, 300)),
    Shape("nightly/ledger", normal_level(50, 0.1), Job(DAY, 23 * HOUR, 45 * MINUTE, 3_000)),
    Shape("nightly/snapshot", log_normal(30, 0.2), Job(DAY, 2 * HOUR, 30 * MINUTE, 900)),
    Shape("nightly/mailing", normal_level(60, 0.1, 0.4), Job(DAY, 5 * HOUR, HOUR, 600)),
    Shape("hourly/sync", normal_level(30, 0.1), Job(HOUR, 5 * MINUTE, MINUTE, 900)),
    Shape("hourly/clean-up", normal_level(60, 0.15), Job(HOUR, 15 * MINUTE, 3 * MINUTE, 400)),
    Shape("hourly/warm-up", normal_level(25, 0.1, 0.3), Job(HOUR, 45 * MINUTE, 6 * MINUTE, 200)),
    Shape("hourly/export", log_normal(15, 0.25), Job(HOUR, 20 * MINUTE, 10 * MINUTE, 150)),
    # Seconds that requests take.
    Shape("p99/cart", normal_level(0.22, 0.1)),
    Shape("p99/search", normal_level(0.4, 0.1, 0.3)),
    Shape("p99/checkout", log_normal(0.35, 0.25)),
    Shape("p99/images", heavy_tailed(0.15, 0.08, 4)),
    Shape("p50/cart", normal_level(0.04, 0.05)),
    # What is in use.
    Shape("connections/web", normal_level(120, 0.1), digits=0),
    Shape("connections/db", autocorrelated_level(64, 0.08, 0.7), digits=0),
    Shape("connections/cache", autocorrelated_level(300, 0.04, 0.9, 0.3), digits=0),
    Shape("pool/workers", poisson(22, 0.4), high=40),
    Shape("users", wave(38, 12, 1.9), digits=1),
    Shape("carts", poisson(140, 0.6)),
    Shape("sessions", autocorrelated_level(900, 0.05, 0.95, 0.5), digits=0),
    # Machines.
    Shape("temperature/room", wave(22, 0.5, 0.15), digits=2),
    Shape("temperature/disk", wave(38, 1, 0.3, 0.8), digits=1),
    Shape("temperature/cpu", wave(55, 4, 2), digits=1),
    Shape("cpu/web", autocorrelated_level(0.35, 0.12, 0.7, 0.4), high=1.0),
    Shape("cpu/db", normal_level(0.5, 0.1, 0.2), Job(DAY, 2 * HOUR, 40 * MINUTE, 0.3), high=1.0),
    Shape("memory/web", sawtooth(0.4, 0.7, 40 * MINUTE, 0.01), high=1.0),
    Shape("load/web", heavy_tailed(1.2, 0.15, 5, 0.3), digits=2),
    Shape("disk/data", growing_level(0.5, 0.002, 0.0005), high=1.0),
    Shape("disk/logs", sawtooth(0.2, 0.6, DAY, 0.002), high=1.0),
    Shape("disk/io", pareto(4, 2.5)),
    Shape("cache/hits", normal_level(0.93, 0.01), high=1.0),
    Shape("errors/share", log_normal(0.002, 0.4), high=1.0),
    Shape("network/out", autocorrelated_level(80, 0.1, 0.8, 0.5)),
    # Queues, and whether something is there.
    Shape("queue/mail", poisson(6)),
    Shape("queue/orders", batches),
    Shape("queue/images", idle_queue),
    Shape("up/cart", level_line(1)),
    Shape("up/replicas", level_line(3)),
    # Five-minute steps: weeks are learned from.
    Shape(
        "weekly/batch",
        normal_level(30, 0.1),
        Job(WEEK, MONDAY + 4 * HOUR, 2 * HOUR, 8_000),
        step=FIVE,
    ),
    Shape(
        "weekly/invoices",
        normal_level(100, 0.08, 0.3),
        Job(WEEK, MONDAY + 6 * HOUR, HOUR, 400),
        step=FIVE,
    ),
    Shape("visitors", weekly_level(600, 0.06, 0.7, 0.6), step=FIVE, digits=0),
    Shape("sales", weekly_level(2_000, 0.12, 0.8, 1.4), step=FIVE, digits=0),
)


@dataclass(frozen=True)
class Drawn:
    """A series as drawn: the random numbers of its parts are those of its name.

    Attributes:
        times: Unix times, shape (n,).
        base: Its values without the job, shape (n,).
        runs: The runs of its job.
    """

    shape: Shape
    times: IntArray
    base: FloatArray
    runs: Runs

    def values(self, base: FloatArray, runs: Runs) -> FloatArray:
        """Return the values with another base or other runs, within what is possible."""
        shape = self.shape
        rng = np.random.default_rng([zlib.crc32(shape.name.encode()), 1])
        if shape.job is not None:
            base = base + shape.job.load(runs, rng, self.times)
        kept = np.clip(base, shape.low, shape.high)
        return kept if shape.digits is None else np.round(kept, shape.digits)

    def samples(self, values: FloatArray) -> FloatArray:
        """Return what Prometheus has of the values: themselves, or their counter."""
        return count_up(values, self.shape, self.times) if self.shape.is_counter else values

    def query_values(self, values: FloatArray) -> FloatArray:
        """Return what the query returns, from the history's first step on."""
        if self.shape.is_counter:
            values = rate_of(self.samples(values), self.shape.step)
        return values[lead_steps(self.shape) :]


def lead_steps(shape: Shape) -> int:
    """Return the number of steps before the history, which the window of a rate needs."""
    return RATE_SECONDS // shape.step


def draw(shape: Shape) -> Drawn:
    """Draw a series: a lead, its history up to `BEGIN`, the replayed days and the live hours."""
    rng = np.random.default_rng([zlib.crc32(shape.name.encode()), 0])
    before = lead_steps(shape) + HISTORY[shape.step] - 1
    after = (REPLAYED_SECONDS + LIVE_SECONDS) // shape.step
    times = BEGIN + shape.step * np.arange(-before, after + 1)
    runs = shape.job.runs(rng, times) if shape.job is not None else []
    return Drawn(shape, times, shape.base(rng, times), runs)
