"""Tasks for the tests of members that prove themselves at past origins."""

import numpy as np

from app.forecasting.past_origins import Task, make_scales, targets_after


def make_task(values, horizon, origins, periods=(), scales=None):
    """A task over ``values``; ``scales`` keeps the first so many of its scales, or all."""
    values = np.asarray(values, dtype=float)
    return Task(
        values,
        tuple(periods),
        horizon,
        tuple(origins),
        targets_after(values, origins, horizon),
        make_scales(values, 0)[:scales],
    )


def disturb_after(values, origin, rng):
    """The same past, another future: what a forecast from ``origin`` must not notice."""
    other = np.array(values, dtype=float)
    other[origin:] *= rng.uniform(0.5, 2.0, len(other) - origin)
    return other
