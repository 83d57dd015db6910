"""The last point of a series, judged by the engine's forecast of it from those before."""

from dataclasses import replace

import numpy as np

from app.anomalies.one_step import INNER, OUTER, Band, fit_band
from app.anomalies.results import Detection, Direction, Event, EventKind
from app.forecasting.forecast import predict
from app.forecasting.seasonality import find_seasonality
from app.forecasting.types import FloatArray, History

# The light model: its one-step forecasts are as good as the others', in a fifth of the time.
MODEL = "forecast-model-2"
# Severity is 100 from this probability down.
_LEAST_P = 1e-12
# A run of fewer equal values is no stuck sensor, nor one that is not so many times longer than any
# before.
_FEWEST_EQUAL, _LONGER = 5, 2.0


def detect_last(
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Judge the last point of a series by the forecast of it from those before.

    Arguments are those of ``detect``; the arrays have one entry. There are no change points; the
    only event is one that lasts to the last point. The history's periods are the engine's to use
    where ``period`` is None.
    """
    values = np.asarray(history.values, dtype=np.float64)
    periods = history.periods if period is None else (period,) * (period > 1)
    before = replace(history, values=values[:-1], periods=periods)
    expected, band, notices = _forecast(before)
    value, rate = float(values[-1]), false_alarm_rate
    reach = rate / 2 if direction is Direction.BOTH else rate
    lower, upper = expected - band.below.distance(reach), expected + band.above.distance(reach)
    above = value > upper and direction is not Direction.DOWN
    below = value < lower and direction is not Direction.UP
    flagged = above or below
    p_value = band.p_value(value - expected, direction)
    # Distances and probabilities are rounded each in its own way; the band decides.
    p_value = min(p_value, float(np.nextafter(rate, 0))) if flagged else max(p_value, rate)
    severity = _severity(p_value)
    if rate * len(before.values) < 1:
        notices += (
            f"{len(before.values)} points before the last cannot show a false alarm rate of "
            f"{rate:g}: beyond them it rests on how other series behave",
        )
    seasonality = find_seasonality(len(before.values), periods)
    return Detection(
        np.array([flagged]),
        np.array([expected]),
        np.array([lower]),
        np.array([upper]),
        np.array([p_value]),
        np.array([severity]),
        _events(values, rate, value > expected, flagged, severity),
        (),
        tuple(each for each in (seasonality.short, seasonality.long) if each),
        notices,
    )


def _forecast(before: History) -> tuple[float, Band, tuple[str, ...]]:
    """What is expected next, the band around it, and the engine's notices."""
    inner, outer = (predict(before, 1, confidence, MODEL) for confidence in (INNER, OUTER))
    return float(outer.median[0]), fit_band(before, (inner, outer)), outer.notices


def _events(
    values: FloatArray, rate: float, above: bool, flagged: bool, severity: float
) -> tuple[Event, ...]:
    last = len(values) - 1
    side = Direction.UP if above else Direction.DOWN
    run, p_value = _last_run(values)
    if p_value < rate:
        return (Event(last + 1 - run, last, EventKind.FLAT, side, last, _severity(p_value)),)
    if not flagged:
        return ()
    kind = EventKind.SPIKE if above else EventKind.DIP
    return (Event(last, last, kind, side, last, severity),)


def _last_run(values: FloatArray) -> tuple[int, float]:
    """Length of the run of equal values that ends a series, and its probability.

    That is the probability that so many steps rest, each as often as the series rested before; 1
    where the run is short, or where the series has rested nearly as long before.
    """
    moves = np.flatnonzero(np.diff(values) != 0)
    if len(moves) == 0:
        return len(values), 1.0
    begin = int(moves[-1]) + 1
    run = len(values) - begin
    runs = np.diff(np.concatenate([[0], moves + 1]))
    if run < _FEWEST_EQUAL or run <= _LONGER * runs.max():
        return run, 1.0
    rests = (begin - len(moves) + 1) / (begin + 1)
    return run, float(rests ** (run - 1))


def _severity(p_value: float) -> float:
    return float(np.clip(100 * np.log10(max(p_value, _LEAST_P)) / np.log10(_LEAST_P), 0, 100))
