"""Run members, leave out those that fail, and combine their forecasts and errors."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.forecasting.attempt import try_fit
from app.forecasting.members.types import (
    BacktestedForecast,
    ErrorPart,
    HighFrequencyMember,
    LowFrequencyMember,
    MemberForecast,
)
from app.forecasting.past_origins import BacktestTask, errors_by_lead
from app.timeseries.history import History
from app.timeseries.robust import weighted_median
from app.timeseries.types import FloatArray

# The members' median replaces their mean in full if its past errors are smaller by this fraction.
_FULL_MEDIAN_GAIN = 0.05
_MIN_ORIGINS = 20  # fewer past origins (weeks have twelve) do not show which of the two is better


class NoMemberError(RuntimeError):
    """No member of a recipe could be fitted to a history."""


def run_low_frequency(
    members: Iterable[LowFrequencyMember], history: History, horizon: int
) -> tuple[dict[str, MemberForecast], tuple[str, ...]]:
    """Run the suitable members; return their forecasts by name, and the names that failed.

    A member fails if it raises or its median is not finite. A standard error that is not
    finite is dropped.
    """
    forecasts: dict[str, MemberForecast] = {}
    failed: list[str] = []
    for member in members:
        if not member.is_suitable(history.values):
            continue
        forecast = try_fit(partial(member.forecast, history, horizon), member.name, logging.INFO)
        if forecast is None or not np.all(np.isfinite(forecast.median)):
            failed.append(member.name)
            continue
        if forecast.standard_error is not None and not np.all(np.isfinite(forecast.standard_error)):
            forecast = MemberForecast(forecast.median)
        forecasts[member.name] = forecast
    return forecasts, tuple(failed)


def run_high_frequency(
    members: Iterable[HighFrequencyMember], task: BacktestTask
) -> tuple[list[BacktestedForecast], tuple[str, ...]]:
    """Run the suitable members; return their forecasts, and the names of members that raised.

    The forecasts of a member are repeated ``weight`` times.
    """
    forecasts: list[BacktestedForecast] = []
    failed: list[str] = []
    for member in members:
        member_forecasts = try_fit(partial(_forecasts_of, member, task), member.name, logging.INFO)
        if member_forecasts is None:
            failed.append(member.name)
        else:
            forecasts += member.weight * list(member_forecasts)
    return forecasts, tuple(failed)


def _forecasts_of(member: HighFrequencyMember, task: BacktestTask) -> Sequence[BacktestedForecast]:
    return member.forecast(task) if member.is_suitable(task) else []


def failure_notices(failed: Iterable[str]) -> tuple[str, ...]:
    """Return the notices of members that failed. A semicolon would separate two notices."""
    return tuple(f"{name} could not be fitted, the other members were used" for name in failed)


@dataclass(frozen=True)
class CombinedForecast:
    """The members as one forecast.

    Attributes:
        mean: Their weighted mean, whose errors at the past origins give the interval.
        median: Between the mean and the members' weighted median, shape (h,): nearer to the latter
            the smaller its past errors are.
    """

    mean: BacktestedForecast
    median: FloatArray


def combine_by_backtest(
    forecasts: Sequence[BacktestedForecast], targets: FloatArray, pooled_leads: int, power: float
) -> CombinedForecast:
    """Combine forecasts, weighted at each step by their errors at the past origins up to it.

    Raise NoMemberError without any forecast.

    Inverse-error weights: Bates and Granger (1969). If bursts and shifts make single members fail,
    the members' median has smaller past errors than their mean. The interval still comes from the
    mean: the past errors of the better of two are too small.
    """
    if not forecasts:
        raise NoMemberError("no member could be fitted")
    paths = np.stack([forecast.forecast for forecast in forecasts])
    backtests = np.stack([forecast.backtest for forecast in forecasts])
    errors = errors_by_lead(backtests, targets, pooled_leads)
    errors = np.where(np.isfinite(paths).all(axis=1, keepdims=True), errors, np.nan)
    weights = weigh_by_error(errors, power)
    has_weight = (weights > 0).any(axis=1)
    paths, backtests, weights = paths[has_weight], backtests[has_weight], weights[has_weight]
    mean = BacktestedForecast(
        np.einsum("mh,mh->h", weights, paths), np.einsum("mh,moh->oh", weights, backtests)
    )
    median = mean.forecast
    if np.isfinite(targets).sum(axis=0).max() >= _MIN_ORIGINS:
        candidates = np.stack([mean.backtest, weighted_median(backtests, weights)])
        mean_errors, median_errors = errors_by_lead(candidates, targets, pooled_leads)
        ratio = np.ones_like(mean_errors)
        np.divide(median_errors, mean_errors, out=ratio, where=mean_errors > 0)
        median_weight = np.clip((1.0 - ratio) / _FULL_MEDIAN_GAIN, 0.0, 1.0)
        median = (1.0 - median_weight) * median + median_weight * weighted_median(paths, weights)
    return CombinedForecast(mean, median)


def weigh_by_error(errors: FloatArray, power: float) -> FloatArray:
    """Return weights of shape (members, h), proportional to ``errors ** -power`` of that shape.

    They sum to 1 at each step. A member whose error is NaN has weight 0; members whose error is 0
    share the weight equally.
    """
    is_usable = np.isfinite(errors)
    bounded = np.where(is_usable, errors, np.inf)
    best = bounded.min(axis=0)
    ratio = np.where(best > 0, best, 1.0) / np.where(bounded > 0, bounded, 1.0)
    weights = np.where(best > 0, np.where(is_usable, ratio, 0.0) ** power, bounded <= 0)
    return np.asarray(weights / weights.sum(axis=0))


def pool_standard_errors(
    members: Iterable[LowFrequencyMember],
    forecasts: Mapping[str, MemberForecast],
    between: FloatArray,
) -> FloatArray:
    """Pool members' standard errors and their spread as independent parts of one variance.

    Args:
        members: The members of the recipe.
        forecasts: The forecasts of the members that did not fail, by name.
        between: The spread of their medians, shape (h,).
    """
    parts: dict[ErrorPart, list[FloatArray]] = {}
    for member in members:
        forecast = forecasts.get(member.name)
        # A member on logarithms is skipped if its raw twin is present, whose errors are used.
        if forecast is None or forecast.standard_error is None or member.raw_name in forecasts:
            continue
        if member.error_part is not ErrorPart.NONE:
            parts.setdefault(member.error_part, []).append(forecast.standard_error)
    all_errors = [error for f in forecasts.values() if (error := f.standard_error) is not None]
    # If no member of a part is left, the errors of the others are all that is known.
    means = [np.mean(errors, axis=0) for errors in parts.values()] or all_errors
    pooled = np.mean(means, axis=0) if means else np.zeros(len(between))
    return np.asarray(np.sqrt(pooled**2 + between**2))


def member_spread(forecasts: Sequence[FloatArray]) -> FloatArray:
    """Return the standard deviation of (members, h) at each step, shape (h,).

    The extremes are left out of five members or more: of three, one would be left, and no spread.
    """
    return np.asarray(_without_extremes(forecasts, min_members=5).std(0))


def trimmed_mean(forecasts: Sequence[FloatArray]) -> FloatArray:
    """Return the mean of (members, h) at each step, of three or more without the extremes."""
    return np.asarray(_without_extremes(forecasts, min_members=3).mean(0))


def member_median(forecasts: Sequence[FloatArray]) -> FloatArray:
    """Return the median of (members, h) at each step; shape (h,)."""
    return np.asarray(np.median(np.stack(forecasts), axis=0))


def _without_extremes(forecasts: Sequence[FloatArray], min_members: int) -> FloatArray:
    """Return (members, h), from ``min_members`` on without the lowest and highest of each step."""
    ordered = np.sort(np.stack(forecasts), axis=0)
    return ordered[1:-1] if len(ordered) >= min_members else ordered
