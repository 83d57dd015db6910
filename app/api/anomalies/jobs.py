"""How endpoints run the detector: the jobs, and their names in logs and metrics."""

from enum import StrEnum

from app.anomalies.results import Detection, Direction
from app.api.computing.engine_jobs import run_job
from app.api.request_state import JobDetails
from app.compute.jobs import Job
from app.timeseries.history import History


class Detect(StrEnum):
    """Which points are judged."""

    ALL = "all"
    LAST = "last"


def _detection_job(function: str) -> Job:
    remedy = "send the request again with fewer points"
    return Job(function, noun="detection", remedy=remedy, seconds_per_point=1e-5)


DETECTION_JOBS = {
    Detect.ALL: _detection_job("app.anomalies.detect:detect"),
    Detect.LAST: _detection_job("app.anomalies.last_point:detect_last"),
}


def run_detection(
    scope: Detect,
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Return the detector's result; the arguments are as in ``detect``."""
    label = "anomalies" if scope is Detect.ALL else "anomalies-last"
    details = JobDetails(label, len(history.values))
    arguments = (history, false_alarm_rate, direction, period)
    return run_job(DETECTION_JOBS[scope], *arguments, details=details)
