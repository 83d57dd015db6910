"""How members become one forecast: run them safely, leave out the extremes, average."""

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from app.forecasting.types import FloatArray, History, Member, MemberForecast

_log = logging.getLogger(__name__)


def run_members(
    members: Mapping[str, Member], history: History, horizon: int
) -> tuple[dict[str, MemberForecast], tuple[str, ...]]:
    """Run every member; returns the forecasts that are sound, by name, and the names that failed.

    A member that raises, or whose median is not finite, has failed; a width that is not finite is
    dropped alone.
    """
    sound: dict[str, MemberForecast] = {}
    failed: list[str] = []
    for name, member in members.items():
        try:
            forecast = member(history, horizon)
        except Exception:
            # Whatever a numerical library raises, the other members stand without this one.
            _log.info("%s could not be fitted", name, exc_info=True)
            failed.append(name)
            continue
        if not np.all(np.isfinite(forecast.median)):
            failed.append(name)
            continue
        if forecast.width is not None and not np.all(np.isfinite(forecast.width)):
            forecast = MemberForecast(forecast.median)
        sound[name] = forecast
    return sound, tuple(failed)


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


def on_logs(member: Member) -> Member:
    """``member`` run on the logarithms of a positive history.

    The median of the logs is the log of the median; the width is scaled at the median, as for
    small errors. Raises ValueError on a history that is not positive.
    """

    def run(history: History, horizon: int) -> MemberForecast:
        if history.values.min() <= 0:
            raise ValueError("logarithms need a positive history")
        logs = History(np.log(history.values), history.periods, history.frequency)
        forecast = member(logs, horizon)
        # No forecast a thousand times the history's range, up or down.
        lowest, highest = logs.values.min() - np.log(1e3), logs.values.max() + np.log(1e3)
        median = np.exp(np.clip(forecast.median, lowest, highest))
        width = None if forecast.width is None else median * np.minimum(forecast.width, 3.0)
        return MemberForecast(median, width)

    return run
