"""Forecast some series of a table in an engine process."""

import logging
import time
from collections.abc import Sequence

import numpy as np

from app.forecasting.forecast import forecast
from app.tables.forecasts.types import ForecastOptions, SeriesForecast
from app.timeseries.calendar.fit import BeyondCalendarError
from app.timeseries.series import Series

_log = logging.getLogger(__name__)
_NOTHING = np.zeros(0)


def forecast_series(
    options: ForecastOptions, series: Sequence[Series]
) -> tuple[float, list[SeriesForecast]]:
    """Forecast each series as POST /forecast does; return the seconds of a core that took, too."""
    started = time.thread_time()
    forecasts = [_forecast_one(options, history) for history in series]
    return time.thread_time() - started, forecasts


def _forecast_one(options: ForecastOptions, history: Series) -> SeriesForecast:
    try:
        result = forecast(
            history, options.horizon, options.confidence, options.model_id, options.country
        )
    except BeyondCalendarError as error:
        return SeriesForecast(_NOTHING, _NOTHING, _NOTHING, problem=str(error))
    except MemoryError:  # the engine's memory limit: its caller reports it
        raise
    except Exception:  # one series must not fail the others
        _log.exception("a series of a table could not be forecast")
        problem = "could not be computed: send it to POST /forecast, and report the request id"
        return SeriesForecast(_NOTHING, _NOTHING, _NOTHING, problem=problem)
    return SeriesForecast(
        result.median, result.lower, result.upper, result.notices, fell_back=result.fell_back
    )
