"""The last point of a series, judged by the engine's forecast of it from those before."""

from dataclasses import replace

import numpy as np

from app.anomalies.band import agreeing, outside, severity
from app.anomalies.expectation import shown_periods
from app.anomalies.flat import find_flat
from app.anomalies.one_step import INNER, OUTER, Band, fit_band
from app.anomalies.results import BoolArray, Detection, Direction, Event, EventKind
from app.forecasting.forecast import predict
from app.forecasting.types import FloatArray, History

# The light model: its one-step forecasts are as good as the others', in a fifth of the time.
MODEL = "forecast-model-2"


def detect_last(
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Judge the last point of a series by the forecast of it from those before.

    Arguments are those of ``detect``; the arrays have one entry. There are no change points; the
    only event is one that lasts to the last point. Where ``period`` is None the engine uses the
    history's periods, or the one that shows in their place.
    """
    values = np.asarray(history.values, dtype=np.float64)
    past = values[:-1]
    if period is None:
        shown = shown_periods(past, history.periods)
        periods = history.periods if set(shown) <= set(history.periods) else shown
    else:
        periods = shown = (period,) * (2 <= period <= len(past) // 2)
    before = replace(history, values=past, periods=periods)
    expected, band, notices = _forecast(before)
    value, rate = values[-1:], false_alarm_rate
    reach = rate / 2 if direction is Direction.BOTH else rate
    lower, upper = expected - band.below.distance(reach), expected + band.above.distance(reach)
    found = outside(value, np.array([lower]), np.array([upper]), direction)
    error = float(value[0]) - expected
    p_value = agreeing(np.array([band.p_value(error, direction)]), found, rate)
    severe = severity(p_value)
    if rate * len(before.values) < 1:
        notices += (
            f"{len(before.values)} points before the last cannot show a false alarm rate of "
            f"{rate:g}: beyond them it rests on how other series behave",
        )
    return Detection(
        is_anomaly=found,
        expected=np.array([expected]),
        lower=np.array([lower]),
        upper=np.array([upper]),
        p_value=p_value,
        severity=severe,
        events=_events(values, found, float(severe[0]), error > 0),
        periods=shown,
        notices=notices,
    )


def _forecast(before: History) -> tuple[float, Band, tuple[str, ...]]:
    """What is expected next, the band around it, and the engine's notices."""
    inner, outer = (predict(before, 1, confidence, MODEL) for confidence in (INNER, OUTER))
    return float(outer.median[0]), fit_band(before, (inner, outer)), outer.notices


def _events(values: FloatArray, found: BoolArray, severe: float, above: bool) -> tuple[Event, ...]:
    """The one thing that lasts to the end: a flat stretch, or the last point itself."""
    last = len(values) - 1
    side = Direction.UP if above else Direction.DOWN
    for start, end, p_value in find_flat(values):
        if end == last:
            severe = float(severity(np.array(p_value)))
            return (Event(start, last, EventKind.FLAT, side, last, severe),)
    if not found[0]:
        return ()
    kind = EventKind.SPIKE if above else EventKind.DIP
    return (Event(last, last, kind, side, last, severe),)
