"""The entry points: a history, or many series, and a false alarm rate in, a detection out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.anomalies.change_points import describe_steps
from app.anomalies.events import find_events
from app.anomalies.results import (
    AnomalousSegment,
    ChangePoint,
    Detection,
    Detections,
    Direction,
    severity_of,
)
from app.anomalies.series_fit import fit_values_or_logs
from app.anomalies.surge_learning import learn_surges
from app.anomalies.surges import find_unusual_surges, surge_evidence
from app.anomalies.tail import MIN_P_VALUE, Tails, fit_tail, is_outside_band, reconcile_p_values
from app.anomalies.units import NEGLIGIBLE
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.numbers import without_negative_zero
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MIN_DETECTION_POINTS = 12  # endpoints may ask for more
# The expected number of exceedances in a clean series for its noise to be informative.
_MIN_EXPECTED_EXCEEDANCES = 0.2
# The largest fraction of the times that a surge recurs which may be anomalies.
_MAX_UNLIKE_FRACTION = 0.25


class _Bands(NamedTuple):
    """The bands of a series and what they were made from; arrays of shape (n,)."""

    lower: FloatArray
    expected: FloatArray
    upper: FloatArray
    scaled: FloatArray  # the residuals, in units of their usual size
    tails: Tails  # of them
    changes: tuple[ChangePoint, ...] = ()
    segments: Sequence[AnomalousSegment] = ()
    periods: tuple[int, ...] = ()


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
    suggested = history.periods if period is None else (period,) if period else ()
    surges, is_in_surge = learn_surges(values, suggested, _MAX_UNLIKE_FRACTION)
    index = np.arange(len(values))
    calm = np.interp(index, index[~is_in_surge], values[~is_in_surge])
    fitted = _fit_bands(calm, history.periods, period, is_in_surge, false_alarm_rate, direction)
    lower, expected, upper, scaled, tails, *_ = fitted
    widths = surges.raise_bands(values, lower, expected, upper)
    evidence = [
        surge_evidence(width) * direction.has_side(width > 0)
        for width in widths[is_in_surge].tolist()
    ]
    is_flagged = is_outside_band(values, lower, upper, direction)
    p_value = tails.p_value(scaled, direction)
    p_value[is_in_surge] = np.maximum(10.0 ** -np.array(evidence), MIN_P_VALUE)
    p_value = reconcile_p_values(p_value, is_flagged, false_alarm_rate)
    side = np.where(values > upper, 1.0, np.where(values < lower, -1.0, 0.0))
    # A flagged value is on the side of the band where it lies, despite rounding.
    scaled[is_in_surge] = widths[is_in_surge]
    residual = np.where(is_flagged, side * np.abs(scaled), scaled)
    improbability = tails.improbability(residual)
    improbability[is_in_surge] = evidence
    improbability = np.where(is_flagged, improbability, -np.log10(p_value))
    segments = [*fitted.segments, *find_unusual_surges(widths, is_in_surge, is_flagged)]
    events = find_events(residual, improbability, is_flagged, direction, segments, fitted.changes)
    return Detection(
        is_anomaly=is_flagged,
        expected=expected,
        lower=lower,
        upper=upper,
        p_value=p_value,
        severity=np.array([severity_of(value) for value in improbability.tolist()]),
        events=events,
        change_points=fitted.changes,
        periods=tuple(sorted({*fitted.periods, *surges.periods})),
        notices=_notices(len(values), false_alarm_rate),
    )


def _fit_bands(
    values: FloatArray,
    suggested: tuple[int, ...],
    period: int | None,
    is_left_out: BoolArray,
    false_alarm_rate: float,
    direction: Direction,
) -> _Bands:
    """Return the bands of a series without recurring surges, shape (n,).

    The arguments are as in `fit_values_or_logs` and `detect`.
    """
    best = fit_values_or_logs(values, suggested, period, is_left_out)
    if best is None:  # a constant series: its noise is unknown, and the band has no width
        return _Bands(values.copy(), values.copy(), values.copy(), np.zeros(len(values)), Tails())
    units, fitted = best
    sample = fitted.scaled_residual[~fitted.is_excluded]
    tails = Tails(fit_tail(sample), fit_tail(-sample))
    below, above = tails.limits(false_alarm_rate, direction)
    lower = fitted.expected - np.maximum(fitted.scale * below, NEGLIGIBLE)
    upper = fitted.expected + np.maximum(fitted.scale * above, NEGLIGIBLE)
    return _Bands(
        lower=units.to_values(lower),
        expected=units.to_values(fitted.expected),
        upper=units.to_values(upper),
        scaled=fitted.scaled_residual,
        tails=tails,
        changes=describe_steps(fitted.without_season, fitted.level_steps, units),
        segments=fitted.segments,
        periods=fitted.periods,
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
    is_known = np.isfinite(series_values)
    filled = np.interp(np.arange(points), np.flatnonzero(is_known), series_values[is_known])
    if is_known.sum() < _MIN_DETECTION_POINTS:
        is_anomaly = np.zeros(points, dtype=np.bool_)
        return Detections(expected=filled, lower=filled, upper=filled, is_anomaly=is_anomaly)
    detection = detect(History(filled, periods, frequency), false_alarm_rate)
    return Detections(
        expected=without_negative_zero(detection.expected),
        lower=without_negative_zero(detection.lower),
        upper=without_negative_zero(detection.upper),
        is_anomaly=detection.is_anomaly & is_known,
    )


def _notices(length: int, false_alarm_rate: float) -> tuple[str, ...]:
    if length * false_alarm_rate >= _MIN_EXPECTED_EXCEEDANCES:
        return ()
    needed = int(np.ceil(_MIN_EXPECTED_EXCEEDANCES / false_alarm_rate))
    return (
        f"{length} points are few for a false alarm rate of {false_alarm_rate:g}, so anomalies may "
        f"be missed: send {needed} points or more, or a higher rate",
    )
