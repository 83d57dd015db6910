"""How members become one forecast: run them safely, average, pool what they say of their errors."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from app.forecasting.members.kinds import (
    BacktestedForecast,
    LongMember,
    MemberForecast,
    ShortMember,
    WidthPart,
)
from app.forecasting.past_origins import Task, mean_absolute_errors
from app.forecasting.types import FloatArray, History

_log = logging.getLogger(__name__)

Answer = TypeVar("Answer")


def _try(name: str, forecast: Callable[[], Answer]) -> Answer | None:
    try:
        return forecast()
    except Exception:
        # Whatever a numerical library raises, the other members stand without this one.
        _log.info("%s could not be fitted", name, exc_info=True)
        return None


def run_short(
    members: Iterable[ShortMember], history: History, horizon: int
) -> tuple[dict[str, MemberForecast], tuple[str, ...]]:
    """Run members that suit; returns the sound forecasts, by name, and the names that failed.

    A member that raises, or whose median is not finite, has failed; a width that is not finite is
    dropped alone.
    """
    sound: dict[str, MemberForecast] = {}
    failed: list[str] = []
    for member in members:
        if not member.suits(history.values):
            continue
        forecast = _try(member.name, partial(member.forecast, history, horizon))
        if forecast is None or not np.all(np.isfinite(forecast.median)):
            failed.append(member.name)
            continue
        if forecast.width is not None and not np.all(np.isfinite(forecast.width)):
            forecast = MemberForecast(forecast.median)
        sound[member.name] = forecast
    return sound, tuple(failed)


def run_long(
    members: Iterable[LongMember], task: Task
) -> tuple[list[BacktestedForecast], tuple[str, ...]]:
    """Run members that suit; returns all their forecasts and the names of those that raised."""
    forecasts: list[BacktestedForecast] = []
    failed: list[str] = []
    for member in members:
        if member.suits(task):
            said = _try(member.name, partial(member.forecast, task))
            if said is None:
                failed.append(member.name)
            else:
                forecasts += said
    return forecasts, tuple(failed)


def failure_notices(failed: Iterable[str]) -> tuple[str, ...]:
    """What a client is told of members that failed."""
    return tuple(f"{name} could not be fitted; the other members answered" for name in failed)


def without_extremes(forecasts: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """Drop the lowest and the highest of (members, h) at each step, from three members up."""
    stacked = np.sort(np.stack(list(forecasts)), axis=0)
    return stacked[1:-1] if len(stacked) >= 3 else stacked


def middle(forecasts: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """Median of (members, h) at each step; shape (h,)."""
    return np.asarray(np.median(np.stack(list(forecasts)), axis=0))


def trimmed_mean(forecasts: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """Mean of (members, h) at each step without the lowest and the highest; shape (h,)."""
    return np.asarray(without_extremes(forecasts).mean(0))


def spread(forecasts: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """Standard deviation of (members, h) at each step without the extremes; shape (h,)."""
    return np.asarray(without_extremes(forecasts).std(0))


def pool_widths(
    members: Iterable[ShortMember], forecasts: Mapping[str, MemberForecast], between: FloatArray
) -> FloatArray:
    """Pool members' standard errors and their spread as independent parts of one variance.

    Args:
        members: those of the recipe, which say in which part their width counts.
        forecasts: of the members that count, by name.
        between: the spread of their medians, shape (h,).
    """
    parts: dict[WidthPart, list[FloatArray]] = {}
    for member in members:
        forecast = forecasts.get(member.name)
        if forecast is None or forecast.width is None or member.stands_in_for in forecasts:
            continue
        if member.width_part is not WidthPart.NONE:
            parts.setdefault(member.width_part, []).append(forecast.width)
    means = [np.mean(widths, axis=0) for widths in parts.values()]
    pooled = np.mean(means, axis=0) if means else np.zeros(len(between))
    return np.asarray(np.sqrt(pooled**2 + between**2))


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


def combine_by_backtest(
    forecasts: Sequence[BacktestedForecast], targets: FloatArray, power: float
) -> tuple[BacktestedForecast, FloatArray]:
    """Return the weighted mean of forecasts and the weights, by their errors at the past origins.

    Inverse-error weights: Bates and Granger (1969).
    """
    medians = np.stack([forecast.median for forecast in forecasts])
    backtests = np.stack([forecast.backtest for forecast in forecasts])
    errors = mean_absolute_errors(backtests, targets)
    errors = np.where(np.isfinite(medians).all(axis=1), errors, np.nan)
    weights = weigh_by_error(errors, power)
    kept = weights > 0
    combined = BacktestedForecast(
        median=weights[kept] @ medians[kept],
        backtest=np.tensordot(weights[kept], backtests[kept], axes=1),
    )
    return combined, weights
