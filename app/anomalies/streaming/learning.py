"""Learn a stream from its stored points, in an engine process.

The whole-series fit gives units, seasons and level steps. An autoregression of the residuals is
fitted robustly. Then the forecaster runs over the latest points once: its errors are the sample for
the tails, and judging continues from its last state.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from app.anomalies.change_points import LevelStep, step_levels
from app.anomalies.results import MIN_LEVEL_POINTS, Direction
from app.anomalies.seasons import SeasonalProfile
from app.anomalies.series_fit import SeriesFit, fit_values_or_logs, is_mostly_repeated
from app.anomalies.streaming.bounds import ValueBounds, find_idle_counts
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import (
    MAX_LEARNED_POINTS,
    LearningContext,
    StreamFit,
    fit_autoregression,
)
from app.anomalies.streaming.forecaster import BURST_POINTS, SLOPE_POINTS, Forecaster, ForecastStep
from app.anomalies.streaming.statistic_tails import fit_tails, phase_ratios, shape_margin
from app.anomalies.surge_learning import learn_surges
from app.anomalies.tail import STREAM_CONTAMINATION, Tail, Tails, count_gross_outliers
from app.anomalies.units import NEGLIGIBLE, Units
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MAX_SIMULATED_POINTS = 4_000  # the newest points, which the forecaster passes over
_WARM_UP_DIVISOR = 5  # the first fifth of the forecaster's errors does not count
_MAX_WARM_UP_POINTS = 100  # the most that are left out
# A series with fewer errors has this tail, in mean errors: 8 at a rate of 0.1 %, twice the value of
# normal noise, because the mean of a few errors is uncertain.
_MIN_ERRORS, _SHORT_HISTORY_TAIL = 20, Tail(scale=0.7, shape=0.1)
# Values are clipped this many times the distance of these quantiles beyond them.
_CORE_QUANTILES, _PAD_RANGES = (0.001, 0.999), 3.0
# The smallest scale, as a fraction of the typical error. In an idle series it is the typical error,
# as long calm parts say nothing about its next move.
_MIN_SCALE_FRACTION = 0.1
# A deviation that is small compared with all values, as in a trend, is not an anomaly.
_MIN_SCALE_UNITS = 4e-3
# The latest points, which may be the first of a new level, however far out they are.
_UNDECIDED_POINTS = 3
# The first level is the median of a tenth of the points, within these bounds.
_FIRST_LEVEL_POINTS = (20, 200)
# The unit of a series that never moved, as a fraction of its value. Half of a smaller unit than the
# minimum could be 0.
_CONSTANT_UNIT_FRACTION, _MIN_UNIT = 1e-9, 1e-300


class _Decomposition(NamedTuple):
    """The parts of a history; arrays of shape (n,)."""

    units: Units
    values: FloatArray  # without missing ones and recurring surges
    scaled: FloatArray  # the values in units
    season: FloatArray
    profiles: tuple[SeasonalProfile, ...]  # of the season, shortest first
    levels: list[tuple[int, float]]  # the index and the level of the first point after each step
    is_excluded: BoolArray  # whether each value is missing, in a surge or anomalous

    @property
    def deseasonalized(self) -> FloatArray:
        return self.scaled - self.season


def learn_stream(
    values: FloatArray, suggested: tuple[int, ...], context: LearningContext
) -> tuple[StreamFit, Forecaster]:
    """Fit a stream.

    Each part is learned without those before it: recurring surges, seasons and levels, the
    autoregression, the size of its errors in each phase, and the tails of the rest.

    Args:
        values: The latest values, oldest first, shape (n,), NaN where points are missing.
        suggested: Seasonal periods in steps that the calendar suggests, shortest first.
        context: What the detector knows about the values.

    Returns:
        The fit, and the forecaster at the time of the context.
    """
    values = values[-MAX_LEARNED_POINTS:]
    surges, is_in_surge = learn_surges(values, suggested)
    is_missing = np.isnan(values)
    parts = _decompose_history(values, is_missing | is_in_surge, suggested, context)
    fit = _fit_without_tails(parts)
    fit.origin, fit.surges = context.time - len(values), surges
    fit.bounds = ValueBounds.of(values[~is_missing], is_seasonal=bool(fit.periods))
    if not fit.periods:
        fit.bounds.idle_count, fit.bounds.frequent_count = find_idle_counts(parts.values)
    forecaster, steps = _run_forecaster(fit, parts)
    error_ratio = _error_ratio(fit, parts)
    forecaster.scale *= error_ratio
    forecaster.spread *= error_ratio
    steps = steps[min(len(steps) // _WARM_UP_DIVISOR, _MAX_WARM_UP_POINTS) :]
    new_points = 0 if context.is_uncertain else context.level_points
    is_kept = _informative_points(parts.is_excluded, new_points)[len(values) - len(steps) :]
    if is_kept.sum() < _MIN_ERRORS:
        fit.tails.errors = Tails(_SHORT_HISTORY_TAIL, _SHORT_HISTORY_TAIL)
        return fit, forecaster
    contamination = 0.0 if context.is_uncertain else STREAM_CONTAMINATION
    error = _learn_tails(fit, parts, steps, is_kept, error_ratio, contamination)
    # The points that were learned from cannot begin a burst.
    forecaster.sizes = np.minimum(np.abs(error)[-BURST_POINTS:], 1.0).tolist()
    return fit, forecaster


def learn_history(
    values: FloatArray, periods: tuple[int, ...], false_alarm_rate: float, direction: Direction
) -> bytes:
    """Return the state of a new detector that has learned from a history, shape (n,).

    The other arguments are as in ``StreamDetector``.
    """
    latest = values[-MAX_LEARNED_POINTS:]
    missing = int(np.isnan(latest).sum())
    detector = StreamDetector(
        periods, false_alarm_rate, direction, time=len(latest), missing_points=missing
    )
    if detector.needs_fit:
        detector.learn(*learn_stream(latest, periods, LearningContext(detector.time)))
    detector.learn_runs(latest[~np.isnan(latest)].tolist())
    return detector.to_bytes()


def _decompose_history(
    values: FloatArray, is_left_out: BoolArray, suggested: tuple[int, ...], context: LearningContext
) -> _Decomposition:
    n, indices = len(values), np.arange(len(values))
    filled = np.interp(indices, indices[~is_left_out], values[~is_left_out])
    best = fit_values_or_logs(filled, suggested)
    if best is None:
        centre, zeros = float(filled[-1]), np.zeros(n)
        unit = max(_CONSTANT_UNIT_FRACTION * (abs(centre) or 1.0), _MIN_UNIT)
        units = Units(centre, unit, is_log=False)
        return _Decomposition(units, filled, zeros, zeros, (), [], is_left_out)
    units, fitted = best
    scaled = units.to_units(filled)
    low, high = np.quantile(scaled, _CORE_QUANTILES)
    pad = _PAD_RANGES * max(float(high - low), NEGLIGIBLE)
    scaled = np.clip(scaled, low - pad, high + pad)
    is_excluded = is_left_out
    if not context.is_uncertain:
        is_excluded = fitted.is_excluded | is_left_out
        gross = _gross_outliers(fitted)
        gross = gross[gross < n - _UNDECIDED_POINTS]
        is_excluded[gross], scaled[gross] = True, fitted.expected[gross]
    return _Decomposition(
        units=replace(units, unit=max(units.unit, _MIN_UNIT)),
        values=filled,
        scaled=scaled,
        season=fitted.season,
        profiles=fitted.profiles,
        levels=_first_levels(fitted, context.level_points),
        is_excluded=is_excluded,
    )


def _gross_outliers(fitted: SeriesFit) -> IntArray:
    """Return the indices of the few points that the tails of the others do not expect."""
    kept = np.flatnonzero(~fitted.is_excluded)
    order = kept[np.argsort(fitted.scaled_residual[kept])]
    sample = fitted.scaled_residual[order]
    above = count_gross_outliers(sample, STREAM_CONTAMINATION)
    below = count_gross_outliers(-sample[::-1], STREAM_CONTAMINATION)
    return np.concatenate([order[:below], order[len(order) - above :]])


def _first_levels(fitted: SeriesFit, level_points: int) -> list[tuple[int, float]]:
    """Return the index and the level of the first point after each step, known ones included."""
    level_steps, begin = fitted.level_steps, len(fitted.without_season) - level_points
    is_known = any(abs(step.index - begin) < MIN_LEVEL_POINTS for step in level_steps)
    if level_points > 0 and begin > 0 and not is_known:
        level_steps = [*(step for step in level_steps if step.index < begin), LevelStep(begin, 0.0)]
    levels = step_levels(fitted.without_season, level_steps)
    return [(step.index, float(levels[step.index])) for step in level_steps]


def _fit_without_tails(parts: _Decomposition) -> StreamFit:
    units, periods = parts.units, [float(profile.period) for profile in parts.profiles]
    base = float(np.median(parts.deseasonalized[parts.levels[-1][0] if parts.levels else 0 :]))
    decided = _decided_values(parts.deseasonalized)
    lags, weights = fit_autoregression(decided - base, round(periods[0]) if periods else 0)
    fraction = 1.0 if is_mostly_repeated(parts.scaled) else _MIN_SCALE_FRACTION
    return StreamFit(
        centre=units.centre,
        unit=units.unit,
        is_log=units.is_log,
        base=base,
        min_scale=max(fraction * _mean_difference(decided), _MIN_SCALE_UNITS),
        periods=periods,
        profile_sizes=tuple(len(profile.values) for profile in parts.profiles),
        profile=[value for profile in parts.profiles for value in profile.values.tolist()],
        lags=lags,
        weights=weights,
    )


def _run_forecaster(fit: StreamFit, parts: _Decomposition) -> tuple[Forecaster, list[ForecastStep]]:
    """Return the forecaster after a pass over the latest points, and their steps.

    Excluded points are stepped over, but not at the end of the series.
    """
    deseasonalized, is_excluded = parts.deseasonalized, parts.is_excluded
    n = len(deseasonalized)
    begin = max(0, n - _MAX_SIMULATED_POINTS)
    reach = max(fit.lags[-1], SLOPE_POINTS) + 1
    recent = deseasonalized[max(0, begin + 1 - reach) : begin + 1].tolist()
    first_level_points = max(_FIRST_LEVEL_POINTS[0], min(_FIRST_LEVEL_POINTS[1], n // 10))
    decided = _decided_values(deseasonalized)
    scale = _mean_difference(decided)
    forecaster = Forecaster(
        time=fit.origin + begin + 1,
        recent=[recent[0]] * (reach - len(recent)) + recent,
        medium=recent[-1],
        last=recent[-1],
        level=float(np.median(deseasonalized[begin : begin + first_level_points])),
        scale=scale,
        spread=float(np.abs(decided - np.median(decided)).mean()),
    )
    forecaster.errors = [scale] * len(forecaster.errors)
    # A new level is known once it has lasted.
    known_levels = {index + MIN_LEVEL_POINTS: level for index, level in parts.levels}
    steps = []
    # A deviation at the end may continue: the next forecasts follow it.
    ended = int(np.flatnonzero(~is_excluded)[-1]) if not is_excluded.all() else 0
    for index, value in enumerate(parts.scaled[begin + 1 :].tolist(), begin + 1):
        if index in known_levels:
            forecaster.shift_level(known_levels[index])
        if is_excluded[index] and index < ended:
            forecaster.step(fit, None)
            steps.append(ForecastStep())
        else:
            steps.append(forecaster.step(fit, value))
    if parts.levels:
        forecaster.shift_level(parts.levels[-1][1])
    return forecaster, steps


def _error_ratio(fit: StreamFit, parts: _Decomposition) -> float:
    """Return the size of errors to come over that of those that were learned from."""
    n = len(parts.values)
    learned = len(fit.lags) + sum(profile.freedom for profile in parts.profiles)
    return math.sqrt((n + learned) / max(1.0, n - learned))


def _mean_difference(values: FloatArray) -> float:
    return float(np.abs(np.diff(values)).mean()) if len(values) > 1 else 0.0


def _decided_values(values: FloatArray) -> FloatArray:
    """Return the values (n,) without the latest ones, which may be the first of a new level."""
    return values[: max(2, len(values) - _UNDECIDED_POINTS)]


def _informative_points(is_excluded: BoolArray, level_points: int) -> BoolArray:
    """Return whether the tails learn from each point (n,).

    The start of a new level was reported, and says nothing about the next one.
    """
    is_kept = ~is_excluded
    begin = len(is_kept) - level_points  # below 0 for a level that began before the history
    if begin >= 0:
        is_kept[begin : begin + MIN_LEVEL_POINTS] = False
    return is_kept


def _learn_tails(
    fit: StreamFit,
    parts: _Decomposition,
    steps: list[ForecastStep],
    is_kept: BoolArray,
    error_ratio: float,
    contamination: float,
) -> FloatArray:
    """Learn the phases of the fit, then its tails, which are relative to them, then its losses.

    Args:
        fit: The fit without them.
        parts: The parts of the history, shape (n,).
        steps: The forecaster's m latest steps.
        is_kept: Whether to learn from each of them, shape (m,).
        error_ratio: As of `_error_ratio`.
        contamination: The fraction of the values that may be anomalies.

    Returns:
        The errors of the steps, in typical errors of their phase, shape (m,).
    """
    n, begin = len(parts.values), len(parts.values) - len(steps)
    columns = dict(zip(ForecastStep._fields, np.array(steps).T, strict=True))
    error = columns["error"] / columns["scale"]
    fit.phases = phase_ratios(error, is_kept, begin, fit.periods)
    phases = np.array([fit.phase_at(fit.origin + index) for index in range(n)])
    error = error / phases[begin:]
    distance = (parts.deseasonalized - fit.base) * error_ratio / phases
    margin = shape_margin(np.abs(error[is_kept]), contamination)
    fit.tails = fit_tails(columns, error, distance, is_kept, contamination, margin)
    levels = np.vectorize(fit.to_values)(columns["level"] + parts.season[begin:])
    fit.bounds.learn_losses(parts.values[begin:][is_kept], levels[is_kept], contamination, margin)
    return np.asarray(error)
