"""Daily series without effects of holidays, and shops with them; part of ``benchmarks.surprises``.

Each kind varies its shape, its noise, a weekly season, its length and its start, which is 1 January
in half of the draws.
"""

from collections.abc import Callable

import numpy as np

from app.forecasting.calendar_effects.events import core_holidays
from app.forecasting.calendar_effects.holiday_effects import holiday_effects
from app.forecasting.calendar_effects.shopping_days import shopping_effects
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.history import History
from app.timeseries.types import FloatArray, IntArray
from benchmarks.series import PERIODS

DRAWS, HORIZON = 50, 28
LENGTHS = (90, 200, 400, 800, 1500)
WEEK = (100.0, 102.0, 105.0, 108.0, 120.0, 90.0, 70.0)
DROPS = (-0.7, -0.3, -0.15, 0.4)

Shape = Callable[[np.random.Generator, IntArray], FloatArray]


def weekly_factors(rng: np.random.Generator, days: IntArray, spread: float) -> FloatArray:
    """Return factors around 1 of the days of the week."""
    return (1 + spread * rng.standard_normal(7))[(days + 3) % 7]


def trend(rng: np.random.Generator, days: IntArray) -> FloatArray:
    """Return a line or a parabola, some with a week, with little noise or none."""
    passed = np.arange(len(days)) / len(days)
    power = int(rng.integers(1, 3))
    values = 100 * (1 + rng.choice([-0.8, 0.5, 2, 10, 50]) * passed**power)
    values *= weekly_factors(rng, days, rng.choice([0.0, 0.1]))
    return values + rng.choice([0.0, 0.05, 1.0, 5.0]) * rng.standard_normal(len(days))


def growth(rng: np.random.Generator, days: IntArray) -> FloatArray:
    """Exponential growth, or its running total."""
    indices = np.arange(len(days))
    values = 10 * np.exp(np.minimum(rng.choice([0.001, 0.003, 0.01, 0.02]) * indices, 30))
    values *= np.exp(rng.choice([0.05, 0.3]) * rng.standard_normal(len(days)))
    return np.cumsum(values) if rng.random() < 0.5 else values * weekly_factors(rng, days, 0.1)


def decay(rng: np.random.Generator, days: IntArray) -> FloatArray:
    """Decay by a power or exponentially."""
    indices = np.arange(1, len(days) + 1)
    values = 1000 * indices ** -rng.uniform(0.3, 1.5)
    if rng.random() < 0.5:
        values = 1000 * np.exp(-indices / rng.uniform(20, 300)) + rng.choice([1.0, 50.0])
    return values * np.exp(rng.choice([0.0, 0.02, 0.1]) * rng.standard_normal(len(days)))


def counter(rng: np.random.Generator, days: IntArray) -> FloatArray:
    """Return a total: without end, of the year to date or of the month to date."""
    total = np.cumsum(rng.gamma(4, 25, len(days)) * weekly_factors(rng, days, 0.1))
    unit = str(rng.choice(["D", "Y", "M"]))
    if unit == "D":
        return total
    spans = days.astype("datetime64[D]").astype(f"datetime64[{unit}]")
    before = np.concatenate([[0.0], total])
    return total - before[np.searchsorted(spans, spans)]


def walk(rng: np.random.Generator, days: IntArray) -> FloatArray:
    """Return a random walk, some of logarithms, some with noise."""
    walked = np.cumsum(rng.standard_t(rng.choice([3, 30]), len(days)))
    if rng.random() < 0.5:
        return 100 * np.exp(0.01 * walked)
    return walked + rng.choice([0.0, 3.0]) * rng.standard_normal(len(days))


def weekly_noise(rng: np.random.Generator, days: IntArray) -> FloatArray:
    """Return a week with normal, log-normal, Poisson or heavy-tailed noise."""
    level = 100 * np.abs(weekly_factors(rng, days, 0.3))
    noisy = (
        level + 10 * rng.standard_normal(len(days)),
        level * np.exp(0.3 * rng.standard_normal(len(days))),
        rng.poisson(level / rng.choice([1, 30, 100])).astype(float),
        level + 10 * rng.standard_t(3, len(days)),
    )
    return noisy[int(rng.integers(len(noisy)))]


