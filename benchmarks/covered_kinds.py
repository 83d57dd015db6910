"""How often 95 % intervals hold, by kind of series; part of ``benchmarks.surprises``.

Thirty kinds whose future is drawn with their past. None was used to choose or learn anything. Each
is forecast from its whole history and from its last hundred points.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.signal import lfilter

from app.forecasting.backtest.measures import naive_scale
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.measures import coverage, msis
from benchmarks.other_forecasters import method_of
from benchmarks.parallel import run_in_processes
from benchmarks.series import PERIODS

SHORT = 100
WIDE, NARROW = 98, 90
Make = Callable[[int, np.random.Generator], FloatArray]
LENGTHS = ("whole", f"{SHORT} points")


@dataclass(frozen=True)
class Kind:
    """How a series of n + h points is made."""

    frequency: Frequency
    points: int
    horizon: int
    make: Make


def noise(count: int, rng: np.random.Generator) -> FloatArray:
    """Return white noise."""
    return rng.standard_normal(count)


def arma(
    count: int, rng: np.random.Generator, past: Sequence[float] = (), shocks: Sequence[float] = ()
) -> FloatArray:
    """Return an ARMA series with shocks of 1, after 200 points that are dropped."""
    series = lfilter([1.0, *shocks], [1.0, *(-weight for weight in past)], noise(count + 200, rng))
    return np.asarray(series)[200:]


def wave(count: int, rng: np.random.Generator, period: float) -> FloatArray:
    """Return two harmonics of a period, at random phases."""
    turn = 2 * np.pi * np.arange(count) / period
    first, second = rng.uniform(0, 2 * np.pi, 2)
    return np.sin(turn + first) + 0.4 * np.sin(2 * turn + second)


def profile(count: int, rng: np.random.Generator, period: int) -> FloatArray:
    """Return values of each phase that recur."""
    return rng.standard_normal(period)[np.arange(count) % period]


def additive_season(count: int, rng: np.random.Generator) -> FloatArray:
    return 200 + 20 * profile(count, rng, 12) + 8 * arma(count, rng, [0.6])


def growing_season(count: int, rng: np.random.Generator) -> FloatArray:
    level = 50 * np.exp(0.005 * np.arange(count) + 0.02 * np.cumsum(noise(count, rng)))
    return level * (1 + 0.2 * profile(count, rng, 12)) * np.exp(0.04 * noise(count, rng))


def damped_trend(count: int, rng: np.random.Generator) -> FloatArray:
    shocks = noise(count, rng)
    slope = np.asarray(lfilter([0.1], [1.0, -0.9], shocks))
    return 300 + 5 * np.cumsum(slope + 0.4 * shocks) + 15 * profile(count, rng, 12)


def drifting_season(count: int, rng: np.random.Generator) -> FloatArray:
    season = np.cumsum(rng.standard_normal((count // 4 + 1, 4)), axis=0)
    return (
        400
        + 5 * (season - season.mean(axis=1, keepdims=True)).ravel()[:count]
        + 4 * noise(count, rng)
    )


def quarters_of_sales(count: int, rng: np.random.Generator) -> FloatArray:
    line = 100 + rng.uniform(-0.3, 1.5) * np.arange(count)
    return line * (1 + 0.15 * profile(count, rng, 4)) + 4 * arma(count, rng, [0.5])


def line_of_years(count: int, rng: np.random.Generator) -> FloatArray:
    return 100 + rng.normal(0, 3) * np.arange(count) + 5 * arma(count, rng, [], [0.5])


def growth_of_years(count: int, rng: np.random.Generator) -> FloatArray:
    return 100 * np.exp(np.cumsum(0.02 + 0.04 * noise(count, rng)))


def weekday_profile(count: int, rng: np.random.Generator) -> FloatArray:
    return 500 + 80 * profile(count, rng, 7) + 40 * arma(count, rng, [], [0.6, 0.3])


def clustered_returns(count: int, rng: np.random.Generator) -> FloatArray:
    returns = np.zeros(count)
    variance = 1.0
    for step, shock in enumerate(noise(count, rng)):
        returns[step] = np.sqrt(variance) * shock
        variance = 0.05 + 0.1 * returns[step] ** 2 + 0.85 * variance
    return 100 * np.exp(0.01 * np.cumsum(returns))


def orders(count: int, rng: np.random.Generator) -> FloatArray:
    mean = 12 * np.exp(0.3 * profile(count, rng, 7))
    return rng.negative_binomial(3, 3 / (3 + mean)).astype(float)


def pseudo_cycle(count: int, rng: np.random.Generator) -> FloatArray:
    return 50 + 3 * arma(count, rng, [1.75, -0.9])


def intermittent_demand(count: int, rng: np.random.Generator) -> FloatArray:
    return (rng.random(count) < 0.3) * rng.geometric(0.2, count).astype(float)


def percentages(count: int, rng: np.random.Generator) -> FloatArray:
    return 100 / (1 + np.exp(-1.5 - 0.4 * arma(count, rng, [0.9]) - 0.3 * profile(count, rng, 7)))


def years_of_temperature(count: int, rng: np.random.Generator) -> FloatArray:
    year = np.sin(2 * np.pi * (np.arange(count) + rng.integers(365)) / 365.25)
    return 10 + 9 * year + 2 * arma(count, rng, [0.7])


def bent_line(count: int, rng: np.random.Generator) -> FloatArray:
    bend = rng.uniform(0.3, 0.6) * count
    slopes = rng.normal(0, 0.5, 2)
    steps = np.arange(count)
    return 300 + slopes[0] * steps + slopes[1] * np.maximum(steps - bend, 0) + 8 * noise(count, rng)


def heavy_tails(count: int, rng: np.random.Generator) -> FloatArray:
    return 100 + 5 * rng.standard_t(3, count)


def even_noise(count: int, rng: np.random.Generator) -> FloatArray:
    return rng.uniform(20, 60, count)


def long_memory(count: int, rng: np.random.Generator) -> FloatArray:
    lags = np.arange(1, 500)
    weights = np.concatenate([[1.0], np.cumprod((lags - 0.6) / lags)])
    return 100 + 5 * np.convolve(noise(count + 499, rng), weights, mode="valid")


def slow_return(count: int, rng: np.random.Generator) -> FloatArray:
    return 70 + 2 * arma(count, rng, [0.95])


def slow_up_fast_down(count: int, rng: np.random.Generator) -> FloatArray:
    values = np.zeros(count)
    level = 0.0
    for step in range(count):
        level = level + rng.gamma(2, 1) if rng.random() > level / 200 else 0.2 * level
        values[step] = level
    return 10 + values


def drifting_amplitude(count: int, rng: np.random.Generator) -> FloatArray:
    amplitude = 20 * np.exp(0.01 * np.cumsum(noise(count, rng)))
    return 100 + amplitude * wave(count, rng, 24) + 4 * noise(count, rng)


def tides(count: int, rng: np.random.Generator) -> FloatArray:
    return (
        3 * wave(count, rng, 12.42)
        + wave(count, rng, 12)
        + wave(count, rng, 25.82)
        + 0.3 * arma(count, rng, [0.8])
    )


def work_week(count: int, rng: np.random.Generator) -> FloatArray:
    at_work = (np.arange(count) // 24) % 7 < 5
    day = np.where(at_work, 60 * wave(count, rng, 24), 15 * wave(count, rng, 24))
    return 150 + 40 * at_work + day + 8 * arma(count, rng, [0.7])


def waiting_line(count: int, rng: np.random.Generator) -> FloatArray:
    values = np.zeros(count)
    waiting = 0
    for step in range(count):
        waiting = max(0, waiting + int(rng.poisson(9)) - int(rng.poisson(10)))
        values[step] = waiting
    return values


def lopsided_day(count: int, rng: np.random.Generator) -> FloatArray:
    return 30 * np.exp(0.5 * wave(count, rng, 24) + 0.5 * arma(count, rng, [0.5]))


def wandering_level(count: int, rng: np.random.Generator) -> FloatArray:
    return 1000 + 30 * np.cumsum(0.3 * noise(count, rng)) + 30 * noise(count, rng)


def year_of_weeks(count: int, rng: np.random.Generator) -> FloatArray:
    return 200 + 40 * wave(count, rng, 52.18) + 10 * arma(count, rng, [0.6])


def charging(count: int, rng: np.random.Generator) -> FloatArray:
    period = int(rng.integers(90, 200))
    return 20 + 70 * ((np.arange(count) % period) / period) + 2 * noise(count, rng)


def two_states(count: int, rng: np.random.Generator) -> FloatArray:
    state = np.cumsum(rng.random(count) < 0.02) % 2
    return 40 + 30 * state + 3 * noise(count, rng)


def loaded_cpu(count: int, rng: np.random.Generator) -> FloatArray:
    return np.clip(45 + 20 * wave(count, rng, 1440) + 6 * arma(count, rng, [0.9]), 0, None)


KINDS = {
    "months, additive season": Kind(Frequency.MONTHLY, 180, 12, additive_season),
    "months, growing season": Kind(Frequency.MONTHLY, 180, 12, growing_season),
    "months, damped trend": Kind(Frequency.MONTHLY, 180, 12, damped_trend),
    "quarters, season that drifts": Kind(Frequency.QUARTERLY, 120, 8, drifting_season),
    "quarters of sales": Kind(Frequency.QUARTERLY, 120, 8, quarters_of_sales),
    "years, a line": Kind(Frequency.YEARLY, 120, 6, line_of_years),
    "years of growth": Kind(Frequency.YEARLY, 120, 6, growth_of_years),
    "weeks, level that wanders": Kind(Frequency.WEEKLY, 260, 13, wandering_level),
    "weeks with a year": Kind(Frequency.WEEKLY, 260, 13, year_of_weeks),
    "days, profile of a week": Kind(Frequency.DAILY, 400, 14, weekday_profile),
    "days, returns in clusters": Kind(Frequency.DAILY, 400, 14, clustered_returns),
    "days, orders": Kind(Frequency.DAILY, 400, 14, orders),
    "days, pseudo-cycle": Kind(Frequency.DAILY, 400, 14, pseudo_cycle),
    "days, intermittent demand": Kind(Frequency.DAILY, 400, 14, intermittent_demand),
    "days, share in percent": Kind(Frequency.DAILY, 400, 14, percentages),
    "days, temperature": Kind(Frequency.DAILY, 1200, 14, years_of_temperature),
    "days, a line that bends": Kind(Frequency.DAILY, 400, 14, bent_line),
    "days, heavy tails (t3)": Kind(Frequency.DAILY, 400, 14, heavy_tails),
    "days, uniform noise": Kind(Frequency.DAILY, 400, 14, even_noise),
    "days, long memory": Kind(Frequency.DAILY, 400, 14, long_memory),
    "days, slow return": Kind(Frequency.DAILY, 400, 14, slow_return),
    "days, slowly up, fast down": Kind(Frequency.DAILY, 400, 14, slow_up_fast_down),
    "hours, amplitude that drifts": Kind(Frequency.HOURS, 504, 24, drifting_amplitude),
    "hours, tides": Kind(Frequency.HOURS, 504, 24, tides),
    "hours, work week": Kind(Frequency.HOURS, 504, 24, work_week),
    "hours, waiting line": Kind(Frequency.HOURS, 504, 24, waiting_line),
    "hours, lopsided noise": Kind(Frequency.HOURS, 504, 24, lopsided_day),
    "minutes, charging": Kind(Frequency.MINUTES, 600, 30, charging),
    "minutes, two states": Kind(Frequency.MINUTES, 600, 30, two_states),
    "minutes, loaded CPU": Kind(Frequency.MINUTES, 600, 30, loaded_cpu),
}


def judge(methods: Sequence[str], task: tuple[str, int]) -> FloatArray:
    """Return coverage and MSIS of each length and method, of shape (2, methods, 2)."""
    name, seed = task
    kind = KINDS[name]
    rng = np.random.default_rng([list(KINDS).index(name), seed])
    values, actual = np.split(kind.make(kind.points + kind.horizon, rng), [kind.points])
    scale = naive_scale(values, 1)
    rows = []
    for known in (values, values[-SHORT:]):
        history = History(known, PERIODS[kind.frequency], kind.frequency)
        for method in map(method_of, methods):
            lower, upper = method(history, kind.horizon).bounds[0.95]
            rows.append((coverage(lower, upper, actual), msis(lower, upper, actual, scale, 0.95)))
    return np.array(rows).reshape(len(LENGTHS), len(methods), 2)


def print_coverage(methods: Sequence[str], draws: int) -> None:
    """Print coverage and MSIS by kind and length, and how many kinds are covered well."""
    tasks = [(name, seed) for name in KINDS for seed in range(draws)]
    judged = run_in_processes(partial(judge, methods), tasks)
    means = np.array(judged).reshape(len(KINDS), draws, len(LENGTHS), len(methods), 2).mean(axis=1)
    print(f"\n95 % intervals of {len(KINDS)} kinds, {draws} draws each: coverage in % / MSIS")
    for index, length in enumerate(LENGTHS):
        print(f"\n| {length} | " + " | ".join(methods) + " |\n|" + (len(methods) + 1) * "---|")
        for name, row in zip(KINDS, means[:, index], strict=True):
            cells = (f"{covered:.1f} / {interval:.3g}" for covered, interval in row)
            print(f"| {name} | " + " | ".join(cells) + " |")
        covered, intervals = means[:, index, :, 0], means[:, index, :, 1]
        good = ((covered >= NARROW) & (covered <= WIDE)).sum(axis=0)
        pairs = zip(covered.mean(axis=0), np.exp(np.log(intervals).mean(axis=0)), strict=True)
        cells = (f"{mean:.1f} / {interval:.3g}" for mean, interval in pairs)
        print("| mean | " + " | ".join(cells) + " |")
        print(f"| kinds of {NARROW} to {WIDE} % | " + " | ".join(map(str, good)) + " |", flush=True)
