"""The entry points: a history, or many series, and a false alarm rate in, a detection out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from app.anomalies.change_points import describe_steps, find_jumps
from app.anomalies.events import find_events
from app.anomalies.results import (
    AnomalousSegment,
    BatchDetection,
    ChangePoint,
    Detection,
    Direction,
    severity_of,
)
from app.anomalies.seasons import SearchedPeriods
from app.anomalies.series_fit import fit_values_or_logs
from app.anomalies.surge_learning import learn_surges
from app.anomalies.surges import Bands, find_flagged_surges, surge_evidence
from app.anomalies.tail import MIN_P_VALUE, Tails, fit_tail, is_outside_band, reconcile_p_values
from app.anomalies.units import NEGLIGIBLE
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.numbers import without_negative_zero
from app.timeseries.types import BoolArray, FloatArray, IntArray

MIN_DETECTION_POINTS = 12  # endpoints may ask for more
# The expected number of exceedances in a clean series for its noise to be informative.
_MIN_EXPECTED_EXCEEDANCES = 0.2
# Of the times that a surge recurs at most this fraction may be anomalies.
_MAX_UNLIKE_FRACTION = 0.25
_FAR_SIGMAS = 5.0  # a residual as large is hardly ever noise


class _SurgeFreeFit(NamedTuple):
    """The fit of a series without its recurring surges; arrays of shape (n,)."""

    bands: Bands
    scaled: FloatArray  # the residuals, in units of their typical size
    tails: Tails  # of the scaled residuals
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
        history: At least ``MIN_DETECTION_POINTS`` finite values, and the seasonal periods that the
            calendar suggests, which are used if the values show them.
        false_alarm_rate: Fraction of points of a clean series that may be flagged, 0.0001 to 0.1.
        direction: The sides on which points are flagged. With one side the rate applies to it.
        period: The seasonal period in steps, if known; 0: none; None: detect it.

    Returns:
        The detection, with arrays as long as ``history.values``; the same arguments give the same
        numbers.
    """
    values = np.asarray(history.values, dtype=np.float64)
    tested = suggested_periods(history, period)
    surges, is_in_surge = learn_surges(values, tested, _MAX_UNLIKE_FRACTION)
    searched = history.periods if period is None else period
    fitted = _fit_without_surges(values, is_in_surge, searched, false_alarm_rate, direction)
    bands, widths = surges.raise_bands(values, fitted.bands)
    is_anomaly = is_outside_band(values, bands.lower, bands.upper, direction)
    evidence_of_surges = [
        surge_evidence(width) * direction.has_side(width > 0)
        for width in widths[is_in_surge].tolist()
    ]
    p_value = fitted.tails.p_value(fitted.scaled, direction)
    p_value[is_in_surge] = np.maximum(10.0 ** -np.array(evidence_of_surges), MIN_P_VALUE)
    p_value = reconcile_p_values(p_value, is_anomaly, false_alarm_rate)
    scaled = np.where(is_in_surge, widths, fitted.scaled)
    # A flagged value is on the side of the band where it lies, despite rounding.
    side = np.where(values > bands.upper, 1.0, -1.0)
    residual = np.where(is_anomaly, side * np.abs(scaled), scaled)
    evidence = fitted.tails.evidence(residual)
    evidence[is_in_surge] = evidence_of_surges
    evidence = np.where(is_anomaly, evidence, -np.log10(p_value))
    changes = fitted.changes
    if not fitted.periods:  # those of a season would be jumps, too
        changes = find_jumps(values, residual, np.where(is_anomaly, evidence, 0.0), changes)
    segments = [*fitted.segments, *find_flagged_surges(widths, is_in_surge, is_anomaly)]
    return Detection(
        is_anomaly=is_anomaly,
        expected=bands.expected,
        lower=bands.lower,
        upper=bands.upper,
        p_value=p_value,
        severity=np.array([severity_of(value) for value in evidence.tolist()]),
        events=find_events(residual, evidence, is_anomaly, direction, segments, changes),
        change_points=changes,
        periods=tuple(sorted({*fitted.periods, *surges.periods})),
        notices=_rate_notices(len(values), false_alarm_rate),
    )