def steps(rng: np.random.Generator, days: IntArray) -> FloatArray:
    """Return levels that change at random, some each 1 January."""
    starts = rng.integers(0, len(days), (int(rng.integers(2, 12)), 1))
    sizes = 30 * rng.standard_normal(starts.shape)
    values = 200 + (sizes * (np.arange(len(days)) >= starts)).sum(axis=0)
    years = days.astype("datetime64[D]").astype("datetime64[Y]").astype(int)
    values += rng.choice([0.0, 20.0]) * (years - years[0])
    return values + rng.choice([0.0, 0.5, 5.0]) * rng.standard_normal(len(days))


def saturation(rng: np.random.Generator, days: IntArray) -> FloatArray:
    """Growth to a limit, from its start on or along an S."""
    passed = np.arange(len(days))
    values = 1000 * (1 - np.exp(-passed / rng.uniform(10, 200)))
    if rng.random() < 0.5:
        middle = rng.uniform(0.1, 0.7) * len(days)
        values = 1000 / (1 + np.exp((middle - passed) / rng.uniform(10, 100)))
    values *= weekly_factors(rng, days, rng.choice([0.0, 0.1]))
    return values + rng.choice([0.0, 0.5, 10.0]) * rng.standard_normal(len(days))


KINDS: dict[str, Shape] = {
    "trends": trend,
    "exponential growth": growth,
    "decay": decay,
    "counters": counter,
    "random walks": walk,
    "weekly noise": weekly_noise,
    "steps": steps,
    "saturation": saturation,
}


def daily_history(values: FloatArray, first: np.datetime64) -> History:
    grid = Grid(first.astype("datetime64[s]"), UNITS[Frequency.DAILY].seconds)
    return History(values, PERIODS[Frequency.DAILY], Frequency.DAILY, grid)


def draw(kind: str, seed: int) -> History:
    """Return one series of a kind."""
    rng = np.random.default_rng([list(KINDS).index(kind), seed])
    count = int(rng.choice(LENGTHS))
    first = np.datetime64(f"{rng.integers(2012, 2022)}-01-01")
    if rng.random() < 0.5:
        first += int(rng.integers(365))
    days = first.astype(np.int64) + np.arange(count)
    return daily_history(KINDS[kind](rng, days), first)


def draw_shop(drop: float, seed: int) -> History:
    """Return two to four years of a shop whose holidays differ by the share ``drop``.

    The days before them differ by less; with 5 % noise and a trend in half of the draws.
    """
    rng = np.random.default_rng([DROPS.index(drop), seed])
    first = np.datetime64(f"{rng.integers(2010, 2018)}-01-01") + int(rng.integers(365))
    days = first.astype(np.int64) + np.arange(int(rng.integers(730, 1460)))
    known = core_holidays(days)
    effect = np.maximum(np.isin(days, list(known)), 0.3 * np.isin(days + 1, list(known)))
    values = np.array(WEEK)[(days + 3) % 7] * (1 + drop * effect)
    values *= np.exp(rng.choice([0.0, 0.5]) * (days - days[0]) / 365)
    return daily_history(values * np.exp(0.05 * rng.standard_normal(len(days))), first)


def has_effects(history: History) -> bool:
    """Return whether effects of holidays or of shopping days are proved on a series."""
    return bool(holiday_effects(history, HORIZON, None) or shopping_effects(history, HORIZON, None))


def print_proved_effects(draws: int) -> None:
    """Print in how many draws of each kind effects of holidays are proved."""
    print("\n| series | effects proved |\n|---|---|")
    for kind in KINDS:
        result = sum(has_effects(draw(kind, seed)) for seed in range(draws))
        print(f"| {kind}, without holidays | {result} of {draws} |")
    for drop in DROPS:
        result = sum(has_effects(draw_shop(drop, seed)) for seed in range(draws))
        print(f"| shop, {100 * drop:+.0f} % on holidays | {result} of {draws} |")
