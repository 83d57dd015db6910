"""Daily series with a year: weekdays, sine waves, days that are outliers each year, and a level.

Dynamic harmonic regression (Hyndman and Athanasopoulos, "Forecasting: principles and practice",
10.5), with ridge shrinkage of the waves. A piecewise linear level is fitted with the waves, so that
these do not explain it. Forecasts continue from the smoothed level at their origin, with
autoregressive residuals around it. Waves are refitted at several cuts of the history, so that
forecasts at past origins do not know values after them.
"""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import uniform_filter1d
from scipy.signal import lfilter

from app.forecasting.members.seasonal_ridge import roll_forward
from app.forecasting.members.types import BacktestedForecast, HighFrequencyMember
from app.forecasting.past_origins import BacktestTask, refit_blocks
from app.forecasting.preprocessing.seasonality import Seasonality
from app.forecasting.regression import solve_ridge
from app.timeseries.least_squares import fourier_columns, lag_columns
from app.timeseries.robust import mad_sigma
from app.timeseries.types import FloatArray, IntArray

_FOURIER_PAIRS = 10  # sine-cosine pairs of the year
# Ridge penalties, in hundredths of the number of points; wave k has (k / `_FREE_PAIRS`)² times it.
_WAVE_PENALTY = 0.3
_WEEKDAY_PENALTY = 0.1
_FREE_PAIRS = 3.0
_KNOT_STEPS = 90  # between the knots of the level
_KNOT_PENALTY = 10.0  # of differences between neighbouring knots, in hundredths of the points
_MEAN_PENALTY = 1e-6  # of each knot, as indicators and knots have the mean in common
# Half-life, in steps, of a value's weight in the level that forecasts continue from.
_LEVEL_HALF_LIFE = 45.0
_LAGS = (1, 2, 3, 7, 14, 21, 28)
_LAG_PENALTY = 0.003  # the ridge penalty of lags, as a fraction of their mean square
_ADDED_LAG_PENALTY = 1e-12
_OUTLIER_DEVIATIONS = 3.5  # median deviations of an outlier from the surrounding month
_MONTH_DAYS = 31


def has_full_year(task: BacktestTask) -> bool:
    """Return whether the series has a short season, and a year before the first origin."""
    seasonality = task.seasonality
    has_year_above_week = seasonality.year > seasonality.long > 0
    return has_year_above_week and task.origins[0] >= seasonality.long


def harmonic_year(task: BacktestTask) -> list[BacktestedForecast]:
    """Return one forecast per transformation; the history must cover a year."""
    points = len(task.values)
    horizon = task.horizon
    origins = np.array(task.origins)
    calendar = CalendarTerms.of(task.seasonality, points + horizon)
    year = round(task.seasonality.year)
    series = np.stack([transformed.values for transformed in task.transformed], axis=1)
    scales = series[: origins[0]].std(axis=0)
    scales = np.where(scales > 0, scales, 1.0)
    series = series / scales
    blocks = [*refit_blocks(origins), np.array([points])]
    seasons = [calendar.fit(series[: starts[0]]) for starts in blocks]
    continuations = [
        continue_from(values, season[:, column], starts, horizon, year)
        for column, values in enumerate(series.T)
        for starts, season in zip(blocks, seasons, strict=True)
    ]
    expected = np.concatenate([continuation.expected for continuation in continuations])
    # All rows share one loop: a step costs the same for one row or a hundred.
    deviations = roll_forward(
        np.concatenate([continuation.pasts for continuation in continuations]),
        _LAGS,
        np.concatenate([continuation.weights for continuation in continuations]),
        np.zeros(expected.shape),
    )
    paths = np.split(expected + deviations, len(task.transformed))
    return [
        BacktestedForecast.of_paths(transformed.invert(path * scale))
        for transformed, path, scale in zip(task.transformed, paths, scales, strict=True)
    ]


# No other member models the year as well.
HARMONIC_YEAR = HighFrequencyMember("harmonic year", harmonic_year, has_full_year, weight=2)


@dataclass(frozen=True)
class CalendarTerms:
    """Indicators of the short season and waves of the year.

    ``terms`` have shape (steps, terms), their ridge ``penalty`` shape (terms,).
    """

    terms: FloatArray
    penalty: FloatArray

    @classmethod
    def of(cls, seasonality: Seasonality, steps: int) -> "CalendarTerms":
        index = np.arange(steps)
        waves = fourier_columns(index, seasonality.year, _FOURIER_PAIRS)
        days = np.eye(seasonality.short)[index % seasonality.short]
        weights = np.tile(_WAVE_PENALTY * (np.arange(1, _FOURIER_PAIRS + 1) / _FREE_PAIRS) ** 2, 2)
        penalty = np.concatenate([np.full(seasonality.short, _WEEKDAY_PENALTY), weights])
        return cls(np.hstack([days, waves]), penalty / 100)

    def fit(self, values: FloatArray) -> FloatArray:
        """Return the effect of the calendar at all steps, learned from the first ones.

        Args:
            values: Standardized series, shape (points, series).

        Returns:
            Shape (steps, series).
        """
        points = len(values)
        terms = self.terms.shape[1]
        knots = np.arange(points - 1, -_KNOT_STEPS, -_KNOT_STEPS)
        level = np.maximum(0.0, 1 - np.abs(np.arange(points)[:, None] - knots) / _KNOT_STEPS)
        regressors = np.hstack([self.terms[:points], level])
        bends = np.diff(np.eye(len(knots)), axis=0)
        ridge = np.diag(np.concatenate([self.penalty, np.full(len(knots), _MEAN_PENALTY)]))
        ridge[terms:, terms:] += _KNOT_PENALTY / 100 * bends.T @ bends
        gram = regressors.T @ regressors + points * ridge
        return np.asarray(self.terms @ np.linalg.solve(gram, regressors.T @ values)[:terms])


