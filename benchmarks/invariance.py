"""How far a forecast moves by changes that carry no information; part of ``benchmarks.surprises``.

Noise of a billionth, one value just below zero, and an added constant, on long and short histories.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.other_forecasters import Forecaster, method_of
from benchmarks.parallel import run_in_processes
from benchmarks.series import PERIODS

HORIZON = 24
TINY, BELOW_ZERO = 1e-9, -0.01
Make = Callable[[int, np.random.Generator], FloatArray]
FLAT: dict[Frequency, tuple[int, ...]] = {
    Frequency.DAILY: (12, 40, 400),
    Frequency.WEEKLY: (40, 250),
    Frequency.MONTHLY: (40, 150),
    Frequency.QUARTERLY: (60,),
    Frequency.YEARLY: (60,),
}
CELSIUS_COUNTS = (48, 500)
TO_KELVIN, ADDED = 273.15, 500.0
MIN_MEASURED_HALF_WIDTH = 1e-6  # share of the largest value
Row = tuple[str, Frequency, int]


def solar_hours(count: int, rng: np.random.Generator) -> FloatArray:
    """Return hours that are 0 by night."""
    by_hour = np.maximum(np.sin((np.arange(count) % 24 - 6) * np.pi / 12), 0.0).round(6)
    weather = np.repeat(rng.uniform(0.4, 1.0, count // 24 + 1), 24)[:count]
    return 100 * by_hour * weather * np.exp(0.1 * rng.standard_normal(count))


def closed_at_weekends(count: int, rng: np.random.Generator) -> FloatArray:
    """Return days of which two of seven are 0."""
    return 100 * np.exp(0.2 * rng.standard_normal(count)) * (np.arange(count) % 7 < 5)


def rare_counts(count: int, rng: np.random.Generator) -> FloatArray:
    """Poisson counts, half of them 0."""
    return rng.poisson(0.7, count).astype(float)


def positive_noise(count: int, rng: np.random.Generator) -> FloatArray:
    """Return log-normal noise."""
    return np.exp(0.5 * rng.standard_normal(count))


def percentage(count: int, rng: np.random.Generator) -> FloatArray:
    """Return percentages of which most are 100."""
    return np.where(rng.random(count) < 0.8, 100.0, 100 - rng.exponential(3.0, count).round(1))


def price(count: int, rng: np.random.Generator) -> FloatArray:
    """Return a price that rarely moves, and then by a whole number."""
    return 200 + np.cumsum((rng.random(count) < 0.1) * rng.choice([-5.0, 5.0], count))


def noise_at_100(count: int, rng: np.random.Generator) -> FloatArray:
    """Return noise about 100."""
    return 100 + 5 * rng.standard_normal(count)


def celsius(count: int, rng: np.random.Generator) -> FloatArray:
    """Return hours of a temperature with a day."""
    return 20 + 4 * np.sin(np.arange(count) * np.pi / 12) + rng.standard_normal(count)


NON_NEGATIVE: dict[str, tuple[Frequency, Make, tuple[int, ...]]] = {
    "solar": (Frequency.HOURS, solar_hours, (60, 500)),
    "closed at weekends": (Frequency.DAILY, closed_at_weekends, (40, 400)),
    "rare counts": (Frequency.DAILY, rare_counts, (70, 400)),
    "positive": (Frequency.DAILY, positive_noise, (40, 400)),
    "percentage": (Frequency.DAILY, percentage, (40, 400)),
    "price": (Frequency.MONTHLY, price, (30, 120)),
}


def with_tiny_noise(values: FloatArray, rng: np.random.Generator, *, signed: bool) -> FloatArray:
    """Return the values with noise of a billionth, which is not negative unless ``signed``."""
    noise = TINY * rng.standard_normal(len(values))
    return values + (noise if signed else np.abs(noise))


def with_one_below_zero(values: FloatArray) -> FloatArray:
    """Return the values with one of the zeros a little below."""
    result = values.copy()
    result[np.flatnonzero(values == 0)[len(values) // 6]] = BELOW_ZERO
    return result


def forecast(method: Forecaster, values: FloatArray, frequency: Frequency) -> FloatArray:
    """Return the median and the bounds at 95 %, of shape (3, h)."""
    prediction = method(History(values, PERIODS[frequency], frequency), HORIZON)
    return np.stack([prediction.median, *prediction.bounds[0.95]])


def move_in_half_widths(
    method: Forecaster, values: FloatArray, changed: FloatArray, frequency: Frequency
) -> float:
    """Return the largest move of the median or a bound.

    A constant series has intervals of no width: they count as a millionth of its largest value.
    """
    plain = forecast(method, values, frequency)
    moved = np.abs(forecast(method, changed, frequency) - plain).max()
    half_width = np.mean(plain[2] - plain[1]) / 2
    return float(moved / max(half_width, MIN_MEASURED_HALF_WIDTH * np.abs(values).max()))


def move_by_constant(
    method: Forecaster, values: FloatArray, constant: float, frequency: Frequency
) -> tuple[float, float]:
    """Return the largest moves of the median and of a bound, in ranges of the series."""
    plain = forecast(method, values, frequency)
    moved = np.abs(forecast(method, values + constant, frequency) - constant - plain)
    return float(moved[0].max() / np.ptp(values)), float(moved[1:].max() / np.ptp(values))


ROWS: list[Row] = [
    *((name, rule[0], count) for name, rule in NON_NEGATIVE.items() for count in rule[2]),
    *(("one below zero", Frequency.HOURS, count) for count in NON_NEGATIVE["solar"][2]),
    *(("flat + 500", frequency, count) for frequency, all_ in FLAT.items() for count in all_),
    *(("celsius to kelvin", Frequency.HOURS, count) for count in CELSIUS_COUNTS),
]


def judge(methods: Sequence[str], task: tuple[Row, int]) -> list[tuple[float, ...]]:
    """Return the moves of each method on one draw."""
    (name, frequency, count), seed = task
    rng = np.random.default_rng([seed, count])
    results: list[tuple[float, ...]] = []
    if name in NON_NEGATIVE:
        values = NON_NEGATIVE[name][1](count, rng)
        changed = with_tiny_noise(values, rng, signed=bool(seed % 2))
    elif name == "one below zero":
        values = solar_hours(count, rng)
        changed = with_one_below_zero(values)
    else:
        values = (noise_at_100 if name == "flat + 500" else celsius)(count, rng)
        changed = None
    constant = ADDED if name == "flat + 500" else TO_KELVIN
    for method in map(method_of, methods):
        if changed is None:
            results.append(move_by_constant(method, values, constant, frequency))
        else:
            results.append((move_in_half_widths(method, values, changed, frequency),))
    return results


def print_moves(methods: Sequence[str], draws: int) -> None:
    """Print the largest moves of all draws, for each kind and length."""
    tasks = [(row, seed) for row in ROWS for seed in range(draws)]
    judged = run_in_processes(partial(judge, methods), tasks)
    print(f"\nlargest moves of {draws} draws: of the median or a bound in half-widths, by noise of")
    print("1e-9 and one value of -0.01; median / bound in ranges of the series, by a constant\n")
    print("| series | points | " + " | ".join(methods) + " |\n|" + (len(methods) + 2) * "---|")
    for index, (name, frequency, count) in enumerate(ROWS):
        most = np.array(judged[index * draws : (index + 1) * draws]).max(axis=0)
        cells = (" / ".join(f"{move:.2f}" for move in moves) for moves in most)
        print(f"| {name}, {frequency} | {count} | " + " | ".join(cells) + " |", flush=True)
