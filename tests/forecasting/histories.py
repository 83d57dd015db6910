"""Histories of each frequency, of all lengths and kinds."""

from collections.abc import Iterator

import numpy as np

from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.history import History
from benchmarks.series import PERIODS

_LENGTHS = (10, 15, 30, 50, 90, 130, 400)


def histories(frequency: Frequency) -> Iterator[History]:
    """Yield series of all lengths: walk, season, counts, growth, bursts, line, an end jump."""
    rng, periods = np.random.default_rng(38), PERIODS[frequency]
    seconds = UNITS[frequency].seconds
    grid = Grid(np.datetime64("2020-01-06", "s"), seconds) if seconds else None
    for index, points in enumerate(_LENGTHS):
        steps = np.arange(points)
        noise = rng.normal(size=points)
        shapes = (
            100 + np.cumsum(noise),
            100 + 20 * np.sin(2 * np.pi * steps / min(periods, default=5)) + noise,
            rng.poisson(2, points).astype(float),
            np.exp(steps / 20),
            np.where(rng.random(points) < 0.8, 0.0, rng.exponential(size=points)),
            10 + steps + noise,
            np.where(steps < points - 2, noise, 1e4),
        )
        # Two shapes a length: each comes up at two or more of them.
        for values in (shapes[index % len(shapes)], shapes[(index + 3) % len(shapes)]):
            if np.ptp(values) > 0:
                yield History(values, periods, frequency, grid)