def suggested_periods(history: History, period: int | None) -> tuple[int, ...]:
    """Return the given period, nothing for 0 or 1, or for None those that the calendar suggests."""
    if period is None:
        return history.periods
    return (period,) if period > 1 else ()


def _fit_without_surges(
    values: FloatArray,
    is_in_surge: BoolArray,
    periods: SearchedPeriods,
    false_alarm_rate: float,
    direction: Direction,
) -> _SurgeFreeFit:
    """Fit a series (n,) with its recurring surges interpolated.

    The arguments are as in `fit_values_or_logs` and `detect`.
    """
    index = np.arange(len(values))
    without = np.interp(index, index[~is_in_surge], values[~is_in_surge])
    best = fit_values_or_logs(without, periods, is_in_surge, has_edges=True)
    if best is None:  # a constant series: its noise is unknown, and the band has no width
        return _SurgeFreeFit(Bands(without, without, without), np.zeros(len(values)), Tails())
    units, fitted = best
    sample = _count_run_once(fitted.scaled_residual[~fitted.is_excluded])
    tails = Tails(fit_tail(sample), fit_tail(-sample))
    below, above = tails.limits(false_alarm_rate, direction)
    lower = fitted.expected - np.maximum(fitted.scale * below, NEGLIGIBLE)
    upper = fitted.expected + np.maximum(fitted.scale * above, NEGLIGIBLE)
    return _SurgeFreeFit(
        bands=Bands(*map(units.to_values, (lower, fitted.expected, upper))),
        scaled=fitted.scaled_residual,
        tails=tails,
        changes=describe_steps(fitted.without_season, fitted.level_steps, units),
        segments=fitted.segments,
        periods=fitted.periods,
    )


def _count_run_once(scaled: FloatArray) -> FloatArray:
    """Return residuals (n,); of the only run that is far out on a side, its farthest point only.

    Else the points of one outage would be a tail that is normal for the series. Where others are
    far out on its side as well, they may be.
    """
    is_counted = np.ones(len(scaled), dtype=np.bool_)
    for sign in (1, -1):
        is_far = sign * scaled > _FAR_SIGMAS
        if np.count_nonzero(np.diff(is_far, prepend=False) & is_far) == 1:
            is_counted &= ~is_far
            is_counted[np.argmax(sign * scaled)] = True
    return scaled[is_counted]


def detect_many(
    frequency: Frequency,
    periods: tuple[int, ...],
    false_alarm_rate: float,
    values: FloatArray,
    sizes: IntArray,
) -> BatchDetection:
    """Judge every point of each series against all its others, as `detect` does.

    ``values`` are the series, concatenated, NaN where missing; each has a finite value. ``sizes``
    are their numbers of points. A missing value is never an anomaly, nor is any point of a series
    with fewer than ``MIN_DETECTION_POINTS`` values.
    """
    parts = np.split(values, np.cumsum(sizes)[:-1])
    histories = [History(part, periods, frequency) for part in parts]
    return BatchDetection.join([_detect_filled(history, false_alarm_rate) for history in histories])


def _detect_filled(history: History, false_alarm_rate: float) -> BatchDetection:
    """Judge a history whose values may be NaN: these are interpolated, and never anomalies."""
    index, is_known = np.arange(len(history.values)), np.isfinite(history.values)
    filled = np.interp(index, index[is_known], history.values[is_known])
    if is_known.sum() < MIN_DETECTION_POINTS:
        return BatchDetection(filled, filled, filled, np.zeros(len(filled), dtype=np.bool_))
    detection = detect(replace(history, values=filled), false_alarm_rate)
    return BatchDetection(
        expected=without_negative_zero(detection.expected),
        lower=without_negative_zero(detection.lower),
        upper=without_negative_zero(detection.upper),
        is_anomaly=detection.is_anomaly & is_known,
    )


def _rate_notices(length: int, false_alarm_rate: float) -> tuple[str, ...]:
    if length * false_alarm_rate >= _MIN_EXPECTED_EXCEEDANCES:
        return ()
    needed = int(np.ceil(_MIN_EXPECTED_EXCEEDANCES / false_alarm_rate))
    return (
        f"{length} points are few for a false alarm rate of {false_alarm_rate:g}, so anomalies may "
        f"be missed: send {needed} points or more, or a higher rate",
    )
