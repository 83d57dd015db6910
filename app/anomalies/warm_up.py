"""Import the libraries of detection before processes are forked, which then share them."""

import numpy as np

from app.anomalies.detect import detect
from app.anomalies.last_point import detect_last
from app.anomalies.results import DEFAULT_FALSE_ALARM_RATE, Direction
from app.anomalies.streaming.learning import learn_history
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def warm_up() -> None:
    """Run each kind of detection once, to import its libraries before processes are forked."""
    values = 10.0 + np.arange(120) % 24 + np.arange(120) % 7 / 10
    history = History(values, (24,), Frequency.HOURS)
    detect(history, DEFAULT_FALSE_ALARM_RATE)
    detect_last(history, DEFAULT_FALSE_ALARM_RATE)
    learn_history(values, history.periods, DEFAULT_FALSE_ALARM_RATE, Direction.BOTH)
