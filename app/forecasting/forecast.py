"""The entry point of the engine: from series, horizon, confidence and model to a forecast.

``fit`` prepares a history (rounding noise, idle start, outliers) and removes the effects of
``_effect_finders``, in their order. Each is looked for in the history without those before it, so
that none is explained twice: a column may be about holidays, and days off at the end look like a
new level. The model is fitted to the rest, in units of magnitude 1 (``preparation``), or a simpler
one if that fails (``fallback``). The effects are added to its forecast, the last one first. Nothing
is forecast above an upper bound of the series (``timeseries.bounds``).
"""

import warnings
from collections.abc import Callable, Mapping
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
from app.forecasting.calendar_effects.shopping_days import shopping_effects, shopping_notices
from app.forecasting.effects import RemovableEffect
from app.forecasting.exponential_growth import find_exponential_growth
from app.forecasting.fallback import fit_constant, fit_naive, forecast_seasonal_naive
from app.forecasting.intervals.learned import CONFIDENCE_LEVELS
from app.forecasting.intervals.rare_counts import widen_to_counts
from app.forecasting.levels.old_change import find_old_level_change
from app.forecasting.levels.old_interruption import find_old_interruption
from app.forecasting.levels.outage_and_change import find_outage_and_change
from app.forecasting.levels.recent_change import find_level_change
from app.forecasting.levels.recent_interruption import find_interruption
from app.forecasting.model_ids import LIGHT_MODEL, SEASONAL_NAIVE, UnknownModelError
from app.forecasting.models.recipes import MODELS, fit_simple_model
from app.forecasting.notices import bound_notices, change_notices, length_notices
from app.forecasting.preparation import (
    drop_idle_start,
    has_finite_bounds,
    merge_noisy_values,
    prepare_history,
    replace_outliers,
    restore_units,
    zero_rounding_noise,
)
from app.forecasting.regressors.columns import KnownColumns
from app.forecasting.regressors.regressor_effects import regressor_effects
from app.forecasting.season_shift import find_season_shift
from app.forecasting.types import Forecast, ForecastDistribution, Prediction
from app.timeseries.bounds import find_upper_bound, floor_of
from app.timeseries.calendar.timestamps import format_timestamps
from app.timeseries.history import History
from app.timeseries.numbers import without_negative_zero
from app.timeseries.series import Series
from app.timeseries.types import FloatArray

# The squared frequency of an upper bound is at least this many times the highest frequency of the
# values below it: of a Poisson count that is three standard deviations.
_MIN_SQUARE_RATIO = 9.0
# The first and the last run at the bound are at least this fraction of the history apart.
_MIN_SPREAD = 0.25

_EffectFinder = Callable[[History], RemovableEffect | None]
# The models that are tried, in this order, if the requested one fails.
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
            Year and Easter, ``NO_HOLIDAYS.code`` for none.

    Returns:
        The forecast; the same arguments give the same numbers, whatever the clock or the load.

    Raise BeyondCalendarError or UnknownModelError.
    """
    history = series.history
    holidays = holidays_of(country, history, horizon) if country else None
    prediction = predict(history, horizon, confidence, model_id, holidays)
    return complete_forecast(series, horizon, prediction, model_id)


def complete_forecast(
    series: Series, horizon: int, prediction: Prediction, model_id: str
) -> Forecast:
    """Return a prediction of ``series`` with its timestamps and notices.

    Raise BeyondCalendarError if a period would be past the year 9999.
    """
    calendar, provenance = series.calendar, prediction.provenance
    return Forecast(
        timestamps=format_timestamps(calendar.future(horizon), series.suffix),
        lower=without_negative_zero(prediction.lower),
        median=without_negative_zero(prediction.median),
        upper=without_negative_zero(prediction.upper),
        model_id=model_id,
        notices=(
            *length_notices(len(series.values), calendar.frequency),
            *provenance.notices,
            *bound_notices(provenance.upper_bound, is_percent=series.is_percent),
            *change_notices(series, provenance),
            *provenance.holiday_notices,
        ),
        is_fallback=provenance.is_fallback,
    )


def predict(
    history: History,
    horizon: int,
    confidence: float,
    model_id: str,
    holidays: Holidays | None = None,
) -> Prediction:
    """Forecast a history by a model or by the baseline, with one interval; see ``fit``."""
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
        history: At least one value, all finite. Holidays need its grid.
        horizon: Steps to forecast, at least 1.
        model_id: One of ``MODEL_IDS``.
        holidays: None for Christmas, New Year and Easter, ``NO_HOLIDAYS`` for none.
        columns: Known for the steps of the history and those to come. They only have an effect if
            it would have improved past forecasts.

    Returns:
        A finite, ordered forecast, non-negative if the history is. It depends only on the
        arguments, and a step does not depend on the horizon. A model that fails is replaced by a
        simpler one, with a notice.

    Raise UnknownModelError if no model has this id.
    """
    if model_id not in MODELS:
        raise UnknownModelError(model_id)
    values = merge_noisy_values(zero_rounding_noise(history.values))
    active, idle = drop_idle_start(values, history.period)
    cleaned, outliers = replace_outliers(active)
    notices = _preparation_notices(idle, outliers)
    if _is_constant(cleaned):
        return fit_constant(float(cleaned[0]), horizon).with_provenance(
            notices=notices, holiday_notices=holiday_notices(history, horizon, holidays, None)
        )
    grid = history.grid.without_first(idle) if history.grid else None
    prepared = replace(history, values=cleaned, grid=grid)
    active_columns = None if columns is None else columns.without_first(idle)
    finders = _effect_finders(horizon, holidays, active_columns)
    with np.errstate(all="ignore"):
        fitted = _fit_with_effects_removed(prepared, horizon, model_id, finders)
    fitted = _bound_distribution(widen_to_counts(fitted, prepared), cleaned)
    provenance = fitted.provenance.with_earlier_points(idle)
    return replace(fitted, provenance=provenance).with_provenance(
        notices=(*notices, *provenance.notices),
        holiday_notices=(
            *(provenance.holiday_notices or holiday_notices(prepared, horizon, holidays, None)),
            *shopping_notices(provenance.shopping_days),
        ),
    )


