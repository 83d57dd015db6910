"""Judge the last point of a series against its forecast from the points before."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from app.anomalies.detect import detect, suggested_periods
from app.anomalies.events import find_events
from app.anomalies.one_step import INNER_CONFIDENCE, OUTER_CONFIDENCE, one_step_band
from app.anomalies.results import Detection, Direction, Event, EventKind, severity_of
from app.anomalies.runs import find_flat_runs
from app.anomalies.tail import is_outside_band, reconcile_p_values
from app.forecasting.forecast import fit
from app.forecasting.model_ids import LIGHT_MODEL
from app.forecasting.notices import bound_notices
from app.forecasting.types import Prediction
from app.timeseries.history import History
from app.timeseries.types import BoolArray, FloatArray

# Two weeks of five-minute data, half a year of hours: older points hardly affect one step.
_MAX_POINTS = 4_320
# The fraction of series without spikes in which a point is replaced by chance.
_FALSE_SPIKES_PER_SERIES = 0.1
# Bounds of the rate per point that follows from it and from the length of the series.
_MIN_RATE, _MAX_RATE = 1e-4, 1e-3
# More flagged points than both are normal for the series: none is replaced.
_MAX_SPIKES = 2
_MAX_SPIKE_FRACTION = 0.02
_MIN_RECURRENCES = 3  # of a spike in the last cycles, after which it is part of the season
_END_POINTS = 6  # several flagged points this close to the end may be a new level
# A new level is at most this many ranges of all other points from the expected value.
_MAX_LEVEL_RANGES = 10.0


@dataclass(frozen=True)
class _ImputedHistory:
    """A history with isolated spikes and dips replaced by their expected values."""

    history: History  # imputed, with the suggested periods unless others were detected
    # The same with the original last point, if that may be the first one of a new level: only this
    # point is an outlier, and no later point can decide.
    history_at_new_level: History | None
    spike_count: int  # points replaced
    periods: tuple[int, ...]  # the detected seasonal periods in steps, shortest first


def detect_last(
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Judge the last point of a series against its forecast from the points before.

    The arguments are as in ``detect``; the arrays have one entry. There are no change points, and
    at most one event, which includes the last point. The forecast uses the given period,
    the detected ones, or those that the calendar suggests; the detection reports the detected ones.
    """
    values = np.asarray(history.values, dtype=np.float64)
    dropped = max(0, len(values) - 1 - _MAX_POINTS)
    before = replace(
        history,
        values=values[dropped:-1],
        periods=suggested_periods(history, period),
        grid=history.grid and history.grid.without_first(dropped),
    )
    imputed = _impute_spikes(before, period)
    # Its one-step forecasts are as accurate as those of slower models.
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
    evidence = -float(np.log10(p_value[0]))
    return Detection(
        is_anomaly=is_anomaly,
        expected=np.array([expected]),
        lower=lower,
        upper=upper,
        p_value=p_value,
        severity=np.array([severity_of(evidence)]),
        events=_last_events(values, expected, evidence, is_anomaly, direction),
        periods=imputed.periods,
        notices=tuple(_notices_on(imputed, outer, false_alarm_rate)),
    )


def _impute_spikes(history: History, period: int | None) -> _ImputedHistory:
    """Replace isolated spikes and dips; keep level shifts, bursts and their starts.

    ``history`` has at least ``MIN_DETECTION_POINTS`` - 1 points; ``period`` is as in ``detect``.
    """
    rate = min(max(_FALSE_SPIKES_PER_SERIES / len(history.values), _MIN_RATE), _MAX_RATE)
    detection = detect(history, rate, period=period)
    is_spike = _isolated_spikes(detection, history.values)
    values = np.where(is_spike, detection.expected, history.values)
    are_known = set(detection.periods) <= set(history.periods)
    periods = history.periods if are_known else detection.periods
    imputed = replace(history, values=values, periods=periods)
    last = float(history.values[-1])
    # Quarters, because the range of the largest numbers overflows.
    max_jump = _MAX_LEVEL_RANGES * float(np.ptp(values / 4))
    history_at_new_level = None
    if is_spike[-1] and abs(last / 4 - values[-1] / 4) <= max_jump:
        history_at_new_level = replace(imputed, values=np.append(values[:-1], last))
    return _ImputedHistory(
        history=imputed,
        history_at_new_level=history_at_new_level,
        spike_count=int(is_spike.sum()),
        periods=detection.periods,
    )


def _notices_on(
    imputed: _ImputedHistory, forecast: Prediction, false_alarm_rate: float
) -> Iterator[str]:
    yield from forecast.provenance.notices
    yield from bound_notices(forecast.provenance.upper_bound)
    if imputed.spike_count:
        yield f"spikes before the last point were set aside: {imputed.spike_count}"
    points = len(imputed.history.values)
    if false_alarm_rate * points < 1:
        yield (
            f"{points} points before the last are too few for a false alarm rate of "
            f"{false_alarm_rate:g}, so the band is wide: send a longer history or a higher rate"
        )


def _isolated_spikes(detection: Detection, values: FloatArray) -> BoolArray:
    """Return whether each point is flagged, and in one of a few spikes or dips.

    What is flagged in each of the last cycles, three or more, is not isolated: after a change of
    clocks, the forecast needs the hours at which each day differs.
    """
    n = len(values)
    is_isolated = np.zeros(n, dtype=bool)
    for event in detection.events:
        span = slice(event.start, event.end + 1)
        is_flagged = detection.is_anomaly[span]
        is_decided = is_flagged.sum() == 1 or event.end < n - _END_POINTS
        if is_decided and event.kind in (EventKind.SPIKE, EventKind.DIP):
            is_isolated[span] = is_flagged
    sides = np.where(is_isolated, np.where(values > detection.expected, 1, -1), 0)
    for period in detection.periods:
        cycles = sides[n % period :].reshape(-1, period)[::-1]  # the last one first
        recurs = np.logical_and.accumulate((cycles == cycles[0]) & (cycles != 0))
        recurs &= recurs.sum(axis=0) >= _MIN_RECURRENCES
        is_isolated[n % period :] &= ~recurs[::-1].ravel()
    is_few = is_isolated.sum() <= max(_MAX_SPIKES, _MAX_SPIKE_FRACTION * n)
    return is_isolated if is_few else np.zeros(n, dtype=bool)


def _plausible_values(imputed: _ImputedHistory, forecast: float) -> tuple[float, float, float]:
    """Return the smallest, the expected and the largest plausible value.

    After a point that may be a spike or the start of a new level, the band covers both cases, and
    a forecast from the point weighs them.
    """
    if imputed.history_at_new_level is None:
        return forecast, forecast, forecast
    jump = float(imputed.history_at_new_level.values[-1] - imputed.history.values[-1])
    weighted = float(fit(imputed.history_at_new_level, 1, LIGHT_MODEL).median[0])
    futures = (forecast, forecast + jump, weighted)
    return min(futures), weighted, max(futures)


def _last_events(
    values: FloatArray,
    expected: float,
    evidence: float,
    is_anomaly: BoolArray,
    direction: Direction,
) -> tuple[Event, ...]:
    """Return the event that includes the last point, if any: a flat run or the point itself."""
    last = len(values) - 1
    is_last = np.arange(len(values)) == last
    scaled_residual = np.where(values > expected, 1.0, -1.0)
    flat = [run for run in find_flat_runs(values) if run.end == last]
    return find_events(scaled_residual, evidence * is_last, is_last & is_anomaly, direction, flat)
