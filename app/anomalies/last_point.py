"""Judge the last point of a series against the engine's forecast from the points before."""

from dataclasses import replace

import numpy as np

from app.anomalies.band import is_outside_band, reconcile_p_values
from app.anomalies.events import ScoredPoints, find_events
from app.anomalies.flat_runs import find_flat_runs
from app.anomalies.one_step import INNER_CONFIDENCE, OUTER_CONFIDENCE, one_step_band
from app.anomalies.results import Detection, Direction, Event, severity_of
from app.anomalies.spikes import ImputedHistory, impute_spikes
from app.forecasting.forecast import fit
from app.forecasting.model_ids import LIGHT_MODEL
from app.timeseries.history import History
from app.timeseries.types import BoolArray, FloatArray

# Older points hardly affect a one-step forecast, and the response should be fast: two weeks of
# five-minute data, half a year of hours.
_MAX_POINTS = 4_320


def detect_last(
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Judge the last point of a series against its forecast from the points before.

    The arguments are those of ``detect``; the arrays have one entry. There are no change points;
    the only event is one that includes the last point. The engine forecasts with the periods that
    the calendar suggests, the one given, or the one detected instead; the detection reports those
    detected.
    """
    values = np.asarray(history.values, dtype=np.float64)
    suggested = history.periods
    if period is not None:
        suggested = (period,) if period > 1 else ()
    before = replace(history, values=values[:-1][-_MAX_POINTS:], periods=suggested)
    imputed = impute_spikes(before, period)
    # Its one-step forecasts are as good as those of the other models, in less time.
    fitted = fit(imputed.history, 1, LIGHT_MODEL)
    inner, outer = fitted.at(INNER_CONFIDENCE), fitted.at(OUTER_CONFIDENCE)
    band = one_step_band(imputed.history, imputed.periods, (inner, outer))
    lowest, expected, highest = _plausible_values(imputed, float(outer.median[0]))
    value = float(values[-1])
    side_rate = false_alarm_rate / 2 if direction is Direction.BOTH else false_alarm_rate
    lower = np.array([lowest - band.below.distance(side_rate)])
    upper = np.array([highest + band.above.distance(side_rate)])
    is_anomaly = is_outside_band(values[-1:], lower, upper, direction)
    error = value - min(max(value, lowest), highest)
    p_value = reconcile_p_values(
        np.array([band.p_value(error, direction)]), is_anomaly, false_alarm_rate
    )
    improbability = -float(np.log10(p_value[0]))
    notices = outer.notices
    if imputed.spikes:
        notices += (f"spikes before the last point were set aside: {imputed.spikes}",)
    if false_alarm_rate * len(before.values) < 1:
        notices += (
            f"{len(before.values)} points before the last are too few for a false alarm rate of "
            f"{false_alarm_rate:g}, so the band is wide: send a longer history or a higher rate",
        )
    return Detection(
        is_anomaly=is_anomaly,
        expected=np.array([expected]),
        lower=lower,
        upper=upper,
        p_value=p_value,
        severity=np.array([severity_of(improbability)]),
        events=_last_events(values, expected, improbability, is_anomaly, direction),
        periods=imputed.periods,
        notices=notices,
    )


def _plausible_values(imputed: ImputedHistory, forecast: float) -> tuple[float, float, float]:
    """Return the smallest, the expected and the largest plausible value.

    After a point that may be a spike or the start of a new level, the band covers both cases, and
    the engine weighs them.
    """
    if imputed.new_level is None:
        return forecast, forecast, forecast
    jump = float(imputed.new_level.values[-1] - imputed.history.values[-1])
    weighed = float(fit(imputed.new_level, 1, LIGHT_MODEL).median[0])
    futures = (forecast, forecast + jump, weighed)
    return min(futures), weighed, max(futures)


def _last_events(
    values: FloatArray,
    expected: float,
    improbability: float,
    is_anomaly: BoolArray,
    side: Direction,
) -> tuple[Event, ...]:
    """Return the event that includes the last point, if any: a flat run or the point itself."""
    last = len(values) - 1
    judged = ScoredPoints(
        scaled_residual=np.where(values > expected, 1.0, -1.0),
        improbability=np.append(np.zeros(last), improbability),
        is_anomaly=np.append(np.zeros(last, dtype=bool), is_anomaly),
    )
    flat = [run for run in find_flat_runs(values) if run.end == last]
    return find_events(judged, side, segments=flat)
