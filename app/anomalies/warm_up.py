"""Load what forked processes share."""

import numpy as np

from app.anomalies.detect import detect
from app.anomalies.last_point import detect_last
from app.anomalies.results import Direction
from app.anomalies.streaming.learning import learn_history
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

_RATE = 0.001


def warm_up() -> None:
    """Run each kind of detection once, to import its libraries before processes are forked."""
    day, frequency = (24,), Frequency.HOURS
    values = 10.0 + np.arange(120) % 24 + np.arange(120) % 7 / 10
    history = History(values, day, frequency)
    detect(history, _RATE)
    detect_last(history, _RATE)
    learn_history(values, day, _RATE, Direction.BOTH)
