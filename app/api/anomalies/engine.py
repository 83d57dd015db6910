"""How endpoints run the detector: the jobs, and their names in logs and metrics."""

from enum import StrEnum

from app.anomalies.results import Detection, Direction
from app.api.jobs import run_job
from app.engine.jobs import Job
from app.forecasting.types import History
from app.observability.requests import Work


class Detect(StrEnum):
    """Which points are judged."""

    ALL = "all"
    LAST = "last"


REMEDY = "send the request again with fewer points"
JOBS = {
    Detect.ALL: Job("app.anomalies.detect:detect", noun="detection", remedy=REMEDY),
    Detect.LAST: Job("app.anomalies.last_point:detect_last", noun="detection", remedy=REMEDY),
}
LABELS = {Detect.ALL: "anomalies", Detect.LAST: "anomalies-last"}


def run_detection(
    which: Detect,
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Return the detector's result; the arguments are those of ``detect``."""
    work = Work(LABELS[which], len(history.values))
    arguments = (history, false_alarm_rate, direction, period)
    detection: Detection = run_job(JOBS[which], *arguments, work=work)
    return detection
