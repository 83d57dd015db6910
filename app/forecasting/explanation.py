"""Split the median of a forecast into level and trend, season, and holidays, which add up to it.

The effects of holidays are those of the forecast. The season of the rest is the median of each
phase around its level, as in classical decomposition (`app.forecasting.decomposition` has its
source); the remainder is level and trend. The parts describe the forecast, not its causes.
"""

import numpy as np

from app.forecasting.calendar_effects.holiday_effects import holidays_of
from app.forecasting.fallback import forecast_seasonal_naive
from app.forecasting.forecast import complete_forecast, fit
from app.forecasting.model_ids import SEASONAL_NAIVE
from app.forecasting.preprocessing.cleaning import is_explained_by, local_level
from app.forecasting.preprocessing.seasonality import FourierTerms, Seasonality, find_seasonality
from app.forecasting.types import Explanation
from app.timeseries.least_squares import fourier_columns
from app.timeseries.numbers import without_negative_zero
from app.timeseries.phases import phase_medians
from app.timeseries.series import Series
from app.timeseries.types import FloatArray

_MAX_CYCLES = 8  # of the longest season: the last ones in the history, which seasons are taken from
# A season that explains less than this fraction of the distance from the level is ignored.
_MIN_SEASON_GAIN = 0.1


def explain(
    series: Series, horizon: int, confidence: float, model_id: str, country: str | None = None
) -> Explanation:
    """Forecast as `app.forecasting.forecast.forecast` does, and split its median into parts.

    Raise BeyondCalendarError or UnknownModelError.
    """
    history = series.history
    if model_id == SEASONAL_NAIVE:
        prediction = forecast_seasonal_naive(history, horizon, confidence)
        effects = None
    else:
        country_holidays = holidays_of(country, history, horizon) if country else None
        fitted = fit(history, horizon, model_id, country_holidays)
        prediction = fitted.at(confidence)
        effects = fitted.effects
    forecast = complete_forecast(series, horizon, prediction, model_id)
    holidays = np.zeros(horizon) if effects is None else effects
    path = forecast.median - holidays
    seasonality = find_seasonality(len(history.values), history.periods, history.frequency)
    season = season_of_path(history.values, path, seasonality)
    # By subtraction, so that the parts add up even if the forecast was clipped.
    return Explanation(
        **vars(forecast),
        level_and_trend=path - season,
        season=season,
        holidays=without_negative_zero(holidays),
    )


def season_of_path(values: FloatArray, path: FloatArray, seasonality: Seasonality) -> FloatArray:
    """Return the season of a path, shape (h,), that continues the ``values``, shape (n,).

    It is an addend or a factor of the level: the one that leaves the smoother level.
    """
    if not seasonality.short:
        return np.zeros(len(path))
    tail = values[-_MAX_CYCLES * max(seasonality.short, seasonality.long) :]
    values_and_path = np.concatenate([tail, path])
    seasons = [_seasonal_deviations(values_and_path, seasonality)[-len(path) :]]
    if values_and_path.min() > 0:
        factors = np.exp(_seasonal_deviations(np.log(values_and_path), seasonality)[-len(path) :])
        seasons.append(path - path / factors)
    return min(seasons, key=lambda season: _total_change(path - season, tail))


def _total_change(level: FloatArray, tail: FloatArray) -> float:
    """Return the total change of a level; of a single step, its distance from the history."""
    if len(level) == 1:
        return abs(float(level[0] - np.median(tail)))
    return float(np.abs(np.diff(level)).sum())


def _seasonal_deviations(values: FloatArray, seasonality: Seasonality) -> FloatArray:
    """Return the seasonal deviation of each value, shape (n,), 0 on average over a cycle.

    Unlike `robust_season`, it has every season of the models, also Fourier terms, around a level
    that follows a trend to the end of the forecast.
    """
    index = np.arange(len(values))
    season = np.zeros(len(values))
    for period in (seasonality.dummy_period, seasonality.state_period):
        if period:
            deseasonalized = values - season
            around = deseasonalized - local_level(deseasonalized, 2 * period)
            medians = phase_medians(around, period)
            candidate = (medians - medians.mean())[index % period]
            if is_explained_by(around, candidate, _MIN_SEASON_GAIN):
                season += candidate
    if seasonality.fourier_terms:
        deseasonalized = values - season
        waves = _fit_fourier(deseasonalized, seasonality.fourier_terms)
        if is_explained_by(deseasonalized - deseasonalized.mean(), waves, _MIN_SEASON_GAIN):
            season += waves
    return season


def _fit_fourier(values: FloatArray, fourier: FourierTerms) -> FloatArray:
    """Return the least-squares Fourier fit of values around a straight line, shape (n,)."""
    index = np.arange(len(values))
    waves = [fourier_columns(index, period, pairs) for period, pairs in fourier]
    design = np.column_stack([np.ones(len(index)), index / len(index), *waves])
    weights, *_ = np.linalg.lstsq(design, values, rcond=None)
    return design[:, 2:] @ weights[2:]
