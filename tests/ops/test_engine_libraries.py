"""What is imported before the web server forks its processes."""

import sys

from tests.support.programs import output_of

LOADED_BY_JOBS = """
import sys
from app.ops.engine_libraries import warm_up_detection
warm_up_detection()
before = set(sys.modules)
import numpy as np
from app.anomalies.detect import detect
from app.anomalies.last_point import detect_last
from app.anomalies.results import Direction
from app.anomalies.streaming.learning import learn_history
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
values = np.sin(np.arange(400) / 7) + np.arange(400) % 5
values[200] = 50
detect(History(values, (7,), Frequency.DAILY), 0.01)
detect_last(History(values, (7,), Frequency.DAILY), 0.01)
learn_history(values, (7,), 0.01, Direction.UP)
print(sorted(set(sys.modules) - before))
"""


def test_jobs_of_detection_import_nothing_that_processes_could_have_shared() -> None:
    assert output_of([sys.executable, "-c", LOADED_BY_JOBS]).strip() == "[]"
