"""Past origins: where a member's forecasts are compared with what came next.

Long series are combined and given intervals by what their members would have said at earlier
moments of the same series (rolling-origin evaluation, Tashman 2000).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.forecasting.cleaning import steady_growth
from app.forecasting.types import FloatArray, MemberForecast

# How far a forecast may leave the history's range before it is cut off, in units of that range: at
# once, and for each further history's length of steps. A steady line goes on by 1.
RANGE_MARGIN, RANGE_GROWTH = 0.5, 1.5
LARGEST_GROWTH = 20.0  # logarithm of the largest factor by which steady growth may go on


@dataclass(frozen=True)
class Scale:
    """A view of the series on which a member works: raw values, logarithms, square roots.

    ``values`` has shape (n,). ``invert`` takes forecasts, the steps ahead along their last axis,
    back to the raw values and keeps them within the history's range plus a margin.
    """

    name: str
    values: FloatArray
    invert: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Task:
    """One series, what is asked of it, and the past origins at which members prove themselves.

    ``origins`` are ascending indices; ``targets`` of shape (origins, horizon) holds what came after
    each of them, NaN past the end of the history.
    """

    values: FloatArray
    periods: tuple[int, ...]
    horizon: int
    origins: tuple[int, ...]
    targets: FloatArray
    scales: tuple[Scale, ...]


def targets_after(values: FloatArray, origins: Sequence[int], horizon: int) -> FloatArray:
    """Return what came after each origin: shape (origins, horizon), NaN past the end."""
    padded = np.concatenate([values, np.full(horizon, np.nan)])
    starts = np.asarray(origins, dtype=np.int64)
    return np.asarray(padded[starts[:, None] + np.arange(horizon)])


def choose_origins(
    length: int, horizon: int, *, step: int, count: int, earliest: int
) -> tuple[int, ...]:
    """Return past origins, ascending, evenly ``step`` apart.

    The last origin is the one whose whole horizon has just been seen, or, in a history too short
    for that, half way between ``earliest`` and the end. The step shrinks to fit ``count`` origins.

    Args:
        length: number of points.
        horizon: steps forecast.
        step: distance between origins where the history is long enough.
        count: largest number of origins.
        earliest: the first index that leaves members enough to learn from.
    """
    latest = max(length - horizon, min(length - 1, (earliest + length) // 2))
    room = latest - earliest
    if room < 0:
        return ()
    step = max(1, min(step, room // max(1, count - 1)))
    return tuple(o for o in (latest - step * k for k in range(count)) if o >= earliest)[::-1]


def make_scales(values: FloatArray, season: int) -> tuple[Scale, ...]:
    """Return the raw scale and one on which spread grows less with the level.

    That is the logarithm for a positive series, the square root for one that reaches 0 (counts),
    none for one with negative values (Box and Cox 1964). Where logarithms rise steadily, apart from
    a ``season`` (in steps, 0 for none), forecasts may go on so.
    """
    lowest, highest = float(values.min()), float(values.max())
    least = -np.inf if lowest < 0 else 0.0
    growth = max(0.0, steady_growth(values, season))

    def from_raw(forecast: FloatArray) -> FloatArray:
        steps = np.arange(1, forecast.shape[-1] + 1)
        margin = (RANGE_MARGIN + RANGE_GROWTH * steps / len(values)) * (highest - lowest)
        exponent = np.minimum(RANGE_GROWTH * growth * steps, LARGEST_GROWTH)
        ceiling = np.maximum(highest + margin, highest * np.exp(exponent))
        return np.clip(forecast, np.maximum(least, lowest - margin), ceiling)

    scales = [Scale("raw", values, from_raw)]
    if lowest > 0:
        log_floor, log_ceiling = float(np.log(lowest)) - 20.0, float(np.log(highest)) + 20.0

        def from_log(forecast: FloatArray) -> FloatArray:
            return from_raw(np.exp(np.clip(forecast, log_floor, log_ceiling)))

        scales.append(Scale("log", np.log(values), from_log))
    elif lowest == 0:

        def from_root(forecast: FloatArray) -> FloatArray:
            return from_raw(np.sign(forecast) * forecast**2)

        scales.append(Scale("root", np.sqrt(values), from_root))
    return tuple(scales)


def mean_absolute_errors(backtests: FloatArray, targets: FloatArray) -> FloatArray:
    """Return the mean absolute error of each member.

    Args:
        backtests: shape (members, origins, h).
        targets: shape (origins, h), NaN where nothing was seen.
    """
    seen = np.isfinite(targets)
    errors = np.where(seen, np.abs(backtests - np.where(seen, targets, 0.0)), 0.0)
    return np.asarray(errors.sum(axis=(1, 2)) / max(1, int(seen.sum())))


def weigh_by_error(errors: FloatArray, power: float) -> FloatArray:
    """Return weights that sum to 1, proportional to ``errors ** -power``.

    Members whose error is not a number get none.
    """
    usable = np.isfinite(errors)
    best = float(errors[usable].min())
    if best <= 0:
        weights = np.where(usable & (errors <= 0), 1.0, 0.0)
    else:
        weights = np.where(usable, (best / np.where(usable, errors, np.inf)) ** power, 0.0)
    return np.asarray(weights / weights.sum())


def combine(
    members: Sequence[MemberForecast], targets: FloatArray, power: float
) -> tuple[MemberForecast, FloatArray]:
    """Return the weighted mean of members and the weights, by their errors at the past origins.

    Each member must carry a backtest. Inverse-error weights: Bates and Granger (1969).
    """
    medians = np.stack([member.median for member in members])
    backtests = np.stack([member.backtest for member in members if member.backtest is not None])
    errors = mean_absolute_errors(backtests, targets)
    errors = np.where(np.isfinite(medians).all(axis=1), errors, np.nan)
    weights = weigh_by_error(errors, power)
    kept = weights > 0
    combined = MemberForecast(
        median=weights[kept] @ medians[kept],
        backtest=np.tensordot(weights[kept], backtests[kept], axes=1),
    )
    return combined, weights
