"""Many forecasts in one job: each of a window of one array, by the same model and levels."""

import time
from dataclasses import dataclass

import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.forecast import fit
from app.forecasting.types import Fit, FloatArray, History, IntArray

LONGEST_HISTORY = 10_000
"""So many values before a forecast are used; older ones change nothing worth their time."""


@dataclass(frozen=True)
class Terms:
    """What all forecasts of a call share; ``confidences`` are between 0 and 0.99."""

    frequency: Frequency
    periods: tuple[int, ...]
    model_id: str
    confidences: tuple[float, ...]


@dataclass(frozen=True)
class Windows:
    """Where forecasts are made: from ``starts`` to ``ends``, indices of values, shape (w,) each;
    then ``horizons`` steps."""

    starts: IntArray
    ends: IntArray
    horizons: IntArray

    def part(self, first: int, last: int) -> tuple["Windows", int, int]:
        """Return some of the windows, and the start and end of the values that they need.

        Their own indices begin at that start.
        """
        which = slice(first, last)
        starts, ends = self.starts[which], self.ends[which]
        begin, end = int(starts.min()), int(ends.max())
        return Windows(starts - begin, ends - begin, self.horizons[which]), begin, end

    def places(self) -> IntArray:
        """Return the indices of the values that the forecasts are of, shape (n,)."""
        table = zip(self.ends, self.horizons, strict=True)
        return np.concatenate([np.arange(end, end + horizon) for end, horizon in table])


@dataclass(frozen=True)
class Forecasts:
    """Forecasts one behind the other: ``median`` (n,), bounds of shape (confidences, n)."""

    median: FloatArray
    lower: FloatArray
    upper: FloatArray
    fell_back: int

    @staticmethod
    def join(parts: list["Forecasts"]) -> "Forecasts":
        """Return the forecasts of all ``parts``."""
        return Forecasts(
            np.concatenate([part.median for part in parts]),
            np.concatenate([part.lower for part in parts], axis=1),
            np.concatenate([part.upper for part in parts], axis=1),
            sum(part.fell_back for part in parts),
        )


def forecast_windows(terms: Terms, values: FloatArray, windows: Windows) -> tuple[float, Forecasts]:
    """Forecast after each window; return how many seconds that took, too.

    ``values`` (n,) are NaN where missing; each window has at least one that is not, among its last
    ``LONGEST_HISTORY``. A forecast depends on the values of its own window only.
    """
    started = time.perf_counter()
    table = zip(windows.starts, windows.ends, windows.horizons, strict=True)
    found = [_forecast(terms, values[start:end], int(horizon)) for start, end, horizon in table]
    return time.perf_counter() - started, Forecasts.join(found)


def _forecast(terms: Terms, sent: FloatArray, horizon: int) -> Forecasts:
    values, missing = mend(sent[-LONGEST_HISTORY:])
    history = History(values, terms.periods, terms.frequency)
    found: Fit = fit(history, missing + horizon, terms.model_id)
    bounds = [found.interval(confidence) for confidence in terms.confidences]
    lower, upper = np.zeros((2, len(bounds), missing + horizon))
    for row, bound in enumerate(bounds):
        lower[row], upper[row] = bound
    return Forecasts(
        found.median[missing:] + 0.0,  # so that no -0.0 is returned
        lower[:, missing:] + 0.0,
        upper[:, missing:] + 0.0,
        int(found.fell_back),
    )


def mend(values: FloatArray) -> tuple[FloatArray, int]:
    """Return the values from the first to the last that is known, gaps filled linearly; and how
    many are missing after that."""
    known = np.flatnonzero(np.isfinite(values))
    first, last = int(known[0]), int(known[-1])
    filled = np.interp(np.arange(first, last + 1), known, values[known])
    return filled, len(values) - 1 - last
