"""The methods that are compared: the four models, seasonal naive, models of statsforecast."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from app.forecasting.fallback import fit_naive
from app.forecasting.forecast import fit
from app.forecasting.models.recipes import MODELS
from app.forecasting.types import ForecastDistribution
from app.timeseries.history import History
from app.timeseries.types import FloatArray

LEVELS = (0.5, 0.8, 0.95)


@dataclass(frozen=True)
class Result:
    """A median of shape (h,), (lower, upper) by confidence, and the seconds of one request."""

    median: FloatArray
    bounds: Mapping[float, tuple[FloatArray, FloatArray]]
    seconds: float


Forecaster = Callable[[History, int], Result]


def _forecaster_of(fitter: Callable[[History, int], ForecastDistribution]) -> Forecaster:
    """Return a forecaster that is fitted once; the fit with the interval of one level is timed."""

    def forecast(history: History, horizon: int) -> Result:
        start = time.perf_counter()
        fitted = fitter(history, horizon)
        bounds = {LEVELS[-1]: fitted.interval(LEVELS[-1])}
        seconds = time.perf_counter() - start
        bounds |= {level: fitted.interval(level) for level in LEVELS}
        return Result(fitted.median, bounds, seconds)

    return forecast


def engine_model(model_id: str) -> Forecaster:
    """Return one of the engine's four models."""
    return _forecaster_of(lambda history, horizon: fit(history, horizon, model_id))


def statsforecast_model(name: str) -> Forecaster | None:
    """Return a model of statsforecast by its class name, None without the library."""
    try:
        from statsforecast import models  # noqa: PLC0415
    except ImportError:
        return None

    def forecast(history: History, horizon: int) -> Result:
        # Seasons above 24 are beyond AutoETS, by which MSTL forecasts what has no season.
        periods = [period for period in history.periods if period <= 24]
        model_class = getattr(models, name if periods or name != "MSTL" else "AutoETS")
        model = model_class(season_length=periods[0] if periods else 1)
        percents = [round(100 * level) for level in LEVELS]
        start = time.perf_counter()
        forecast = model.forecast(y=history.values, h=horizon, level=percents)
        seconds = time.perf_counter() - start
        bounds = {
            level: (np.asarray(forecast[f"lo-{percent}"]), np.asarray(forecast[f"hi-{percent}"]))
            for level, percent in zip(LEVELS, percents, strict=True)
        }
        return Result(np.asarray(forecast["mean"]), bounds, seconds)

    return forecast


def method_of(name: str) -> Forecaster:
    """Return a model of ours by its id, or one of statsforecast, if installed, by its name."""
    method = engine_model(name) if name in MODELS else statsforecast_model(name)
    assert method is not None
    return method


def all_forecasters() -> dict[str, Forecaster]:
    """Return every method of the accuracy table, by its name."""
    methods = {model_id: engine_model(model_id) for model_id in MODELS}
    methods["seasonal naive"] = _forecaster_of(fit_naive)
    rival = statsforecast_model("AutoETS")
    if rival is not None:
        methods["statsforecast AutoETS"] = rival
    return methods
