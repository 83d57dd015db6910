"""The entry points: a history, or many series, and a false alarm rate in, a detection out."""

import numpy as np

from app.anomalies.change_points import describe_steps
from app.anomalies.events import find_events
from app.anomalies.results import Detection, Detections, Direction, severity_of
from app.anomalies.series_fit import fit_values_or_logs
from app.anomalies.tail import Tails, fit_tail, is_outside_band, reconcile_p_values
from app.anomalies.units import NEGLIGIBLE
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.numbers import without_negative_zero
from app.timeseries.types import FloatArray, IntArray

_MIN_DETECTION_POINTS = 12  # endpoints may ask for more
# The expected number of exceedances in a clean series for its noise to be informative.
_MIN_EXPECTED_EXCEEDANCES = 0.2


def detect(
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Judge every point of a series against all the others.

    Args:
        history: At least ``_MIN_DETECTION_POINTS`` finite values, and the seasonal periods that the
            calendar suggests, which are used if the values show them.
        false_alarm_rate: Fraction of points of a clean series that may be flagged, 0.0001 to 0.1.
        direction: The sides on which points are flagged. With one side the rate applies to it.
        period: The seasonal period in steps, if known; 0: none; None: detect it.

    Returns:
        The detection, with arrays as long as ``history.values``; the same arguments give the same
        numbers.
    """
    values = np.asarray(history.values, dtype=np.float64)
    best = fit_values_or_logs(values, history.periods, period)
    if best is None:  # a constant series: its noise is unknown, and nothing is flagged
        return Detection(
            is_anomaly=np.zeros(len(values), dtype=np.bool_),
            expected=values,
            lower=values,
            upper=values,
            p_value=np.ones(len(values)),
            severity=np.zeros(len(values)),
        )
    units, fitted = best
    sample = fitted.scaled_residual[~fitted.excluded]
    tails = Tails(fit_tail(sample), fit_tail(-sample))
    below, above = tails.limits(false_alarm_rate, direction)
    lower = units.to_values(fitted.expected - np.maximum(fitted.scale * below, NEGLIGIBLE))
    upper = units.to_values(fitted.expected + np.maximum(fitted.scale * above, NEGLIGIBLE))
    flagged = is_outside_band(values, lower, upper, direction)
    p_value = reconcile_p_values(
        tails.p_value(fitted.scaled_residual, direction), flagged, false_alarm_rate
    )
    changes = describe_steps(fitted.without_season, fitted.level_steps, units)
    side = np.where(values > upper, 1.0, np.where(values < lower, -1.0, 0.0))
    # A flagged value is on the side of the band where it lies, despite rounding.
    residual = np.where(flagged, side * np.abs(fitted.scaled_residual), fitted.scaled_residual)
    improbability = np.where(flagged, tails.improbability(residual), -np.log10(p_value))
    return Detection(
        is_anomaly=flagged,
        expected=units.to_values(fitted.expected),
        lower=lower,
        upper=upper,
        p_value=p_value,
        severity=np.array([severity_of(value) for value in improbability.tolist()]),
        events=find_events(residual, improbability, flagged, direction, changes, fitted.segments),
        change_points=changes,
        periods=fitted.periods,
        notices=_notices(len(values), false_alarm_rate),
    )


def detect_many(
    frequency: Frequency,
    periods: tuple[int, ...],
    false_alarm_rate: float,
    values: FloatArray,
    sizes: IntArray,
) -> Detections:
    """Judge every point of each series against all its others.

    Args:
        frequency: The spacing of all series.
        periods: The seasonal periods that the calendar suggests, in steps.
        false_alarm_rate: Fraction of points of a clean series that may be flagged, 0.0001 to 0.1.
        values: The series, concatenated, NaN where missing; each has a finite value.
        sizes: The number of points of each series.

    Returns:
        The detections. A missing value is never an anomaly, nor is any point of a series with fewer
        than ``_MIN_DETECTION_POINTS`` values.
    """
    return Detections.join(
        [
            _detect_filled(frequency, periods, false_alarm_rate, series_values)
            for series_values in np.split(values, np.cumsum(sizes)[:-1])
        ]
    )


def _detect_filled(
    frequency: Frequency,
    periods: tuple[int, ...],
    false_alarm_rate: float,
    series_values: FloatArray,
) -> Detections:
    points = len(series_values)
    known = np.isfinite(series_values)
    filled = np.interp(np.arange(points), np.flatnonzero(known), series_values[known])
    if known.sum() < _MIN_DETECTION_POINTS:
        nothing = np.zeros(points, dtype=np.bool_)
        return Detections(expected=filled, lower=filled, upper=filled, is_anomaly=nothing)
    seen = detect(History(filled, periods, frequency), false_alarm_rate)
    return Detections(
        expected=without_negative_zero(seen.expected),
        lower=without_negative_zero(seen.lower),
        upper=without_negative_zero(seen.upper),
        is_anomaly=seen.is_anomaly & known,
    )


def _notices(length: int, false_alarm_rate: float) -> tuple[str, ...]:
    if length * false_alarm_rate >= _MIN_EXPECTED_EXCEEDANCES:
        return ()
    needed = int(np.ceil(_MIN_EXPECTED_EXCEEDANCES / false_alarm_rate))
    return (
        f"{length} points are few for a false alarm rate of {false_alarm_rate:g}, so anomalies may "
        f"be missed: send {needed} points or more, or a higher rate",
    )
