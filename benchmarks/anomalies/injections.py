"""Injections into a series: spikes, shifts, bursts, dips, flat runs."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from app.anomalies.results import EventKind
from app.timeseries.history import History
from app.timeseries.types import FloatArray

# The lengths of a burst, a dip and a flat run, in points.
BURST, DIP, FLAT = 10, 10, 24
EARLIEST, LATEST = 0.5, 0.85  # injections begin in this part of a series
# A season's period is used if the series has this many cycles of it.
_MIN_CYCLES = 3
_NORMAL_RANGE = 3.29  # of the middle 90 % of a normal distribution, in standard deviations
_SPIKES = (EventKind.SPIKE, EventKind.DIP)


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

    def injected_history(self) -> History:
        """Return the series with the injection in it."""
        return replace(self.history, values=self.injection.apply(self))


def _keep_values(trial: Trial) -> FloatArray:
    return trial.history.values


def _shift_values(trial: Trial) -> FloatArray:
    values = trial.history.values.copy()
    values[trial.span] += trial.side * trial.injection.size * trial.scale
    return values


def _lower_values(trial: Trial) -> FloatArray:
    return _shift_values(replace(trial, side=-1))


def _add_noise(trial: Trial) -> FloatArray:
    values = trial.history.values.copy()
    noise = np.random.default_rng(trial.seed).standard_normal(trial.end - trial.at)
    values[trial.span] += trial.injection.size * trial.scale * noise
    return values


def _repeat_value(trial: Trial) -> FloatArray:
    values = trial.history.values.copy()
    values[trial.span] = values[trial.at]
    return values


INJECTIONS = (
    Injection("nothing", 0, (), 1, _keep_values),
    *(Injection(f"spike {size}", size, _SPIKES, 1, _shift_values) for size in (3, 4, 5, 6, 8)),
    *(
        Injection(f"shift {size}", size, (EventKind.LEVEL_SHIFT,), None, _shift_values)
        for size in (1, 2, 3, 4, 5)
    ),
    *(
        Injection(f"burst {size}", size, (EventKind.BURST, *_SPIKES), BURST, _add_noise)
        for size in (3, 5)
    ),
    *(Injection(f"dip {size}", size, (EventKind.DIP,), DIP, _lower_values) for size in (3, 5)),
    Injection("flat", 0, (EventKind.FLAT,), FLAT, _repeat_value),
)


def residual_scale(history: History) -> float:
    """Return the scale of a series' noise, from differences (von Neumann 1941).

    The differences are those at lag 1, and at each period of which three cycles are seen: waves,
    levels and seasons are not noise. The smallest range of their middle 90 % counts; their median
    size would be too small for a series that is calm most of the time.
    """
    values = history.values
    lags = [1, *(period for period in history.periods if len(values) >= _MIN_CYCLES * period)]
    ends = [np.quantile(values[lag:] - values[:-lag], [0.05, 0.95]) for lag in lags]
    return float(min(high - low for low, high in ends) / _NORMAL_RANGE / np.sqrt(2))


def make_trial(injection: Injection, history: History, scale: float, seed: int) -> Trial:
    """Return a trial of an injection; the seed chooses its start and its side.

    A series that is never negative stays so: an injection below 0 is put above instead.
    """
    rng = np.random.default_rng([seed, INJECTIONS.index(injection)])
    length = len(history.values)
    at = int(rng.integers(int(EARLIEST * length), int(LATEST * length)))
    trial = Trial(injection, history, scale, at, int(rng.choice([-1, 1])), seed)
    if history.values.min() >= 0 and trial.injected_history().values.min() < 0:
        return replace(trial, side=1)
    return trial
