"""Servers that hang do not delay the polls of other accounts, with one worker or several."""

import contextlib
import datetime as dt
import threading
import time
from collections.abc import Iterator

import pytest
from sqlalchemy import select, update

from app.core.database import base, db, utcnow
from app.watching.models.sources import QUERIES
from app.watching.sources import leases, poller
from app.watching.sources.poll_slots import PollSlot, PollSlots
from app.watching.sources.poller import MAX_CONCURRENT_POLLS, Poller
from app.watching.sources.source_records import SourceSettings
from tests.support.fake_prometheus import FakePrometheus, Handler, fake_prometheus
from tests.support.keys import ACTOR, make_account
from tests.support.services import wait_until
from tests.support.watching import new_poller, put_query, put_source
from tests.watching.sources.source_queries import (
    QUERY_SETTINGS,
    make_query,
    make_source,
    query,
    row,
)

STEP = 2
DELAY = 0
SLOTS = 2
HANGING_ACCOUNTS = 3
QUERIES_EACH = 8
STEPS = 3
MAX_LAG_STEPS = 1.5
PATIENCE_SECONDS = 60
MAX_STOP_SECONDS = 10  # 1 measured
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def settings(settings):
    return settings | {"source_least_step": 1}


@pytest.fixture
def now(monkeypatch):
    """Use the real clock: the tests measure lag."""
    monkeypatch.setattr(base, "now", lambda _zone: dt.datetime.now(dt.UTC))
    return utcnow


@contextlib.contextmanager
def run_hanging_server(app, has_ended: threading.Event) -> Iterator[FakePrometheus]:
    """A server that never responds, with queries of some accounts."""

    def hang(handler: Handler) -> None:
        has_ended.wait(PATIENCE_SECONDS)
        handler.close_connection = True

    with fake_prometheus(time.time) as fake:
        fake.behave = hang
        for account in range(2, 2 + HANGING_ACCOUNTS):
            make_account(app, f"slow-{account}", None)
            source_settings = SourceSettings(fake.url, None, None, [])
            put_source(ACTOR, account, "slow", source_settings)
            for number in range(QUERIES_EACH):
                put_query(ACTOR, account, "slow", f"q{number}", QUERY_SETTINGS)
        yield fake


@contextlib.contextmanager
def worker(app) -> Iterator[Poller]:
    """Poll repeatedly, as a worker does."""
    has_ended = threading.Event()
    polls = new_poller(PollSlots(SLOTS), has_ended.is_set)

    def run() -> None:
        with app.app_context():
            while not has_ended.wait(0.1):
                polls.start_due_polls()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield polls
    finally:
        has_ended.set()
        thread.join(PATIENCE_SECONDS)
        polls.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_the_steps_of_an_account_are_read_in_time_beside_servers_that_hang(
    server, context, workers
) -> None:
    has_ended = threading.Event()
    server.add_series(lambda at: float(at % 7))
    with contextlib.ExitStack() as stack:
        slow = stack.enter_context(run_hanging_server(context, has_ended))
        for _ in range(workers):
            stack.enter_context(worker(context))
        stack.callback(has_ended.set)  # before the workers are stopped
        wait_until(lambda: len(slow.requests) >= HANGING_ACCOUNTS, "polls that hang")
        make_query(step=STEP, delay=DELAY, history=0)
        wait_until(lambda: query().state == "live", "the first poll", PATIENCE_SECONDS)
        lags, read_to = [], row().read_to
        while len(lags) < STEPS:
            reached = row().read_to
            if reached > read_to:
                lags.append(time.time() - reached)
                read_to = reached
            time.sleep(0.02)
        assert slow.requests
    assert max(lags) <= MAX_LAG_STEPS * STEP


def test_an_account_whose_server_hangs_takes_few_poll_slots(server, context) -> None:
    has_ended = threading.Event()
    with run_hanging_server(context, has_ended) as slow, worker(context) as polls:
        wait_until(lambda: len(slow.requests) >= HANGING_ACCOUNTS, "polls that hang")
        for _ in range(20):
            polls.start_due_polls()
        number = len(slow.requests)
        has_ended.set()
    assert number <= HANGING_ACCOUNTS * 3 < MAX_CONCURRENT_POLLS / 2