@dataclass(frozen=True)
class Continuation:
    """How a series continues from several starts.

    ``expected`` is season plus level, shape (starts, h). ``pasts`` and ``weights`` are those of
    ``roll_forward``, for the deviations from it.
    """

    expected: FloatArray
    pasts: FloatArray
    weights: FloatArray


def continue_from(
    values: FloatArray, season: FloatArray, starts: IntArray, horizon: int, year: int
) -> Continuation:
    """Learn outlying days and residuals before the first start, and smooth the level up to each.

    Args:
        values: The series; values after the last start are not used.
        season: The effect of the calendar, at least up to ``horizon`` steps after the last start.
        starts: Ascending indices.
        year: In steps.
    """
    cut = int(starts[0])
    last = int(starts[-1])
    longest = max(_LAGS)
    residuals = values[:last] - season[:last]
    days = repeated_days(residuals[:cut], last + horizon, year)
    residuals = residuals - days[:last]
    decay = 0.5 ** (1 / _LEVEL_HALF_LIFE)
    state = [decay * residuals[:longest].mean()]
    level, _ = lfilter([1 - decay], [1, -decay], residuals, zi=state)
    weights = fit_residuals(residuals[:cut], level[:cut])
    origin_level = level[starts - 1][:, None]
    ahead = starts[:, None] + np.arange(horizon)
    return Continuation(
        season[ahead] + days[ahead] + origin_level,
        residuals[starts[:, None] + np.arange(-longest, 0)] - origin_level,
        np.tile(weights, (len(starts), 1)),
    )


def outlier_effects(residuals: FloatArray) -> FloatArray:
    """Return the deviations of outlying days from the month around them, 0 for all others."""
    local_level = uniform_filter1d(residuals, _MONTH_DAYS, mode="nearest")
    deviations = residuals - local_level
    limit = _OUTLIER_DEVIATIONS * mad_sigma(deviations)
    clipped = local_level + np.clip(deviations, -limit, limit)
    deviations = residuals - uniform_filter1d(clipped, _MONTH_DAYS, mode="nearest")
    return np.where(np.abs(deviations) > limit, deviations, 0.0)


def repeated_days(residuals: FloatArray, steps: int, year: int) -> FloatArray:
    """Return the effects of dates that were outliers last year, and in a year before: (steps,).

    An effect is the mean over all years, shrunk towards 0. A date recurs after ``year`` steps, or
    one more over a leap day. Steps have no dates here, so a date may be taken for the next one.

    Args:
        residuals: The series without calendar and level, shape (points,).
        steps: The points and the steps ahead.
        year: In steps.
    """
    points = len(residuals)
    effects = outlier_effects(residuals)

    def effects_before(lag: int) -> FloatArray:
        shifted = np.zeros(steps)
        moved = effects[: max(0, steps - lag)]
        shifted[lag : lag + len(moved)] = moved
        return shifted

    recent = effects[-year:]
    agreement_by_lag = [
        float(recent @ effects_before(lag)[:points][-year:]) for lag in (year, year + 1)
    ]
    last = effects_before(year + int(agreement_by_lag[1] > agreement_by_lag[0]))
    sign = np.sign(last)
    total = last.copy()
    is_repeated = np.zeros(steps, bool)
    years = 1
    for lag in range(2 * year, points, year):
        agreement = np.maximum(
            0.0, np.maximum(sign * effects_before(lag), sign * effects_before(lag + 1))
        )
        total += sign * agreement
        is_repeated |= agreement > 0
        years += 1
    return np.where(is_repeated, total / (years + 1), 0.0)


def fit_residuals(residuals: FloatArray, level: FloatArray) -> FloatArray:
    """Return the weight of each lag of the deviations from the level one step before."""
    longest = max(_LAGS)
    last_level = level[longest - 1 : -1]
    past = lag_columns(residuals, _LAGS) - last_level[:, None]
    gram = past.T @ past
    penalty = np.full(len(_LAGS), _LAG_PENALTY * np.trace(gram) / len(_LAGS) + _ADDED_LAG_PENALTY)
    return solve_ridge(gram, past.T @ (residuals[longest:] - last_level), penalty)
