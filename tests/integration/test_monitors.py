"""Appends on both kinds of database: races of writers, retention, and broken connections."""

import contextlib
import itertools
import multiprocessing
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from sqlalchemy import func, select

from app import create_app
from app.core.database import base, db, lock_waits
from app.watching.monitors.queries.monitor_queries import get_monitor, read_points
from app.watching.monitors.settings.errors import BusyMonitorError, NoSuchMonitorError
from app.watching.monitors.settings.monitor_records import PointStatus
from app.watching.monitors.storage.row_conversion import PARTS
from tests.support.databases import ON_POSTGRESQL
from tests.support.watching import delete_monitor, open_overdue_events
from tests.watching.monitors.feeding import (
    ACCOUNT,
    NAME,
    NOW,
    events,
    history,
    make,
    points,
    put_webhook,
    send,
    statuses,
    waves,
)

WRITERS, POINTS = 8, 15
RACE_SECONDS = 0.6  # hundreds of changes; a deadlock comes with the first few
PATIENCE_MS = 20_000
GROWTH_APPENDS = 200
URL = "https://example.com/hook"
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def settings():
    return {"monitor_points_kept": 150, "monitor_events_kept": 10}


@pytest.fixture(autouse=True)
def context(app):
    with app.app_context():
        yield app


def send_persistently(index, value):
    while True:
        try:
            return send([index], [value])
        except BusyMonitorError:
            continue


def write(url, first, responses) -> None:
    """Run one process of a race: two threads that append all points, each twice."""
    app = create_app(database_url=url, monitor_points_kept=150)

    def run(offset) -> None:
        with app.app_context():
            values = waves(POINTS)
            for index in itertools.chain(range(offset, POINTS), range(offset)):
                for _ in range(2):
                    appended = send_persistently(index, values[index])
                    responses.put(
                        (index, str(appended.points[0].status), appended.points[0].p_value)
                    )

    threads = [threading.Thread(target=run, args=(first + i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_eight_writers_over_four_processes_store_every_point_once(context, each_database) -> None:
    make()
    # Modules are loaded once; the processes share nothing with the threads of this one.
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])
    result = forks.Queue()
    processes = [
        forks.Process(target=write, args=(each_database, 3 * number, result)) for number in range(4)
    ]
    for process in processes:
        process.start()
    results = [result.get(timeout=120) for _ in range(WRITERS * POINTS * 2)]
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    stored = points()
    hours = [int(point.timestamp[11:13]) + 24 * (point.timestamp[9] == "2") for point in stored]
    assert hours == list(range(POINTS))
    assert get_monitor(ACCOUNT, NAME).points == POINTS
    first = [(index, status) for index, status, _ in results if status != PointStatus.DUPLICATE]
    assert sorted(index for index, _ in first) == list(range(POINTS))
    verdict_of = {
        index: {p_value for other, _, p_value in results if other == index}
        for index in range(POINTS)
    }
    assert all(len(verdicts) == 1 for verdicts in verdict_of.values())


def test_monitors_work_on_every_database(context, monkeypatch) -> None:
    monkeypatch.setattr(base, "now", lambda _zone: NOW)
    make(history=history(480), webhook=put_webhook())
    assert get_monitor(ACCOUNT, NAME).points == 150
    (event,) = send([0], [60.0]).events
    assert statuses(send([0, 1], [60.0, 60.0])) == ["duplicate", "judged"]
    send(range(2, 30), waves(30)[2:])
    assert events()[0].id == event.id
    assert events()[0].closed_as == "ended"
    monkeypatch.undo()
    assert open_overdue_events() == 1
    assert len(points()) == get_monitor(ACCOUNT, NAME).points == 150
    assert read_points(ACCOUNT, NAME, None, 1, True).items[0].value == waves(30)[-1]
    delete_monitor(ACCOUNT, NAME)


def test_a_detector_is_stored_in_less_than_30_kilobytes(context) -> None:
    make(history=history(2_000))
    with db.engine.connect() as connection:
        size = connection.scalar(select(func.sum(func.length(PARTS.c.packed))))
    assert 2_000 < size < 30_000


@ON_POSTGRESQL
def test_appends_leave_the_tables_small_before_autovacuum_comes(context) -> None:
    def append_to(name) -> None:
        with context.app_context():
            for index in range(GROWTH_APPENDS):
                send([index], [float(index % 24)], name)

    names = [make(f"monitor-{number}").monitor.name for number in range(4)]
    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(append_to, names))
    with db.engine.connect() as connection:
        sizes = [
            connection.scalar(select(func.pg_total_relation_size(name)))
            for name in ("monitor_states", "monitor_detectors")
        ]
    assert sum(sizes) < 3_000_000


def repeat(app, act, until) -> None:
    """Repeat an action in a thread within a block; its errors are raised here."""
    with app.app_context():
        while time.monotonic() < until:
            with contextlib.suppress(BusyMonitorError, NoSuchMonitorError):
                act()


@pytest.mark.parametrize("is_deleted", [False, True])
def test_appends_and_changes_of_a_monitor_do_not_lock_each_other_out(
    context, is_deleted, monkeypatch
) -> None:
    # SQLite grants its lock in no order, so one of four racers may wait long. A deadlock is
    # rejected immediately, whatever the maximum wait.
    monkeypatch.setattr(lock_waits, "SHORT_WAIT_MS", PATIENCE_MS)
    waits = lock_waits.lock_waits_of(db.engine.dialect)
    monkeypatch.setattr(waits, "full_ms", PATIENCE_MS)
    make(webhook=put_webhook())
    indices, rates = itertools.count(), itertools.cycle([0.01, 0.001])
    urls = itertools.cycle([URL, "https://example.org/hook"])

    def change() -> None:
        if is_deleted:
            delete_monitor(ACCOUNT, NAME)
        make(webhook="ops", false_alarm_rate=next(rates))
        put_webhook(url=next(urls))

    def add() -> None:
        send([next(indices)], [1.0])

    until = time.monotonic() + RACE_SECONDS
    with ThreadPoolExecutor(4) as pool:
        racing = [pool.submit(repeat, context, act, until) for act in (add, change) * 2]
        for race in racing:
            race.result()


@ON_POSTGRESQL
def test_an_append_outlives_the_restart_of_the_server(context, each_database) -> None:
    make()
    send([0], [1.0])
    others = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with psycopg.connect(each_database.replace("+psycopg", ""), autocommit=True) as admin:
        admin.execute(others)
    assert statuses(send([1], [2.0])) == ["learning"]
    assert [point.value for point in points()] == [1.0, 2.0]