def test_a_worker_that_stops_does_not_wait_for_servers_that_hang(context) -> None:
    has_ended = threading.Event()
    with run_hanging_server(context, has_ended) as slow:
        with worker(context):
            wait_until(lambda: len(slow.requests) >= HANGING_ACCOUNTS, "polls that hang")
            began = time.monotonic()
        assert time.monotonic() - began < MAX_STOP_SECONDS
        has_ended.set()
    with db.engine.connect() as connection:
        assert set(connection.scalars(select(QUERIES.c.leased_until))) == {None}


def test_no_query_is_polled_by_two_workers(server, context, now) -> None:
    for number in range(10):
        server.add_series(lambda at: float(at % 7), n=str(number))
        make_query(f"rate{number}", history=0)
    with worker(context), worker(context):
        names = [f"rate{number}" for number in range(10)]
        wait_until(lambda: all(query(name).state == "live" for name in names), "all of them")
    filled = [form for _, _, form in server.requests if "count" in form.get("query", "")]
    assert len(filled) == 10


def test_the_queries_of_an_account_are_found_beside_any_number_of_anothers(server, context) -> None:
    make_account(context, "many", None)
    put_source(ACTOR, 2, "prod", SourceSettings(server.url, None, None, []))
    for number in range(MAX_CONCURRENT_POLLS + 1):
        put_query(ACTOR, 2, "prod", f"q{number}", QUERY_SETTINGS)
    earlier = utcnow() - dt.timedelta(hours=1)
    with db.engine.begin() as connection:
        connection.execute(update(QUERIES).values(next_poll_at=earlier))
    make_query()
    queries = leases.find_due_queries(MAX_CONCURRENT_POLLS)
    assert [entry.account_id for entry in queries].count(1) == 1
    assert len(queries) == MAX_CONCURRENT_POLLS + 1


def test_a_database_that_fails_loses_no_place(server, context, monkeypatch) -> None:
    make_source(server.url)
    server.add_series(lambda at: float(at % 7))
    make_query(history=0)
    polls = new_poller(PollSlots(SLOTS))

    def fail(*_arguments, **_named) -> None:
        raise OSError("away")

    with monkeypatch.context() as patched:
        patched.setattr(leases, "acquire_lease", fail)
        for _ in range(2 * MAX_CONCURRENT_POLLS):
            with pytest.raises(OSError, match="away"):
                polls.start_due_polls()
    with monkeypatch.context() as patched:
        patched.setattr(poller, "poll_query", fail)
        polls.start_due_polls()
        polls.close()
        with pytest.raises(OSError, match="away"):
            polls.start_due_polls()
    with (
        contextlib.closing(new_poller(PollSlots(SLOTS))) as second,
        monkeypatch.context() as patched,
    ):
        later = utcnow() + leases.QUERY_LEASE
        patched.setattr(base, "now", lambda _zone: later)
        assert second.run_until_idle() >= 1
    assert query().state == "live"


def test_each_error_of_several_failed_polls_is_raised_or_logged(context, monkeypatch, caplog):
    for name in ("a", "b"):
        make_source(f"http://{name}.example.com", name=name)
        make_query(f"of_{name}", source=name, history=0)

    def fail(_context, lease, _slot) -> None:
        raise OSError(lease.query.name)

    monkeypatch.setattr(poller, "poll_query", fail)
    polls = new_poller(PollSlots(SLOTS))
    polls.start_due_polls()
    polls.close()
    with pytest.raises(OSError, match="of_") as raised:
        polls.start_due_polls()
    (logged,) = [record.exc_info[1] for record in caplog.records if record.exc_info]
    assert {str(raised.value), str(logged)} == {"of_a", "of_b"}


def test_accounts_that_wait_compute_in_turn() -> None:
    slots, order = PollSlots(1), []
    with PollSlot(slots, 0):
        threads = [
            threading.Thread(target=compute, args=(slots, account, order))
            for account in (1, 1, 1, 2, 3)
        ]
        for number, thread in enumerate(threads, 1):
            thread.start()
            wait_until(lambda number=number: waiting(slots) == number, "the thread")
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert order == [1, 2, 3, 1, 1]


def compute(slots, account, order) -> None:
    with PollSlot(slots, account):
        order.append(account)


def waiting(slots):
    return sum(map(len, slots._waiting.values()))


def test_a_poll_that_waits_for_the_network_lets_others_compute() -> None:
    slots = PollSlots(1)
    with PollSlot(slots, 1) as slow:
        with slow.wait(), PollSlot(slots, 2) as other:
            assert other is not slow
        assert slow.longest_wait_seconds > 0
    with PollSlot(slots, 3):
        assert not slots.has_waiting_polls()
