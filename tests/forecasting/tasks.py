"""Tasks for the tests of members that prove themselves at past origins."""

import numpy as np

from app.forecasting.past_origins import BacktestTask, targets_after
from app.forecasting.seasonality import Seasonality
from app.forecasting.transformations import transformations_of

PLAIN = Seasonality(0, 0)


def make_task(values, horizon, origins, *, seasonality=PLAIN, raw=False):
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


def disturb_after(values, origin, rng):
    """Return the same past, another future: what a forecast from ``origin`` must not notice."""
    other = np.array(values, dtype=float)
    other[origin:] *= rng.uniform(0.5, 2.0, len(other) - origin)
    return other
