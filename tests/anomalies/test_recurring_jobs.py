"""The whole-series detection learns recurring jobs, and reports runs that are unlike the others."""

from dataclasses import dataclass

import numpy as np
import pytest

from app.anomalies.detect import detect
from app.anomalies.results import Detection, Direction, Event, EventKind
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import BoolArray, FloatArray

RATE = 0.001
MINUTES, FIVE_MINUTES, HOURS = (1440, 10080), (288, 2016), (24, 168)


@dataclass(frozen=True)
class Job:
    """A job that runs once each period, on an idle series with noise."""

    frequency: Frequency
    suggested: tuple[int, ...]
    period: int
    runs: int
    length: int
    idle: float = 0.0
    noise: float = 0.0
    jitter: int = 0

    @property
    def usual_run(self) -> FloatArray:
        return np.full(self.length, 5000.0)

    def series(self, odd: dict[int, FloatArray], late: int = 0) -> tuple[FloatArray, BoolArray]:
        """Return the values, with these heights of the odd runs, and whether the job runs."""
        rng = np.random.default_rng(3)
        n = self.runs * self.period
        values = self.idle + self.noise * rng.standard_normal(n)
        is_running = np.zeros(n, dtype=bool)
        for index in range(self.runs):
            begin = self.begin(index) + self.jitter * int(rng.integers(-1, 2))
            run = odd.get(index, self.usual_run) * (1 + 0.05 * rng.standard_normal())
            begin += late * (index in odd)
            values[begin : begin + len(run)] += run
            is_running[begin : begin + len(run)] = True
        return values, is_running

    def begin(self, index: int) -> int:
        return index * self.period + 4

    def detect(self, values: FloatArray, direction: Direction = Direction.BOTH) -> Detection:
        return detect(History(values, self.suggested, self.frequency), RATE, direction)

    def events_of(self, detection: Detection, index: int) -> list[Event]:
        """Return the severe events that overlap a run, or what follows it directly."""
        first, last = self.begin(index) - 1, self.begin(index) + 2 * self.length + 4
        return [
            event
            for event in detection.events
            if event.end >= first and event.start <= last and event.severity > 50
        ]


JOBS = {
    "a minute": Job(Frequency.MINUTES, MINUTES, 1440, 12, 1),
    "a minute, noise": Job(Frequency.MINUTES, MINUTES, 1440, 12, 1, 2.0, 0.3),
    "two minutes, noise, jitter": Job(Frequency.MINUTES, MINUTES, 1440, 12, 2, 2.0, 0.3, 1),
    "45 minutes": Job(Frequency.MINUTES, MINUTES, 1440, 12, 45),
    "45 minutes, noise": Job(Frequency.MINUTES, MINUTES, 1440, 12, 45, 2.0, 0.3),
    "two hours": Job(Frequency.HOURS, HOURS, 24, 20, 2, 2.0, 0.3),
    "two hours, jitter": Job(Frequency.HOURS, HOURS, 24, 20, 2, 0.0, 0.0, 1),
    "hourly": Job(Frequency.MINUTES, FIVE_MINUTES, 12, 200, 1, 2.0, 0.3),
}


@pytest.mark.parametrize("name", JOBS)
def test_ordinary_runs_are_not_flagged_and_the_rest_keeps_its_narrow_band(name: str) -> None:
    job = JOBS[name]
    values, is_running = job.series({})
    seen = job.detect(values)
    assert not seen.is_anomaly[is_running].any()
    assert seen.is_anomaly.mean() <= 2 * RATE
    assert job.period in seen.periods
    widths = (seen.upper - seen.lower)[~is_running]
    assert np.median(widths) <= 10 * job.noise


@pytest.mark.parametrize("name", JOBS)
def test_a_run_that_is_missing_late_doubled_or_half_is_an_event(name: str) -> None:
    job = JOBS[name]
    middle = job.runs // 2
    odd = {
        "missing": 0 * job.usual_run,
        "doubled": 2 * job.usual_run,
        "half": 0.5 * job.usual_run,
        "long": np.full(2 * job.length + 2, 5000.0),
        "late": job.usual_run,
    }
    for kind, run in odd.items():
        values, _is_running = job.series({middle: run}, late=5 if kind == "late" else 0)
        seen = job.detect(values)
        assert job.events_of(seen, middle), kind
        for index in (middle - 2, middle + 2):
            assert not job.events_of(seen, index), kind


@pytest.mark.parametrize("name", JOBS)
def test_a_missing_run_is_one_dip_where_the_job_usually_runs(name: str) -> None:
    job = JOBS[name]
    (event,) = job.events_of(job.detect(job.series({5: 0 * job.usual_run})[0]), 5)
    assert event.kind is EventKind.DIP
    assert job.begin(5) - 1 <= event.start <= event.end <= job.begin(5) + job.length


def test_two_runs_of_half_the_size_do_not_hide_each_other() -> None:
    for name in ("a minute, noise", "45 minutes", "two hours"):
        job = JOBS[name]
        values, _is_running = job.series({3: 0.5 * job.usual_run, 7: 0.5 * job.usual_run})
        seen = job.detect(values)
        assert job.events_of(seen, 3)
        assert job.events_of(seen, 7)


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("name", JOBS)
def test_band_flags_p_values_and_severities_agree_in_and_around_runs(
    name: str, direction: Direction
) -> None:
    job = JOBS[name]
    values, _is_running = job.series(
        {2: 0 * job.usual_run, 4: 2 * job.usual_run, 6: 0.4 * job.usual_run}
    )
    values[job.period * 8 + job.period // 2] -= 40.0
    seen = job.detect(values, direction)
    is_above = (values > seen.upper) & (direction is not Direction.DOWN)
    is_below = (values < seen.lower) & (direction is not Direction.UP)
    assert (seen.is_anomaly == (is_above | is_below)).all()
    assert (seen.is_anomaly == (seen.p_value < RATE)).all()
    assert (seen.lower <= seen.expected).all()
    assert (seen.expected <= seen.upper).all()
    assert seen.severity[seen.is_anomaly].min() >= seen.severity[~seen.is_anomaly].max()
    flagged = {index for event in seen.events for index in range(event.start, event.end + 1)}
    assert flagged >= set(np.flatnonzero(seen.is_anomaly).tolist())


def test_three_runs_with_a_jitter_have_the_period_of_the_calendar() -> None:
    values = np.zeros(72)
    values[[5, 28, 51]] = 500.0
    assert detect(History(values, HOURS, Frequency.HOURS), RATE).periods == (24,)
