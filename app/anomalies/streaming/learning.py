"""Learn a stream from its stored points, in a process of the engine.

The whole-series fit gives units, seasons and level steps. An autoregression of the residuals is
fitted robustly. Then the forecaster runs over the latest points once: its errors are the sample for
the tails, and judging continues from its last state.
"""

import math
from typing import NamedTuple

import numpy as np

from app.anomalies.change_points import LevelStep, step_levels
from app.anomalies.results import MIN_LEVEL_POINTS, Direction
from app.anomalies.scale import phase_factors
from app.anomalies.series_fit import SeriesFit, fit_values_or_logs, is_mostly_repeated
from app.anomalies.streaming.bounds import learn_bounds, learn_idle_count, learn_losses
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import (
    CONTAMINATION_FRACTION,
    MAX_LEARNED_POINTS,
    MIN_ERROR_TAIL,
    StreamFit,
    fit_autoregression,
    shape_margin,
)
from app.anomalies.streaming.forecaster import BURST_POINTS, SLOPE_POINTS, Forecaster, ForecastStep
from app.anomalies.streaming.jobs import learn_jobs
from app.anomalies.tail import Tail, count_gross_outliers, fit_tail
from app.anomalies.units import NEGLIGIBLE
from app.timeseries.robust import mad_sigma
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MAX_SIMULATED_POINTS = 4_000  # the newest, which the forecaster passes over
_WARM_UP_DIVISOR = 5  # the first fifth of its errors does not count
_MAX_WARM_UP_POINTS = 100
_MIN_ERRORS = 20  # in a sample that a tail can be fitted to
# The tail of the errors of such a series, in mean errors: 8 at a rate of 0.1 %, twice the value of
# normal noise, because the mean of a few errors is uncertain.
_YOUNG_SCALE, _YOUNG_SHAPE = 0.7, 0.1
_CORE_QUANTILES = (0.001, 0.999)
_PAD_RANGES = 3.0  # beyond these quantiles, in their distances: the clip of values
# Of the usual error, all of which is the scale of an idle series: long calm parts say nothing about
# its next move.
_MIN_SCALE_FRACTION = 0.1
# A deviation that is small beside all values, as in a trend, is not an anomaly.
_MIN_SCALE_UNITS = 4e-3
# The latest points, which may be the first of a new level, however far out they are.
_UNDECIDED_POINTS = 3
# The first level is the median of a tenth of the points, within these bounds.
_FIRST_LEVEL_POINTS = (20, 200)
_PHASE_CLIP_SIGMAS = 3.0  # the clip of errors before the size of each phase is learned
_MIN_PHASE_CYCLES = 2
# The unit of a series that never moved, as a share of its value.
_CONSTANT_UNIT_FRACTION = 1e-9
# Half of a smaller unit could be 0.
_MIN_UNIT = 1e-300


class _Decomposition(NamedTuple):
    """The parts of a history; arrays of shape (n,)."""

    scaled: FloatArray  # the values in units
    season: FloatArray
    levels: list[tuple[int, float]]  # the index and the level of the first point after each step
    excluded: BoolArray  # whether each value is anomalous
    freedom: float  # the number of free parameters of the season


def learn_stream(
    values: FloatArray,
    suggested: tuple[int, ...],
    time: int,
    level_points: int = 0,
    is_uncertain: bool = False,
) -> tuple[StreamFit, Forecaster]:
    """Fit a stream.

    Args:
        values: The latest values, oldest first, shape (n,), NaN where points are missing.
        suggested: Seasonal periods in steps that the calendar suggests, shortest first.
        time: The time of the step after the last value.
        level_points: The number of latest values that are at a new level, 0 if unknown.
        is_uncertain: Whether no value may count as an anomaly: the model was wrong recently.

    Returns:
        The fit, and the forecaster at ``time``.
    """
    values = values[-MAX_LEARNED_POINTS:]
    fit = StreamFit()
    fit.origin = time - len(values)
    learn_bounds(fit, values[~np.isnan(values)])
    n, index = len(values), np.arange(len(values))
    is_left_out = np.isnan(values) | learn_jobs(fit, values, suggested)
    values = np.interp(index, index[~is_left_out], values[~is_left_out])
    parts = _decompose(fit, values, suggested, level_points, is_uncertain=is_uncertain)
    levels = parts.levels
    learn_idle_count(fit, values)
    deseasonalized = parts.scaled - parts.season
    fit.base = float(np.median(deseasonalized[levels[-1][0] :] if levels else deseasonalized))
    fit_autoregression(fit, deseasonalized[: max(2, n - _UNDECIDED_POINTS)])
    excluded = is_left_out if is_uncertain else parts.excluded | is_left_out
    forecaster, steps = _simulate(fit, parts.scaled, deseasonalized, levels, excluded)
    kept = ~excluded
    begin = n - level_points  # below 0 for a level that began before what is kept of the history
    if begin >= 0 and not is_uncertain:  # its start was reported, and says nothing about the next
        kept[begin : begin + MIN_LEVEL_POINTS] = False
    contamination = 0.0 if is_uncertain else CONTAMINATION_FRACTION
    # Errors in the learning sample are smaller than those to come.
    learned = len(fit.lags) + parts.freedom
    ratio = math.sqrt((n + learned) / max(1.0, n - learned))
    forecaster.scale *= ratio
    forecaster.spread *= ratio
    level = _fit_tails(
        fit, forecaster, (deseasonalized - fit.base) * ratio, steps, kept, contamination
    )
    if len(level):
        kept[: n - len(level)] = False
        usual = np.vectorize(fit.to_values)(level + parts.season[n - len(level) :])
        learn_losses(fit, values[kept], usual[kept[n - len(level) :]], contamination)
    return fit, forecaster


