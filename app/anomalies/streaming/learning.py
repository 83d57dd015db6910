"""Learn a stream from the points kept: the engine's job.

Units, seasons and steps in the level are those of the whole-series fit. An autoregression of the
rest is fitted robustly, and the forecaster passes over the latest points once: its errors are the
sample of the tails, and its state at the end is where judging continues.
"""

from array import array

import numpy as np

from app.anomalies.change_points import LevelStep, step_levels
from app.anomalies.flat_runs import find_flat_runs
from app.anomalies.results import MIN_LEVEL_POINTS, BoolArray
from app.anomalies.scale import phase_factors
from app.anomalies.series_fit import SeriesFit, fit_values_or_logs, is_idle
from app.anomalies.streaming.fit import MAX_LEARNED_POINTS, StreamFit
from app.anomalies.streaming.forecaster import BURST_POINTS, NO_STEP, Forecaster, ForecastStep
from app.anomalies.streaming.tails import HIDDEN_SHARE, fit_stream_tail
from app.anomalies.tail import count_gross_outliers
from app.anomalies.units import NEGLIGIBLE, Units
from app.forecasting.cleaning import MAD_TO_SIGMA
from app.timeseries.types import FloatArray, IntArray

# The forecaster passes over so many of the latest points, and its first errors do not count.
_MAX_SIMULATED_POINTS, _WARM_UP_DIVISOR, _MAX_WARM_UP_POINTS = 4_000, 5, 100
# A sample of fewer errors has no tail.
_MIN_ERRORS = 20
# Values further beyond these quantiles than so many times their distance are clipped.
_CORE_QUANTILES, _PAD_RANGES = (0.001, 0.999), 3.0
# The scale is at least this share of the usual error. A series that rests has long calm stretches,
# which say nothing about its next move: the usual error itself.
_MIN_SCALE_SHARE = 0.1
# So many of the latest points may be the first of a new level, however far out they are.
_UNDECIDED_POINTS = 3
# The lags of the autoregression, besides a season of at most so many steps.
_LAGS, _MAX_LAG = (1, 2, 3, 4), 200
# Cycles of a season from which on its lags are used.
_MIN_CYCLES = 3
# The ridge draws towards the last value; errors beyond so many usual ones count as less (Huber
# 1964), in so many rounds.
_RIDGE, _HUBER_SIGMAS, _ROUNDS = 1e-2, 3.0, 3
# The level before the first point simulated is the median of so many, or of a tenth.
_FIRST_LEVEL_POINTS = (20, 200)
# Errors count for the size of a phase up to so many sigmas.
_PHASE_CLIP_SIGMAS, _MIN_PHASE_CYCLES = 3.0, 2
# The unit of a series that never moved, as a share of its value.
_CONSTANT_UNIT_SHARE = 1e-9
# Half of a smaller unit could be 0.
_MIN_UNIT = 1e-300


def learn_stream(
    values: FloatArray,
    suggested: tuple[int, ...],
    time: int,
    level_points: int = 0,
    is_doubted: bool = False,
) -> tuple[StreamFit, Forecaster]:
    """Fit a stream.

    Args:
        values: The latest values, oldest first, shape (n,), NaN where points are missing.
        suggested: Seasonal periods in steps that the calendar suggests, shortest first.
        time: The time of the step after the last value.
        level_points: The number of latest values that are at a new level, 0 if unknown.
        is_doubted: Whether no value may be taken for an anomaly: what seemed one is what the series
            is like.

    Returns:
        The fit, and the forecaster at ``time``.
    """
    values = values[-MAX_LEARNED_POINTS:]
    is_missing = np.isnan(values)
    if is_missing.any():
        index = np.arange(len(values))
        values = np.interp(index, index[~is_missing], values[~is_missing])
    fit = StreamFit()
    fit.origin = time - len(values)
    plain, season, levels, aside = _decompose(
        fit, values, suggested, level_points, is_doubted=is_doubted
    )
    rest = plain - season
    fit.base = float(np.median(rest[len(rest) - levels[-1][0] :] if levels else rest))
    _fit_autoregression(fit, rest[: max(2, len(rest) - _UNDECIDED_POINTS)])
    aside = is_missing if is_doubted else aside | is_missing
    forecaster, steps = _simulate(fit, plain, rest, levels, aside)
    kept = ~aside
    if not is_doubted:  # How a level began has been told, and says nothing about those to come.
        begin = len(values) - level_points
        kept[begin : begin + MIN_LEVEL_POINTS] = False
    _fit_tails(
        fit,
        forecaster,
        rest,
        steps,
        kept[len(values) - len(steps) :],
        0.0 if is_doubted else HIDDEN_SHARE,
    )
    return fit, forecaster


