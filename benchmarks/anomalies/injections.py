"""Injections into a series: spikes, shifts, bursts, dips, flat runs."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from app.anomalies.results import EventKind
from app.timeseries.history import History
from app.timeseries.types import FloatArray

# Points that a burst, a dip and a flat run last, and units of noise that a burst adds.
BURST, DIP, FLAT = 10, 10, 24
EARLIEST, LATEST = 0.5, 0.85  # injections begin in this part of a series
# The fewest cycles of a season.
_CYCLES = 3
_MIDDLE = 3.29  # standard deviations that the middle 90 % of a normal distribution span


@dataclass(frozen=True)
class Injection:
    """A kind of injection, ``size`` in units of the noise.

    ``kinds`` are the accepted kinds of its event, ``lasts`` its points, None: to the end.
    """

    name: str
    size: float
    kinds: tuple[EventKind, ...]
    lasts: int | None
    apply: Callable[["Trial"], FloatArray]


@dataclass(frozen=True)
class Trial:
    """One injection: the series before it, the noise's scale, its start, and its side (1, -1)."""

    injection: Injection
    history: History
    scale: float
    at: int
    side: int
    seed: int

    @property
    def end(self) -> int:
        """The first point after the injection."""
        length = len(self.history.values)
        lasts = self.injection.lasts
        return length if lasts is None else min(self.at + lasts, length)

    @property
    def span(self) -> slice:
        """The points injected."""
        return slice(self.at, self.end)

    def injected(self) -> History:
        """Return the series with the injection in it."""
        return replace(self.history, values=self.injection.apply(self))


def _nothing(trial: Trial) -> FloatArray:
    return trial.history.values


def _lift(trial: Trial) -> FloatArray:
    values = trial.history.values.copy()
    values[trial.span] += trial.side * trial.injection.size * trial.scale
    return values


def _drop(trial: Trial) -> FloatArray:
    return _lift(replace(trial, side=-1))


def _shake(trial: Trial) -> FloatArray:
    values = trial.history.values.copy()
    noise = np.random.default_rng(trial.seed).standard_normal(trial.end - trial.at)
    values[trial.span] += trial.injection.size * trial.scale * noise
    return values


def _stick(trial: Trial) -> FloatArray:
    values = trial.history.values.copy()
    values[trial.span] = values[trial.at]
    return values


_SPIKES = (EventKind.SPIKE, EventKind.DIP)
INJECTIONS = (
    Injection("nothing", 0, (), 1, _nothing),
    *(Injection(f"spike {size}", size, _SPIKES, 1, _lift) for size in (3, 4, 5, 6, 8)),
    *(
        Injection(f"shift {size}", size, (EventKind.LEVEL_SHIFT,), None, _lift)
        for size in (1, 2, 3, 4, 5)
    ),
    *(
        Injection(f"burst {size}", size, (EventKind.BURST, *_SPIKES), BURST, _shake)
        for size in (3, 5)
    ),
    *(Injection(f"dip {size}", size, (EventKind.DIP,), DIP, _drop) for size in (3, 5)),
    Injection("flat", 0, (EventKind.FLAT,), FLAT, _stick),
)


def residual_scale(history: History) -> float:
    """Return the scale of a series' noise, by von Neumann's (1941) way: from differences.

    Of the differences at lag 1 and at each period of which three cycles are seen, the least range
    of the middle 90 %, in standard deviations of a normal distribution: a wave, a level and
    seasonal repetition are not noise. The median size would call a series quiet that rests
    on one value, or trades calmly, most of the time.
    """
    values = history.values
    lags = [1, *(period for period in history.periods if len(values) >= _CYCLES * period)]
    ends = [np.quantile(values[lag:] - values[:-lag], [0.05, 0.95]) for lag in lags]
    return float(min(high - low for low, high in ends) / _MIDDLE / np.sqrt(2))


def place(injection: Injection, history: History, scale: float, seed: int) -> Trial:
    """Return a trial of an injection at a place and on a side that the seed chooses.

    A series that is never negative stays so: an injection below 0 goes above instead.
    """
    rng = np.random.default_rng([seed, INJECTIONS.index(injection)])
    length = len(history.values)
    at = int(rng.integers(int(EARLIEST * length), int(LATEST * length)))
    trial = Trial(injection, history, scale, at, int(rng.choice([-1, 1])), seed)
    if history.values.min() >= 0 and trial.injected().values.min() < 0:
        return replace(trial, side=1)
    return trial