def learn_history(
    values: FloatArray, periods: tuple[int, ...], false_alarm_rate: float, direction: Direction
) -> bytes:
    """Return the state of a new detector that has learned from a history, shape (n,).

    The other arguments are as in ``StreamDetector``.
    """
    latest = values[-MAX_LEARNED_POINTS:]
    detector = StreamDetector(periods, false_alarm_rate, direction, steps=len(latest))
    if detector.needs_fit:
        detector.learn(*learn_stream(latest, periods, detector.time))
    return detector.to_bytes()


def _decompose(
    fit: StreamFit,
    values: FloatArray,
    suggested: tuple[int, ...],
    level_points: int,
    *,
    is_uncertain: bool,
) -> _Decomposition:
    """Decompose the values; set the centre, unit, logarithms, periods and profile of the fit."""
    n = len(values)
    best = fit_values_or_logs(values, suggested, None)
    if best is None:
        fit.centre = float(values[-1])
        fit.unit = max(_CONSTANT_UNIT_FRACTION * (abs(fit.centre) or 1.0), _MIN_UNIT)
        return _Decomposition(np.zeros(n), np.zeros(n), [], np.zeros(n, dtype=bool), 0.0)
    units, fitted = best
    fit.centre, fit.unit, fit.is_log = units.centre, max(units.unit, _MIN_UNIT), units.is_log
    fit.periods = fitted.periods
    fit.profile = [value for profile in fitted.profiles for value in profile.values.tolist()]
    scaled = units.to_units(values)
    low, high = np.quantile(scaled, _CORE_QUANTILES)
    pad = _PAD_RANGES * max(float(high - low), NEGLIGIBLE)
    scaled = np.clip(scaled, low - pad, high + pad)
    excluded = fitted.excluded.copy()
    if not is_uncertain:
        gross = _gross_outliers(fitted)
        gross = gross[gross < n - _UNDECIDED_POINTS]
        excluded[gross], scaled[gross] = True, fitted.expected[gross]
    freedom = sum(profile.freedom for profile in fitted.profiles)
    levels = _levels(fitted, level_points)
    return _Decomposition(scaled, fitted.season, levels, excluded, freedom)


def _gross_outliers(fitted: SeriesFit) -> IntArray:
    """Return the indices of the few points that the tails of the others do not expect."""
    kept = np.flatnonzero(~fitted.excluded)
    order = kept[np.argsort(fitted.scaled_residual[kept])]
    sample = fitted.scaled_residual[order]
    above = count_gross_outliers(sample, CONTAMINATION_FRACTION)
    below = count_gross_outliers(-sample[::-1], CONTAMINATION_FRACTION)
    return np.concatenate([order[:below], order[len(order) - above :]])


def _levels(fitted: SeriesFit, level_points: int) -> list[tuple[int, float]]:
    """Return the index and the level of the first point after each step, known ones included."""
    steps, begin = fitted.steps, len(fitted.without_season) - level_points
    is_known = any(abs(step.index - begin) < MIN_LEVEL_POINTS for step in steps)
    if level_points > 0 and begin > 0 and not is_known:
        steps = [*(step for step in steps if step.index < begin), LevelStep(begin, 0.0)]
    levels = step_levels(fitted.without_season, steps)
    return [(step.index, float(levels[step.index])) for step in steps]