def _decompose(
    fit: StreamFit,
    values: FloatArray,
    suggested: tuple[int, ...],
    level_points: int,
    *,
    is_doubted: bool,
) -> tuple[FloatArray, FloatArray, list[tuple[int, float]], BoolArray]:
    """Set the units and seasons of a fit.

    Returns:
        The values in units and their season, shape (n,); of each level after a step the number of
        points from its first to the end, and the level; and whether each value is in a stretch that
        stands out, shape (n,).
    """
    n = len(values)
    stuck = np.zeros(n, dtype=bool)
    for first, last, _ in find_flat_runs(values):
        stuck[first : last + 1] = True
    best = fit_values_or_logs(
        values, tuple(each for each in suggested if 2 * each <= n), None, stuck
    )
    if best is None:
        fit.centre = float(values[-1])
        fit.unit = max(_CONSTANT_UNIT_SHARE * (abs(fit.centre) or 1.0), _MIN_UNIT)
        return np.zeros(n), np.zeros(n), [], np.zeros(n, dtype=bool)
    units, fitted = best
    fit.centre, fit.unit, fit.is_log = units.centre, max(units.unit, _MIN_UNIT), units.is_log
    fit.periods = array("q", fitted.parts.periods)
    fit.profile = [each for profile in fitted.parts.profiles for each in profile.tolist()]
    plain, aside = _clip_to_core(units, values), fitted.aside.copy()
    gross = np.zeros(0, dtype=int) if is_doubted else _gross_outliers(fitted)
    # The last points may be the first of a new level: they are learned from with caution.
    aside[gross[gross < n - _UNDECIDED_POINTS]] = True
    plain[gross] = np.where(
        gross < n - _UNDECIDED_POINTS, fitted.parts.expected[gross], plain[gross]
    )
    return plain, fitted.parts.season, _levels(fitted, level_points), aside


def _clip_to_core(units: Units, values: FloatArray) -> FloatArray:
    plain = units.plain(values)
    low, high = np.quantile(plain, _CORE_QUANTILES)
    pad = _PAD_RANGES * max(float(high - low), NEGLIGIBLE)
    return np.clip(plain, low - pad, high + pad)


def _gross_outliers(fitted: SeriesFit) -> IntArray:
    """Return the indices of the few points that the tails of the others do not expect."""
    kept = np.flatnonzero(~fitted.aside)
    order = kept[np.argsort(fitted.surprise[kept])]
    sample = fitted.surprise[order]
    above, below = (
        count_gross_outliers(sample, HIDDEN_SHARE),
        count_gross_outliers(-sample[::-1], HIDDEN_SHARE),
    )
    return np.concatenate([order[:below], order[len(order) - above :]])


def _levels(fitted: SeriesFit, level_points: int) -> list[tuple[int, float]]:
    values, steps = fitted.parts.without_season, list(fitted.parts.steps)
    n = len(values)
    begin = n - level_points
    is_known = any(abs(step.index - begin) < MIN_LEVEL_POINTS for step in steps)
    if 0 < level_points < n and not is_known:
        steps = [*(step for step in steps if step.index < begin), LevelStep(begin, 0.0)]
    part = step_levels(values, steps)
    return [(n - step.index, float(part[step.index])) for step in steps]


