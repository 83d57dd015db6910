"""Events a day on clean one-minute series, and how many of them would be sent."""

from collections.abc import Callable

import numpy as np

from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import LearningContext
from app.anomalies.streaming.learning import learn_stream
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.anomalies.clean_series import autocorrelate
from benchmarks.anomalies.replay import events_of, judge_points
from benchmarks.parallel import run_in_processes

DAY, WEEK, LEARNED = 1_440, 10_080, 3_000
# The default of ``alert_severity``.
MIN_SENT_SEVERITY = 50.0
SEED = 90_000
KINDS = ("daily wave", "AR(.8)", "counts", "lognormal", "Student t5")


def make_minutes(seed: int) -> History:
    """History and one day of a series without incidents; its kind is that of the seed."""
    rng = np.random.default_rng(SEED + seed)
    length = LEARNED + DAY
    turn = 2 * np.pi * np.arange(length) / DAY
    wave = np.sin(turn + 6 * rng.random()) + 0.4 * np.sin(2 * turn + 6 * rng.random())
    noise = rng.standard_normal(length)
    kinds: dict[str, Callable[[], FloatArray]] = {
        "daily wave": lambda: 100 + 20 * wave + 3 * noise,
        "AR(.8)": lambda: 50 + 10 * wave + 2 * autocorrelate(noise, 0.8),
        "counts": lambda: rng.poisson(np.exp(2.5 + 0.5 * wave)).astype(float),
        "lognormal": lambda: np.exp(3 + 0.4 * wave + 0.25 * noise),
        "Student t5": lambda: 0.2 + 0.02 * rng.standard_t(5, length),
    }
    values = kinds[KINDS[seed % len(KINDS)]]()
    return History(values, (DAY, WEEK), Frequency.MINUTES)


def severities(seed: int) -> list[float]:
    """Return the severity of each event of the day."""
    history = make_minutes(seed)
    known = history.values[:LEARNED]
    detector = StreamDetector(history.periods, 0.001, time=LEARNED)
    detector.learn(*learn_stream(known, history.periods, LearningContext(LEARNED)))
    return [event.severity for event in events_of(judge_points(detector, history, LEARNED))]


def print_events(count: int) -> None:
    """Print a line for each kind: events a day, and how many would be sent, for 500 series."""
    result = run_in_processes(severities, range(count))
    print(f"\nEvents a day on 500 clean one-minute series ({count} measured)")
    print(f"{'kind':16}{'events':>8}{'sent':>8}{'most severe':>14}")
    for number, name in enumerate((*KINDS, "all")):
        own = result[number :: len(KINDS)] if name != "all" else result
        flat = [severity for severities_of_series in own for severity in severities_of_series]
        factor = 500 / len(own)
        sent = sum(severity >= MIN_SENT_SEVERITY for severity in flat)
        print(f"{name:16}{factor * len(flat):8.0f}{factor * sent:8.0f}{max(flat, default=0):14.1f}")
