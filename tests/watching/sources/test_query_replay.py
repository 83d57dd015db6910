"""A replay has the verdicts of live monitors, point by point, within bounded work."""

import itertools
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from app.api.service import current_settings
from app.compute.jobs import call_job_function
from app.watching.sources import query_replay
from app.watching.sources.replay_jobs import replay_monitor
from app.watching.sources.source_checks import CheckBusyError
from app.watching.sources.source_records import Labels
from tests.support.databases import ON_SQLITE
from tests.support.server import ROOT
from tests.watching.sources.source_queries import (
    ACCOUNT,
    DELAY,
    QUERY_SETTINGS,
    calm_value,
    events,
    make_query,
    monitors,
    points,
    poll_due,
)

STEP, DAYS = 3_600, 5
JUDGED = DAYS * 86_400 // STEP
HOURLY = replace(QUERY_SETTINGS, step=STEP, history=310)
SPIKES = {20, 60, 61, 62}
GAPS = {*range(25, 28), *range(63, 75)}  # the second one is longer than a series may be absent
LEVEL = range(90, 121)
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def begin(now):
    """Return the Unix time of the last step of the history."""
    return int((now().timestamp() - DELAY) // STEP * STEP)


@pytest.fixture
def faulty_series(server, begin):
    """Add series with spikes, gaps and a new level, a late one, and a calm one."""

    def value(at):
        number = (at - begin) // STEP
        if number in GAPS:
            return None
        return calm_value(at) + (60 if number in SPIKES else 20 if number in LEVEL else 0)

    server.add_series(value, service="faulty")
    server.add_series(calm_value, service="calm")
    server.add_series(lambda at: calm_value(at) if at > begin + 30 * STEP else None, service="late")
    return server


def run(job, *arguments, points=None, timeout_seconds=None):
    return call_job_function(job, *arguments)


def replay_query(query_settings=HOURLY, days=DAYS):
    return query_replay.replay_query(current_settings(), ACCOUNT, "prod", query_settings, days, run)


def replay_all_series(query_settings=HOURLY):
    """Return the labels and the whole replay of each series."""
    sent = []

    def keep_job(job, *arguments, **_options):
        if job is query_replay.REPLAY_JOB:
            sent.append(arguments)
        return run(job, *arguments)

    query_replay.replay_query(current_settings(), ACCOUNT, "prod", query_settings, DAYS, keep_job)
    ((series, *rest),) = sent
    return [(values.labels, replay_monitor(values, *rest)) for values in series]


def feed_live_monitors(now, **settings) -> None:
    """Feed monitors live, a poll for each step."""
    make_query(step=STEP, history=310, **settings)
    poll_due()
    for _ in range(JUDGED):
        now.move(seconds=STEP)
        poll_due()


def live_results(labels: Labels):
    """Return a live monitor's verdicts after the history, and the shown fields of its events."""
    (monitor,) = (monitor.name for monitor in monitors() if labels["service"] in monitor.name)
    return points(monitor)[-JUDGED:], [lasting_fields(event) for event in events(monitor)]


def lasting_fields(event):
    """Return the fields that do not depend on the time of polls."""
    hidden = {"id", "cursor", "opened_at", "closed_at"}
    return {name: value for name, value in vars(event).items() if name not in hidden}


@pytest.mark.parametrize(
    ("databases", "thresholds"),
    [
        ("sqlite", {}),
        pytest.param(
            "postgresql", {"alert_for": 3, "alert_min_deviation": 10.0}, marks=pytest.mark.services
        ),
    ],
    indirect=["databases"],
)
def test_a_replay_is_equal_to_live_verdicts(faulty_series, now, thresholds) -> None:
    feed_live_monitors(now, **thresholds)
    judged = replay_all_series(replace(HOURLY, **thresholds))
    assert [labels["service"] for labels, _ in judged] == ["faulty", "calm", "late"]
    for labels, replay in judged:
        live_points, live_events = live_results(labels)
        count = len(replay.points)
        assert repr([vars(point) | {"index": 0} for point in replay.points]) == repr(
            [vars(point) | {"index": 0} for point in live_points[-count:]]
        )
        assert [lasting_fields(event) for event in replay.events] == live_events
    (faulty_replay,) = (replay for labels, replay in judged if labels["service"] == "faulty")
    assert {event.closed_as for event in faulty_replay.events} >= {"absent"}
    assert faulty_replay.alerts


@ON_SQLITE
def test_a_replay_leaves_out_what_live_polls_leave_out_after_a_gap(server, now, begin) -> None:
    def value(at):
        return None if (at - begin) // STEP in (-9, 30, 31) else calm_value(at)

    server.add_series(value, service="shop")
    query_settings = replace(HOURLY, query="rate(x[3h])")
    feed_live_monitors(now, query=query_settings.query)
    ((labels, replay),) = replay_all_series(query_settings)
    live_points, live_events = live_results(labels)
    kept = [point for point in live_points if point.timestamp >= replay.points[0].timestamp]
    assert [repr(vars(point) | {"index": 0}) for point in replay.points] == [
        repr(vars(point) | {"index": 0}) for point in kept
    ]
    assert len(replay.points) == JUDGED - 2 - 3
    assert [lasting_fields(event) for event in replay.events] == live_events


@ON_SQLITE
def test_a_web_worker_gets_counts_and_the_newest_events_in_a_bounded_number(
    faulty_series, now, monkeypatch
) -> None:
    now.move(seconds=STEP * JUDGED)
    whole = [replay for _, replay in replay_all_series()]
    most = max(len(replay.events) for replay in whole)
    assert most > 2
    monkeypatch.setattr("app.watching.sources.replay_jobs.MAX_SERIES_EVENTS", 2)
    monkeypatch.setattr("app.watching.sources.replay_jobs.MAX_REPLAY_EVENTS", 3)
    summaries = replay_query().results
    assert sum(len(summary.events) for summary in summaries) <= 3
    for summary, replay in zip(summaries, whole, strict=True):
        assert summary.points == len(summary.judged.lower) == len(replay.points)
        assert (summary.alerts, len(summary.measures)) == (len(replay.alerts), len(replay.events))
        newest = replay.events[len(replay.events) - len(summary.events) :]
        assert [lasting_fields(event) for event in summary.events] == [
            lasting_fields(event) | {"alerted_at": replay.alerted_at.get(event.id)}
            for event in newest
        ]
    assert len(summaries[0].events) == 2


@ON_SQLITE
def test_a_replay_keeps_its_slot_while_an_engine_judges(server) -> None:
    server.add_series(calm_value)

    def judge(job, *arguments, **_options):
        with pytest.raises(CheckBusyError, match="this account"):
            replay_query()
        return run(job, *arguments)

    query_replay.replay_query(current_settings(), ACCOUNT, "prod", HOURLY, DAYS, judge)


@ON_SQLITE
def test_the_jobs_of_a_replay_share_its_time(server, monkeypatch) -> None:
    limits, clock = [], itertools.count(0, 20.0)
    server.add_series(calm_value)
    monkeypatch.setattr(query_replay, "time", SimpleNamespace(monotonic=lambda: next(clock)))

    def judge(job, *arguments, timeout_seconds, **_options):
        limits.append(timeout_seconds)
        return run(job, *arguments)

    query_replay.replay_query(current_settings(), ACCOUNT, "prod", HOURLY, DAYS, judge)
    assert limits == [25.0, 5.0]


@ON_SQLITE
def test_a_web_worker_loads_nothing_that_only_engine_processes_need() -> None:
    code = (
        "import sys, app.api.sources, app.web.dashboard.sources.replay_charts;"
        "print(sorted({'pandas', 'scipy', 'app.watching.monitors.judging.monitor_replay'}"
        " & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert done.stdout == b"[]\n"
