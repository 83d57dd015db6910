"""Forecast a series of a table in an engine process."""

import logging

from app.forecasting.forecast import forecast
from app.tables.forecasts.types import ForecastOptions, SeriesForecast
from app.timeseries.calendar.fit import BeyondCalendarError
from app.timeseries.series import Series

logger = logging.getLogger(__name__)


def forecast_one(options: ForecastOptions, series: Series) -> SeriesForecast:
    """Forecast a series as POST /forecast does; one that fails has a problem."""
    try:
        result = forecast(
            series, options.horizon, options.confidence, options.model_id, options.country
        )
    except BeyondCalendarError as error:
        return SeriesForecast.nothing(str(error))
    except MemoryError:  # the engine's memory limit: its caller reports it
        raise
    except Exception:  # an error in one series must not fail the others
        logger.exception("a series of a table could not be forecast")
        problem = "could not be computed: send it to POST /forecast, and report the request id"
        return SeriesForecast.nothing(problem)
    return SeriesForecast(
        result.median, result.lower, result.upper, result.notices, is_fallback=result.is_fallback
    )
