"""The libraries of engine processes, which are loaded once, before the processes are forked."""

import datetime as dt
import logging
import time

logger = logging.getLogger(__name__)


def load_engine(*, reads_tables: bool = True) -> None:
    """Import the libraries of jobs: each engine process would take its first job's time."""
    started = time.monotonic()
    warm_up_forecasting()
    warm_up_detection()
    if reads_tables:
        warm_up_reading()
    logger.info("the engine's libraries are loaded, after %.1f s", time.monotonic() - started)


def warm_up_forecasting() -> None:
    """Forecast once by every model."""
    import numpy as np

    from app.forecasting.forecast import predict
    from app.forecasting.models.recipes import MODELS
    from app.timeseries.calendar.frequency import Frequency
    from app.timeseries.history import History

    values = 10.0 + np.arange(60) % 7 + np.arange(60) / 10
    for frequency, periods in ((Frequency.MONTHLY, (12,)), (Frequency.HOURS, (24,))):
        for model_id in MODELS:
            predict(History(values, periods, frequency), 3, 0.95, model_id)


def warm_up_detection() -> None:
    """Run each kind of detection once."""
    import numpy as np

    from app.anomalies.detect import detect
    from app.anomalies.last_point import detect_last
    from app.anomalies.results import DEFAULT_FALSE_ALARM_RATE, Direction
    from app.anomalies.streaming.learning import learn_history
    from app.timeseries.calendar.frequency import Frequency
    from app.timeseries.history import History

    values = 10.0 + np.arange(120) % 24 + np.arange(120) % 7 / 10
    history = History(values, (24,), Frequency.HOURS)
    detect(history, DEFAULT_FALSE_ALARM_RATE)
    detect_last(history, DEFAULT_FALSE_ALARM_RATE)
    learn_history(values, history.periods, DEFAULT_FALSE_ALARM_RATE, Direction.BOTH)


def warm_up_reading() -> None:
    """Read a table, compile the patterns of dates, and fill the caches."""
    from app.tables.answers import Answers, TableBounds
    from app.tables.dates.cells import is_date, is_yearless, read_fiscal
    from app.tables.read_table import read_table

    for fits, cell in ((is_date, "mar 2024-01.31"), (is_yearless, "may 32"), (read_fiscal, "2024")):
        fits(cell)  # is tried with each form, and has none
    bounds = TableBounds(dt.date(2024, 1, 2))
    read_table(b"date,value\n2024-01-01,1\n2024-01-02,2", Answers(), bounds)
