"""The history, live points, states, and reads after a failure.

Nothing is lost, nothing is judged twice.
"""

import datetime as dt

import pytest

from app.watching.monitors.settings.errors import BusyMonitorError
from app.watching.monitors.settings.monitor_records import PointStatus
from app.watching.monitors.settings.states import State
from app.watching.sources import leases
from app.watching.sources.client import PrometheusClient
from app.watching.sources.source_records import SourceError
from tests.support.fake_prometheus import error
from tests.support.watching import poll_lease
from tests.watching.sources.source_queries import (
    HISTORY,
    STEP,
    calm_value,
    fill_calm_query,
    first_step,
    labels,
    make_query,
    monitors,
    points,
    poll,
    poll_due,
    query,
    row,
)

pytestmark = pytest.mark.usefixtures("each_database")


def times(name):
    results = [dt.datetime.fromisoformat(point.timestamp) for point in points(name)]
    return [int(moment.timestamp()) for moment in results]


def expect_every_step(name, first, last) -> None:
    assert times(name) == list(range(first, last + 1, STEP))


def test_a_new_query_learns_its_history_first_and_then_judges_each_step(server, now) -> None:
    server.add_series(calm_value, service="shop", instance="a:1")
    make_query()
    assert query().state == "waiting"
    poll()
    (monitor,) = monitors()
    assert monitor.name.startswith("rate.shop.")
    assert (monitor.fed_by, monitor.state, monitor.points) == ("rate", State.NORMAL, HISTORY)
    assert labels() == [{"service": "shop", "instance": "a:1"}]
    filled = first_step(now)
    expect_every_step(monitor.name, filled - (HISTORY - 1) * STEP, filled)
    poll(now, steps=3)
    assert [point.status for point in points(monitor.name)[-3:]] == [PointStatus.JUDGED] * 3
    expect_every_step(monitor.name, filled - (HISTORY - 1) * STEP, filled + 3 * STEP)
    shown = query()
    assert (shown.state, shown.series, shown.monitors, shown.problem) == ("live", 1, 1, None)
    assert shown.read_to.timestamp() == filled + 3 * STEP


def test_a_step_is_read_its_delay_after_it_and_once(server, now) -> None:
    fill_calm_query(server, history=0)
    (asked,) = [form for path, _, form in server.requests if "count" in form.get("query", "")]
    assert int(asked["time"]) == first_step(now)
    now.move(seconds=10)
    poll()
    assert server.ranges() == []  # 10 s after the step, and the delay is 15
    now.move(seconds=10)
    poll()
    assert server.ranges()[-1][1] == first_step(now)
    number = len(server.requests)
    poll()
    assert len(server.requests) == number


def test_a_query_whose_source_is_down_fails_and_catches_up_with_nothing_lost(server, now) -> None:
    server.add_series(calm_value)
    make_query()
    poll(now, steps=1)
    (monitor,) = monitors()
    assert monitor.name == "rate"
    last = first_step(now)
    server.behave = error(503, "unavailable", "starting up")
    began = now()
    pauses = []
    for _ in range(8):
        now.move(seconds=STEP)
        poll()
        pauses.append((row().next_poll_at - now()).total_seconds())
    shown = query()
    assert (shown.state, shown.problem) == ("failing", "unavailable: starting up")
    assert shown.failing_since == began + dt.timedelta(seconds=STEP)
    assert 4 <= pauses[0] <= 6
    assert 8 <= pauses[1] <= 12
    assert max(pauses) <= 360
    assert monitors()[0].state == State.NORMAL  # no monitor is overdue or absent meanwhile
    server.behave = None
    now.move(seconds=400)
    poll()
    shown = query()
    assert (shown.state, shown.problem, shown.failing_since) == ("live", None, None)
    expect_every_step("rate", last - HISTORY * STEP, first_step(now))


def test_a_rejection_and_a_changed_query_end_the_time_of_failing(server, now) -> None:
    for number in range(2):
        server.add_series(calm_value, n=str(number))
    make_query(max_series=1)

    def fail() -> None:
        server.behave = error(503, "unavailable", "starting up")
        now.move(seconds=400)
        poll()
        assert (row().state, row().failures, row().failing_since) == ("failing", 1, now())
        server.behave = None

    fail()
    now.move(seconds=STEP)
    poll()
    assert query().problem.startswith("the query returns 2 series")
    assert (query().state, row().failures, query().failing_since) == ("refused", 0, None)
    fail()
    make_query(query="rate(y[5m])", max_series=1)
    assert (query().state, row().failures, query().failing_since) == ("waiting", 0, None)
    assert query().problem is None
    fail()


