"""Tasks for the tests of members that prove themselves at past origins."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from app.forecasting.past_origins import BacktestTask, targets_after
from app.forecasting.preprocessing.seasonality import Seasonality, find_seasonality
from app.forecasting.preprocessing.transformations import transformations_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import FloatArray

PLAIN = Seasonality(0, 0)
# Those with a calendar year.
WEEKS = find_seasonality(1_000, (52,), Frequency.WEEKLY)
DAYS = find_seasonality(1_000, (7, 365), Frequency.DAILY)
BUSINESS_DAYS = find_seasonality(1_000, (5, 260), Frequency.DAILY)


def make_task(
    values: ArrayLike,
    horizon: int,
    origins: Sequence[int],
    *,
    seasonality: Seasonality = PLAIN,
    raw: bool = False,
) -> BacktestTask:
    """Return a task over ``values``; ``raw`` leaves out what is transformed."""
    values = np.asarray(values, dtype=float)
    return BacktestTask(
        values,
        seasonality,
        horizon,
        horizon,
        tuple(origins),
        targets_after(values, origins, horizon, len(origins)),
        transformations_of(values)[: 1 if raw else None],
    )


def disturb_after(values: ArrayLike, origin: int, rng: np.random.Generator) -> FloatArray:
    """Return the same past, another future: what a forecast from ``origin`` must not notice."""
    other = np.array(values, dtype=float)
    other[origin:] *= rng.uniform(0.5, 2.0, len(other) - origin)
    return other