def _fit_autoregression(fit: StreamFit, rest: FloatArray) -> None:
    n, season = len(rest), fit.periods[0] if fit.periods else 0
    is_short = _LAGS[-1] < season <= _MAX_LAG and n >= _MIN_CYCLES * season
    lags = {*_LAGS, season, season + 1} if is_short else {*_LAGS}
    fit.lags = array("q", sorted(lag for lag in lags if lag <= max(1, n // 3)))
    around, longest, count = rest - fit.base, fit.lags[-1], len(fit.lags)
    start = np.eye(count)[0]
    weights = start
    target = around[longest:]
    if len(target) >= 2 * count + 8:
        columns = np.column_stack([around[longest - lag : n - lag] for lag in fit.lags])
        believed = np.ones(len(target))
        for _ in range(_ROUNDS):
            weighed = columns * believed[:, None]
            products = weighed.T @ columns
            ridge = (_RIDGE * np.trace(products) / count + NEGLIGIBLE**2) * np.eye(count)
            missed = target - columns @ start
            weights = start + np.linalg.solve(products + ridge, weighed.T @ missed)
            size = np.abs(target - columns @ weights)
            usual = MAD_TO_SIGMA * float(np.median(size)) + NEGLIGIBLE * float(size.mean())
            limit = _HUBER_SIGMAS * max(usual, NEGLIGIBLE**2)
            believed = np.minimum(1.0, limit / np.maximum(size, NEGLIGIBLE**2))
    fit.weights = weights.tolist()


def _simulate(
    fit: StreamFit,
    plain: FloatArray,
    rest: FloatArray,
    levels: list[tuple[int, float]],
    aside: BoolArray,
) -> tuple[Forecaster, list[ForecastStep]]:
    """Pass over the latest points, learning nothing from those aside but where the series ends.

    Returns:
        The forecaster after the last point, and the step of each point.
    """
    n = len(rest)
    begin = max(0, n - _MAX_SIMULATED_POINTS)
    forecaster = Forecaster()
    forecaster.time = fit.origin + begin + 1
    reach = fit.lags[-1] + 1
    recent = rest[max(0, begin + 1 - reach) : begin + 1].tolist()
    forecaster.recent = [recent[0]] * (reach - len(recent)) + recent
    forecaster.medium = forecaster.last = recent[-1]
    first = min(n, max(_FIRST_LEVEL_POINTS[0], min(_FIRST_LEVEL_POINTS[1], n // 10)))
    forecaster.level = float(np.median(rest[begin : begin + first]))
    decided = rest[: max(2, n - _UNDECIDED_POINTS)]
    forecaster.scale = float(np.abs(np.diff(decided)).mean()) if n > 1 else 0.0
    forecaster.errors = [forecaster.scale] * len(forecaster.errors)
    forecaster.spread = float(np.abs(decided - np.median(decided)).mean())
    share = 1.0 if is_idle(plain) else _MIN_SCALE_SHARE
    fit.min_scale = max(share * forecaster.scale, NEGLIGIBLE)
    # A new level is known once it has lasted.
    believed = {n - points + MIN_LEVEL_POINTS: level for points, level in levels}
    steps = []
    # What stands out at the end may go on: the next forecasts follow it.
    ended = int(np.flatnonzero(~aside)[-1]) if not aside.all() else 0
    for index, value in enumerate(plain[begin + 1 :].tolist(), begin + 1):
        if index in believed:
            forecaster.shift_level(believed[index])
        if aside[index] and index < ended:
            forecaster.skip(fit)
            steps.append(NO_STEP)
        else:
            steps.append(forecaster.step(fit, value))
    if levels:
        forecaster.shift_level(levels[-1][1])
    return forecaster, steps


def _fit_tails(
    fit: StreamFit,
    forecaster: Forecaster,
    rest: FloatArray,
    steps: list[ForecastStep],
    kept: BoolArray,
    hidden: float,
) -> None:
    """Fit the tails to the steps ``kept``, which end with the series."""
    settling = min(len(steps) // _WARM_UP_DIVISOR, _MAX_WARM_UP_POINTS)
    if len(steps) - settling < _MIN_ERRORS:
        return
    _value, _expected, error, scale, _burst, drift = np.array(steps[settling:]).T
    n = len(rest)
    # Errors in the sample that the fit was learned from are smaller than those to come.
    learned = len(fit.lags) + sum(fit.periods[:1])
    scale = scale * np.sqrt(max(1, n - learned) / (n + learned))
    if fit.periods and len(error) >= _MIN_PHASE_CYCLES * fit.periods[0]:
        fit.phases = _phase_ratios(error / scale, n - len(error), fit.periods[0])
    phases = np.array([fit.phase_at(fit.origin + index) for index in range(n)])
    size = np.abs(error) / scale / phases[-len(error) :]
    # What was learned from is not news: no burst begins with it.
    forecaster.sizes = np.minimum(size[-BURST_POINTS:], 1.0).tolist()
    kept = kept[settling:]
    surprise = (error / scale / phases[-len(error) :])[kept]
    fit.up, fit.down = fit_stream_tail(surprise, hidden), fit_stream_tail(-surprise, hidden)
    bursts = np.convolve(size, np.ones(BURST_POINTS), "valid")[kept[BURST_POINTS - 1 :]]
    fit.burst = fit_stream_tail(bursts, hidden)
    fit.drift = fit_stream_tail(np.abs(drift)[kept], hidden)
    away = (rest - fit.base) / phases
    fit.high, fit.low = fit_stream_tail(away, hidden), fit_stream_tail(-away, hidden)


def _phase_ratios(surprise: FloatArray, time: int, period: int) -> list[float]:
    size = np.abs(surprise)
    limit = _PHASE_CLIP_SIGMAS * MAD_TO_SIGMA * float(np.median(size))
    size = np.minimum(size, limit) if limit > 0 else size
    factors = phase_factors(size[-time % period :], period) if size.any() else np.ones(1)
    return [float(each) for each in factors]
