"""The entry point of the engine: from series, horizon, confidence and model to a forecast.

``fit`` prepares a history (noise of zeros, idle start, outliers) and removes, one after another:

1. the effects of known columns (``regressors``),
2. the effects of holidays (``calendar_effects``),
3. a change of level (``level_change``),
4. the unit (``preparation``).

The model, or a simpler one if it fails (``fallback``), is fitted to the rest. What was removed is
added to its forecast in the reverse order, and an upper bound of the series is kept.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from app.forecasting.attempt import try_fit
from app.forecasting.calendar_effects.events import Holidays
from app.forecasting.calendar_effects.holiday_effects import (
    holiday_effects,
    holiday_notices,
    holidays_of,
)
from app.forecasting.effects import Effects
from app.forecasting.fallback import fit_constant, fit_naive, forecast_seasonal_naive
from app.forecasting.level_change import find_level_change
from app.forecasting.model_ids import LIGHT_MODEL, SEASONAL_NAIVE
from app.forecasting.models.recipes import MODELS, fit_simple_model
from app.forecasting.notices import length_notices, level_notices
from app.forecasting.preparation import (
    drop_idle_start,
    has_finite_bounds,
    prepare_history,
    remove_noise_of_zeros,
    replace_outliers,
    restore_units,
)
from app.forecasting.regressors.columns import KnownColumns
from app.forecasting.regressors.regressor_effects import regressor_effects
from app.forecasting.types import Forecast, ForecastDistribution, Prediction
from app.forecasting.upper_bound import MIN_SPREAD, MIN_SQUARE_RATIO, bound_fit
from app.timeseries.bounds import find_upper_bound
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import format_timestamps
from app.timeseries.history import History
from app.timeseries.series import Series

_Fitter = Callable[[History], ForecastDistribution]
# The models that are tried, in this order, when the requested one fails.
_FALLBACKS: tuple[tuple[str, Callable[[History, int], ForecastDistribution]], ...] = (
    ("exponential smoothing with theta", fit_simple_model),
    ("the naive forecast", fit_naive),
)


def forecast(
    series: Series, horizon: int, confidence: float, model_id: str, country: str | None = None
) -> Forecast:
    """Forecast ``horizon`` periods of ``series`` with a prediction interval.

    Args:
        series: The history, 10 points or more.
        horizon: Periods to forecast, 1 to 100.
        confidence: The interval's confidence level, 0.1 to 0.99.
        model_id: One of ``MODEL_IDS``, or ``SEASONAL_NAIVE``.
        country: Whose holidays to use, a code of ``country_codes()``; None for Christmas, New
            Year and Easter, ``NO_HOLIDAYS`` for none.

    Returns:
        The forecast; the same arguments give the same numbers, whatever the clock or the load.

    Raises:
        BeyondCalendarError: A period would be past the year 9999.
        KeyError: The model ``model_id`` does not exist.
    """
    history = series.history
    holidays = holidays_of(country, history, horizon) if country else None
    prediction = predict(history, horizon, confidence, model_id, holidays)
    return complete_forecast(series, horizon, prediction, model_id)


def complete_forecast(
    series: Series, horizon: int, prediction: Prediction, model_id: str
) -> Forecast:
    """Return a prediction of ``series`` with its timestamps and notices.

    Raises BeyondCalendarError if a period would be past the year 9999.
    """
    calendar = series.calendar
    notices = length_notices(len(series.values), calendar.frequency)
    return Forecast(
        timestamps=format_timestamps(calendar.future(horizon), series.suffix),
        lower=prediction.lower + 0.0,  # so that no -0.0 is returned
        median=prediction.median + 0.0,
        upper=prediction.upper + 0.0,
        model_id=model_id,
        notices=(
            *notices,
            *prediction.notices,
            *level_notices(series, prediction.level_change),
            *prediction.holiday_notices,
        ),
        is_fallback=prediction.is_fallback,
    )


def warm_up() -> None:
    """Forecast once by every model, so that processes forked later share the imports."""
    values = 10.0 + np.arange(60) % 7 + np.arange(60) / 10
    for frequency, periods in ((Frequency.MONTHLY, (12,)), (Frequency.HOURS, (24,))):
        for model_id in MODELS:
            predict(History(values, periods, frequency), 3, 0.95, model_id)


def predict(
    history: History,
    horizon: int,
    confidence: float,
    model_id: str,
    holidays: Holidays | None = None,
) -> Prediction:
    """Forecast ``horizon`` steps of a history with one interval; as ``fit``, or the baseline."""
    if model_id == SEASONAL_NAIVE:
        return forecast_seasonal_naive(history, horizon, confidence)
    return fit(history, horizon, model_id, holidays).at(confidence)


def fit(
    history: History,
    horizon: int,
    model_id: str,
    holidays: Holidays | None = None,
    columns: KnownColumns | None = None,
) -> ForecastDistribution:
    """Fit a model once, for intervals of any confidence.

    Args:
        history: At least one value, all finite. With a grid it is forecast with what holidays do.
        horizon: Steps to forecast, at least 1.
        model_id: One of ``MODEL_IDS``.
        holidays: None for Christmas, New Year and Easter, ``NO_HOLIDAYS`` for none.
        columns: Known for the steps of the history and those to come; used where they helped.

    Returns:
        A finite, ordered forecast, non-negative if the history is. It depends only on the
        arguments, and a step does not depend on the horizon. A model that fails is replaced by a
        simpler one, with a notice.

    Raises:
        KeyError: The model ``model_id`` does not exist.
    """
    if model_id not in MODELS:
        raise KeyError(model_id)
    values = remove_noise_of_zeros(history.values)
    if np.all(values == values[0]):
        constant = fit_constant(float(values[0]), horizon)
        return replace(constant, holiday_notices=holiday_notices(history, horizon, holidays, None))
    active, idle = drop_idle_start(values, min(history.periods, default=0))
    cleaned, outliers = replace_outliers(active)
    if np.all(cleaned == cleaned[0]):
        cleaned = active
        outliers = 0
    grid = history.grid.without_first(idle) if history.grid else None
    prepared = replace(history, values=cleaned, grid=grid)
    column_effects = None
    if columns is not None:
        column_effects = regressor_effects(prepared, columns.without_first(idle))
    fitter = partial(_fit_around_holidays, horizon=horizon, model_id=model_id, holidays=holidays)
    fitted, _ = _fit_around_effects(prepared, horizon, column_effects, fitter)
    bound = find_upper_bound(cleaned, MIN_SQUARE_RATIO, MIN_SPREAD)
    if bound is not None:
        fitted = bound_fit(fitted, bound)
    change = fitted.level_change
    return replace(
        fitted,
        notices=(*_preparation_notices(idle, outliers), *fitted.notices),
        level_change=None if change is None else change + idle,
    )


def _preparation_notices(idle: int, outliers: int) -> tuple[str, ...]:
    notices: tuple[str, ...] = ()
    if idle:
        notices += (f"points before the first change were set aside: {idle}",)
    if outliers:
        notices += (f"values far beyond all others were set aside: {outliers}",)
    return notices


def _fit_around_holidays(
    history: History, horizon: int, model_id: str, holidays: Holidays | None
) -> ForecastDistribution:
    """Fit a history without the effects of holidays, and add these to the forecast."""
    fitter = partial(_fit_around_level_change, horizon=horizon, model_id=model_id)
    effects = holiday_effects(history, horizon, holidays)
    fitted, has_effects = _fit_around_effects(history, horizon, effects, fitter)
    notices = holiday_notices(history, horizon, holidays, effects if has_effects else None)
    return replace(fitted, holiday_notices=notices)


def _fit_around_effects(
    history: History, horizon: int, effects: Effects | None, fitter: _Fitter
) -> tuple[ForecastDistribution, bool]:
    """Fit a history without its effects, and add these to the forecast.

    The second result is whether there are effects and the forecast with them is finite; otherwise
    the history is fitted as it is.
    """
    if effects is not None:
        with np.errstate(all="ignore"):
            plain = effects.remove_from(history)
            if np.isfinite(plain.values).all():
                is_non_negative = bool(history.values.min() >= 0)
                restored = effects.add_to(fitter(plain), is_non_negative=is_non_negative)
                if has_finite_bounds(restored, horizon):
                    return restored, True
    return fitter(history), False


def _fit_around_level_change(history: History, horizon: int, model_id: str) -> ForecastDistribution:
    """Fit a history whose values before a change of level are moved to the new level."""
    with np.errstate(all="ignore"):
        moved, change = find_level_change(history, partial(_fit_or_fall_back, model_id=LIGHT_MODEL))
        if not np.isfinite(moved.values).all():
            return _fit_or_fall_back(history, horizon, model_id)
        fitted = _fit_or_fall_back(moved, horizon, model_id)
        if change is None:
            return fitted
        widened = change.widen(fitted, is_non_negative=bool(history.values.min() >= 0))
        if has_finite_bounds(widened, horizon):
            return widened
        return _fit_or_fall_back(history, horizon, model_id)


def _fit_or_fall_back(history: History, horizon: int, model_id: str) -> ForecastDistribution:
    """Fit a model to a history, or a simpler model if that fails; a constant if nothing varies."""
    values = history.values
    if np.all(values == values[0]):
        return fit_constant(float(values[0]), horizon)
    prepared = prepare_history(history)
    for name, fit_model in ((model_id, MODELS[model_id].fit), *_FALLBACKS):
        fitted = _fit_without_warnings(name, partial(fit_model, prepared.history, horizon), horizon)
        if fitted is not None:
            notices = fitted.notices
            if name != model_id:
                notices = (f"{model_id} could not be fitted, {name} was used", *notices)
            return restore_units(
                replace(fitted, notices=notices, is_fallback=name != model_id), prepared
            )
    # Reached only if the naive forecast itself overflows.
    last = fit_constant(float(values[-1]), horizon)
    notices = (f"{model_id} could not be fitted, the last value was used",)
    return replace(last, notices=notices, is_fallback=True)


def _fit_without_warnings(
    name: str, fit_model: Callable[[], ForecastDistribution], horizon: int
) -> ForecastDistribution | None:
    """Return the fit without warnings; None if it raised or the forecast is not finite."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = try_fit(fit_model, name)
        return fitted if fitted is not None and has_finite_bounds(fitted, horizon) else None