def _simulate(
    fit: StreamFit,
    scaled: FloatArray,
    deseasonalized: FloatArray,
    levels: list[tuple[int, float]],
    excluded: BoolArray,
) -> tuple[Forecaster, list[ForecastStep]]:
    """Return the forecaster after a pass over the latest points, and their steps.

    Excluded points are stepped over, but not at the end of the series.
    """
    n = len(deseasonalized)
    begin = max(0, n - _MAX_SIMULATED_POINTS)
    forecaster = Forecaster()
    forecaster.time = fit.origin + begin + 1
    reach = max(fit.lags[-1], SLOPE_POINTS) + 1
    recent = deseasonalized[max(0, begin + 1 - reach) : begin + 1].tolist()
    forecaster.recent = [recent[0]] * (reach - len(recent)) + recent
    forecaster.medium = forecaster.last = recent[-1]
    first = max(_FIRST_LEVEL_POINTS[0], min(_FIRST_LEVEL_POINTS[1], n // 10))
    forecaster.level = float(np.median(deseasonalized[begin : begin + first]))
    decided = deseasonalized[: max(2, n - _UNDECIDED_POINTS)]
    forecaster.scale = float(np.abs(np.diff(decided)).mean()) if n > 1 else 0.0
    forecaster.errors = [forecaster.scale] * len(forecaster.errors)
    forecaster.spread = float(np.abs(decided - np.median(decided)).mean())
    fraction = 1.0 if is_mostly_repeated(scaled) else _MIN_SCALE_FRACTION
    fit.min_scale = max(fraction * forecaster.scale, _MIN_SCALE_UNITS)
    # A new level is known once it has lasted.
    known_levels = {index + MIN_LEVEL_POINTS: level for index, level in levels}
    steps = []
    # A deviation at the end may continue: the next forecasts follow it.
    ended = int(np.flatnonzero(~excluded)[-1]) if not excluded.all() else 0
    for index, value in enumerate(scaled[begin + 1 :].tolist(), begin + 1):
        if index in known_levels:
            forecaster.shift_level(known_levels[index])
        if excluded[index] and index < ended:
            forecaster.step(fit, None)
            steps.append(ForecastStep())
        else:
            steps.append(forecaster.step(fit, value))
    if levels:
        forecaster.shift_level(levels[-1][1])
    return forecaster, steps


def _fit_tails(
    fit: StreamFit,
    forecaster: Forecaster,
    from_base: FloatArray,
    steps: list[ForecastStep],
    kept: BoolArray,
    contamination: float,
) -> FloatArray:
    """Fit the tails to the points ``kept``, shape (n,), the last of which have ``steps``.

    ``from_base`` is the distance of each value from the base, shape (n,). Returns the level before
    each of the last steps, those that count, shape (m,).
    """
    warm_up = min(len(steps) // _WARM_UP_DIVISOR, _MAX_WARM_UP_POINTS)
    if len(steps) - warm_up < _MIN_ERRORS:
        for tail in (fit.errors.up, fit.errors.down):
            tail.scale, tail.shape = _YOUNG_SCALE, _YOUNG_SHAPE
        return np.zeros(0)
    columns = dict(zip(ForecastStep._fields, np.array(steps[warm_up:]).T, strict=True))
    error = columns["error"] / columns["scale"]
    n, begin = len(from_base), len(from_base) - len(error)
    kept = kept[begin:]
    if fit.periods and len(error) >= _MIN_PHASE_CYCLES * fit.periods[0]:
        fit.phases = _phase_ratios(error, kept, begin, fit.periods[0])
    phases = np.array([fit.phase_at(fit.origin + index) for index in range(n)])
    error = error / phases[begin:]
    size = np.abs(error)
    # No burst begins with the points learned from.
    forecaster.sizes = np.minimum(size[-BURST_POINTS:], 1.0).tolist()
    margin = shape_margin(size[kept], contamination)

    def tail_of(sample: FloatArray, margin: float = 0.0, min_scale: float = 0.0) -> Tail:
        return fit_tail(sample, contamination).cautious(margin, min_scale)

    fit.errors.up = tail_of(error[kept], margin, MIN_ERROR_TAIL)
    fit.errors.down = tail_of(-error[kept], margin, MIN_ERROR_TAIL)
    bursts = np.convolve(size, np.ones(BURST_POINTS), "valid")[kept[BURST_POINTS - 1 :]]
    fit.burst = tail_of(bursts, min_scale=MIN_ERROR_TAIL)
    fit.drift = tail_of(np.abs(columns["drift"])[kept])
    fit.persistence = tail_of(np.abs(columns["persistence"])[kept])
    distance = from_base / phases
    fit.high, fit.low = tail_of(distance, margin), tail_of(-distance, margin)
    return np.asarray(columns["level"])


def _phase_ratios(scaled_error: FloatArray, kept: BoolArray, time: int, period: int) -> list[float]:
    size = np.abs(scaled_error)
    size[~kept] = size[kept].mean() if kept.any() else 0.0
    limit = _PHASE_CLIP_SIGMAS * mad_sigma(size)
    size = np.minimum(size, limit) if limit > 0 else size
    factors = phase_factors(size[-time % period :], period) if size.any() else np.ones(1)
    return list(factors.tolist())
