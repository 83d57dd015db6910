"""The libraries of engine processes, which are loaded once, before the first job."""

import logging
import time

logger = logging.getLogger(__name__)


def load_engine(*, reads_tables: bool = True) -> None:
    """Import the libraries of jobs: each engine process would take its first job's time."""
    started = time.monotonic()
    from app.anomalies.warm_up import warm_up as warm_up_detection
    from app.forecasting.warm_up import warm_up as warm_up_forecasts

    warm_up_forecasts()
    warm_up_detection()
    if reads_tables:
        from app.tables.warm_up import warm_up as warm_up_reading

        warm_up_reading()
    logger.info("the engine's libraries are loaded, after %.1f s", time.monotonic() - started)