def _effect_finders(
    horizon: int, holidays: Holidays | None, columns: KnownColumns | None
) -> dict[str, _EffectFinder]:
    light_model = partial(_fit_or_fall_back, model_id=LIGHT_MODEL)

    def find_recent_change(rest: History) -> RemovableEffect | None:
        return (
            find_outage_and_change(rest, light_model)
            or find_level_change(rest, light_model)
            or find_interruption(rest, light_model)
        )

    return {
        "known columns": lambda rest: regressor_effects(rest, columns),
        "growth at one rate": find_exponential_growth,
        "clocks that have changed": find_season_shift,
        "shopping days": lambda rest: shopping_effects(rest, horizon, holidays),
        "holidays": lambda rest: holiday_effects(rest, horizon, holidays),
        "a certain interruption long ago": find_old_interruption,
        "a certain change of level long ago": find_old_level_change,
        "a recent change of level or interruption": find_recent_change,
    }


def _fit_with_effects_removed(
    history: History, horizon: int, model_id: str, finders: Mapping[str, _EffectFinder]
) -> ForecastDistribution:
    """Remove effects one after the other, fit the rest of the history, and add them back.

    An effect is not removed if values without it, or bounds with it, would not be finite.
    """
    rest = history
    removed: list[tuple[str, RemovableEffect, float]] = []
    for name, find in finders.items():
        effect = find(rest)
        if effect is None:
            continue
        remaining = effect.remove_from(rest)
        if np.isfinite(remaining.values).all():
            removed.append((name, effect, floor_of(rest.values)))
            rest = remaining
    fitted = _fit_or_fall_back(rest, horizon, model_id)
    for name, effect, floor in reversed(removed):
        fitted = effect.add_to(fitted, floor)
        if not has_finite_bounds(fitted, horizon):
            others = {other: finders[other] for other in finders if other != name}
            return _fit_with_effects_removed(history, horizon, model_id, others)
    return fitted


def _bound_distribution(
    distribution: ForecastDistribution, values: FloatArray
) -> ForecastDistribution:
    """Limit a distribution to the upper bound of a history; record the bound if it limits it."""
    bound = find_upper_bound(values, _MIN_SQUARE_RATIO, _MIN_SPREAD)
    if bound is None or bound >= max(
        distribution.median.max(), distribution.interval(CONFIDENCE_LEVELS[-1])[1].max()
    ):
        return distribution
    bounded = distribution.map_values(lambda forecast: np.minimum(forecast, bound))
    return bounded.with_provenance(upper_bound=bound)


def _preparation_notices(idle: int, outliers: int) -> tuple[str, ...]:
    notices: tuple[str, ...] = ()
    if idle:
        notices += (f"points before the first change were set aside: {idle}",)
    if outliers:
        notices += (f"extreme values were ignored: {outliers}",)
    return notices


def _fit_or_fall_back(history: History, horizon: int, model_id: str) -> ForecastDistribution:
    """Fit a model to a history, or a simpler model if that fails; fit a constant to a constant."""
    values = history.values
    if _is_constant(values):
        return fit_constant(float(values[0]), horizon)
    prepared = prepare_history(history)
    for name, fit_model in ((model_id, MODELS[model_id].fit), *_FALLBACKS):
        fitted = _fit_without_warnings(name, partial(fit_model, prepared.history, horizon), horizon)
        if fitted is not None:
            restored = restore_units(fitted, prepared)
            return restored if name == model_id else _as_fallback(restored, model_id, name)
    # Reached only if the naive forecast itself overflows.
    return _as_fallback(fit_constant(float(values[-1]), horizon), model_id, "the last value")


def _is_constant(values: FloatArray) -> bool:
    return bool((values == values[0]).all())


def _as_fallback(
    distribution: ForecastDistribution, model_id: str, used: str
) -> ForecastDistribution:
    notice = f"{model_id} could not be fitted, {used} was used"
    return distribution.with_provenance(
        notices=(notice, *distribution.provenance.notices), is_fallback=True
    )


def _fit_without_warnings(
    name: str, fit_model: Callable[[], ForecastDistribution], horizon: int
) -> ForecastDistribution | None:
    """Return the fit without warnings; None if it raised or the forecast is not finite."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = try_fit(fit_model, name)
        return fitted if fitted is not None and has_finite_bounds(fitted, horizon) else None