def test_a_history_that_fails_again_is_failing_since_the_first_time(server, now, monkeypatch):
    server.add_series(calm_value)
    make_query()

    def fail(*_arguments):
        raise SourceError("no response")

    monkeypatch.setattr(PrometheusClient, "query_range", fail)
    began = now()
    for failures in (1, 2, 3):
        poll()
        assert (row().state, row().failures) == ("failing", failures)
        assert row().failing_since == began
        now.move(seconds=400)


def test_more_steps_than_one_response_may_have_are_read_in_parts(server, now, monkeypatch) -> None:
    monkeypatch.setattr("app.watching.sources.incremental.MAX_SAMPLES", 20)
    monkeypatch.setattr("app.watching.sources.backward_reads.MAX_SAMPLES", 20)
    server.add_series(calm_value, a="1")
    server.add_series(calm_value, a="2")
    make_query()
    poll()
    assert {end - start for start, end in server.ranges()} == {9 * STEP}
    filled = first_step(now)
    now.move(seconds=50 * STEP)
    server.requests.clear()
    poll()
    assert len(server.ranges()) == 5
    for monitor in monitors():
        expect_every_step(monitor.name, filled - (HISTORY - 1) * STEP, filled + 50 * STEP)


def test_an_outage_longer_than_a_response_is_cut_with_a_notice(server, now, monkeypatch) -> None:
    monkeypatch.setattr("app.watching.sources.incremental.MAX_STEPS_PER_REQUEST", 30)
    fill_calm_query(server)
    filled = first_step(now)
    now.move(seconds=50 * STEP)
    poll()
    polled = times("rate")
    assert polled[HISTORY - 1] == filled
    assert polled[HISTORY:] == list(range(filled + 21 * STEP, filled + 50 * STEP + 1, STEP))
    last = dt.datetime.fromtimestamp(filled + 20 * STEP, dt.UTC)
    notice = f"after an outage steps up to {last:%Y-%m-%dT%H:%M:%SZ} were not read: 20"
    assert notice in query().notices
    poll(now, steps=1)
    assert query().notices.count(notice) == 1


def test_points_that_cannot_be_stored_are_read_again(server, now, monkeypatch) -> None:
    fill_calm_query(server)
    filled = first_step(now)

    def collide(*_arguments, **_named) -> None:
        raise BusyMonitorError

    with monkeypatch.context() as patched:
        patched.setattr("app.watching.sources.incremental.append_points", collide)
        now.move(seconds=STEP)
        poll()
    assert query().read_to.timestamp() == filled
    now.move(seconds=STEP)
    poll()
    expect_every_step("rate", filled - (HISTORY - 1) * STEP, filled + 2 * STEP)


def test_a_fill_that_is_interrupted_is_continued_to_the_same_end(server, now) -> None:
    for number in range(6):
        server.add_series(calm_value, n=str(number))
    make_query()
    calls = []

    def is_stopping():
        calls.append(1)
        return len(calls) > 5

    poll_due(is_stopping)
    filled = first_step(now)
    assert 0 < len(monitors()) < 6
    assert query().state == "filling"
    now.move(seconds=10 * STEP)
    poll()
    assert row().fill_to == filled
    poll()
    assert len(monitors()) == 6
    for monitor in monitors():
        expect_every_step(monitor.name, filled - (HISTORY - 1) * STEP, first_step(now))


def test_two_workers_do_not_poll_the_same_query(server, now) -> None:
    server.add_series(calm_value)
    make_query()
    held = leases.acquire_lease(row().id)
    assert leases.acquire_lease(row().id) is None
    assert poll_due() == 0
    assert poll_lease(held)["created"] == 1


def test_a_worker_that_was_stopped_for_longer_than_its_lease_writes_nothing(server, now) -> None:
    fill_calm_query(server)
    filled = first_step(now)
    now.move(seconds=STEP)
    stopped = leases.acquire_lease(row().id)
    now.move(seconds=120)
    poll()
    read_to = row().read_to
    assert read_to == filled + 3 * STEP
    assert "another worker" in poll_lease(stopped)["problem"]
    assert row().read_to == read_to
    expect_every_step("rate", filled - (HISTORY - 1) * STEP, filled + 3 * STEP)


def test_a_changed_query_is_polled_with_its_new_settings(server, now) -> None:
    fill_calm_query(server)
    held = leases.acquire_lease(row().id)
    make_query(alert_severity=70.0)
    assert monitors()[0].settings.alert_severity == 70.0
    assert "changed" in poll_lease(held)["problem"]
    poll(now, steps=1)
    assert query().state == "live"
