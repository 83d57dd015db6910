"""If the limit store cannot be reached, the process counts itself."""

import logging
import math
import threading
import time

import pytest
import redis
from sqlalchemy.exc import OperationalError

from app.identity.limits import fallback
from app.identity.limits.budget import Budget
from app.identity.limits.stores.memory import MemoryCounters
from tests.support.faults import BOUND_SECONDS, busy_error, send_in_time
from tests.support.keys import make_account, post, remaining_requests, verify
from tests.support.proxy import run_proxy
from tests.support.services import wait_until

FAULTS = ["disconnect", "hang"]


@pytest.fixture
def counter_proxy(redis_url):
    """A proxy in front of an empty Redis."""
    with redis.from_url(redis_url) as server:
        server.flushall()
    with run_proxy(redis_url) as proxy:
        yield proxy


@pytest.fixture
def fast_retry(monkeypatch) -> None:
    """Let the very next request try the lost store again."""
    monkeypatch.setattr(fallback, "RETRY_PAUSE_SECONDS", 0)


@pytest.mark.services
class TestLimitStore:
    """Counters in a failing Redis, keys in a working SQLite."""

    @pytest.fixture
    def settings(self, counter_proxy):
        return {"ratelimit_storage_uri": counter_proxy.url, "anonymous_per_minute": 3}

    @pytest.fixture
    def key(self, app, make_key):
        """A key with 3 requests a minute."""
        name = make_account(app, "acme", "enterprise", 3, 100, 1_000)
        return make_key(account_name=name)

    @pytest.mark.parametrize("fault", FAULTS)
    def test_requests_continue_under_a_limit_and_the_log_says_so(
        self, client, key, counter_proxy, fault, caplog
    ) -> None:
        post(client, key)
        getattr(counter_proxy, fault)()
        responses = [send_in_time(post, client, key) for _ in range(5)]
        assert [response.status_code for response in responses] == [400] * 3 + [429] * 2
        assert [response.headers["X-RateLimit-Limit"] for response in responses] == ["3"] * 5
        lost = [line for line in caplog.records if "the limit store is unavailable" in line.message]
        assert [line.levelno for line in lost] == [logging.ERROR]

    @pytest.mark.parametrize("fault", FAULTS)
    def test_anonymous_requests_are_401_and_still_limited(self, client, counter_proxy, fault):
        getattr(counter_proxy, fault)()
        statuses = [send_in_time(verify, client, None).status_code for _ in range(5)]
        assert statuses == [401] * 3 + [429] * 2

    @pytest.mark.parametrize("fault", FAULTS)
    def test_verify_and_headers_continue(self, client, key, counter_proxy, fault) -> None:
        getattr(counter_proxy, fault)()
        assert send_in_time(verify, client, key).status_code == 200
        assert client.get("/nothing").headers["X-RateLimit-Limit"] == "3"

    def test_counts_of_the_fallback_are_added_to_the_store_when_it_is_back(
        self, client, key, counter_proxy, caplog, fast_retry
    ) -> None:
        post(client, key)
        post(client, key)
        counter_proxy.disconnect()
        assert [post(client, key).status_code for _ in range(2)] == [400, 400]
        counter_proxy.restore()
        assert remaining_requests(client, key) == 0
        assert post(client, key).status_code == 429
        assert "the limit store is available again" in caplog.text

    def test_a_store_that_hung_is_used_again(self, client, key, counter_proxy, caplog, fast_retry):
        counter_proxy.hang()
        post(client, key)
        counter_proxy.restore()
        assert verify(client, key).status_code == 200
        assert "the limit store is available again" in caplog.text

    def test_a_lost_store_is_not_asked_by_every_request(self, client, key, counter_proxy, caplog):
        counter_proxy.hang()
        started = time.monotonic()
        for _ in range(20):
            verify(client, key)
        assert time.monotonic() - started < BOUND_SECONDS

    def test_a_restarted_empty_store_counts_from_nothing(self, client, key, redis_url) -> None:
        post(client, key)
        with redis.from_url(redis_url) as server:
            server.flushall()
            server.script_flush()
        assert post(client, key).headers["X-RateLimit-Remaining"] == "2"

    def test_a_store_that_refuses_to_write_is_a_lost_store(
        self, client, key, redis_url, fast_retry
    ):
        with redis.from_url(redis_url) as server:
            server.config_set("maxmemory", "1")
            try:
                assert [post(client, key).status_code for _ in range(4)] == [400] * 3 + [429]
            finally:
                server.config_set("maxmemory", "0")
        assert remaining_requests(client, key) == 0


class FailingStore(MemoryCounters):
    """A store that can be unavailable, also again during a transfer."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False
        self.adds_left = math.inf

    def acquire(self, budget, cost=1):
        if self.is_away:
            raise ConnectionError
        return super().acquire(budget, cost)

    def add(self, spent) -> None:
        self.adds_left -= 1
        if self.adds_left < 0:
            raise ConnectionError
        super().add(spent)


def test_a_busy_store_rejects_a_request_instead_of_losing_the_exact_count(monkeypatch) -> None:
    store = MemoryCounters()
    counters = fallback.CountersWithFallback(store, lambda _available: None)
    budget = Budget("key:a", ((60, 1_000),), None)

    def acquire(*_arguments) -> None:
        raise busy_error()

    with monkeypatch.context() as patch:
        patch.setattr(store, "acquire", acquire)
        with pytest.raises(OperationalError):
            counters.acquire(budget)
    counters.acquire(budget)
    assert store.read(budget).windows[0].used == 1


@pytest.mark.parametrize("method", ["read", "release", "add"])
def test_a_store_that_is_busy_but_for_a_moment_is_not_taken_for_unavailable(monkeypatch, method):
    store, states = MemoryCounters(), []
    counters = fallback.CountersWithFallback(store, states.append)
    budget = Budget("key:a", ((60, 1_000),), None)
    acquired = counters.acquire(budget)

    def fail(*_arguments) -> None:
        raise busy_error()

    with monkeypatch.context() as patch:
        patch.setattr(store, method, fail)
        if method == "add":  # counts of an earlier failure are left to transfer
            counters._fallback.acquire(budget)
        if method == "release":
            counters.release(budget, acquired)
        else:
            counters.read(budget)
    counters.acquire(budget)
    assert store.read(budget).windows[0].used == 2 + (method == "add")
    assert states == []


class TestHandOver:
    """The transfer of the counts of a process after its store was unavailable."""

    @pytest.fixture
    def store(self):
        return FailingStore()

    @pytest.fixture
    def counters(self, store, fast_retry):
        """Counters that try their store again immediately after each failure."""
        return fallback.CountersWithFallback(store, lambda _available: None)

    @staticmethod
    def budget(owner="key:a", mirror=None):
        return Budget(owner, ((1, 1_000), (3_600, 1_000)), mirror)

    @staticmethod
    def counted(store, owner):
        return store.read(TestHandOver.budget(owner)).windows[1].used

    def test_requests_counted_in_memory_join_the_store_before_the_next_is_counted(
        self, store, counters
    ) -> None:
        counters.acquire(self.budget(mirror="account:1"))
        store.is_away = True
        for _ in range(3):
            counters.acquire(self.budget(mirror="account:1"))
        store.is_away = False
        assert counters.read(self.budget()).windows[1].used == 4
        assert [self.counted(store, owner) for owner in ("key:a", "account:1")] == [4, 4]

    def test_a_window_that_ended_meanwhile_is_dropped(self, store, counters) -> None:
        store.is_away = True
        ended = counters.acquire(self.budget()).windows[0].resets_at
        wait_until(lambda: time.time() > ended, "the end of the window")
        store.is_away = False
        assert [window.used for window in counters.read(self.budget()).windows] == [0, 1]

    def test_a_hand_over_that_breaks_off_continues_where_it_was(self, store, counters) -> None:
        owners = [f"key:{number}" for number in range(6)]
        store.is_away = True
        for owner in owners:
            counters.acquire(self.budget(owner))
        store.is_away, store.adds_left = False, 2
        assert counters.acquire(self.budget("key:0")).rejected_by is None
        store.adds_left = math.inf
        counters.read(self.budget())
        assert [self.counted(store, owner) for owner in owners] == [2, 1, 1, 1, 1, 1]

    def test_many_owners_are_handed_over_in_portions(self, store, counters, monkeypatch) -> None:
        monkeypatch.setattr(fallback, "MAX_TRANSFERRED_OWNERS", 2)
        owners = [f"key:{number}" for number in range(5)]
        store.is_away = True
        for owner in owners:
            counters.acquire(self.budget(owner))
        store.is_away = False
        seen = []
        for _request in range(3):
            counters.read(self.budget())
            seen.append(sum(self.counted(store, owner) for owner in owners))
        assert seen == [2, 4, 5]

    def test_threads_that_come_and_go_with_the_store_lose_and_double_no_count(
        self, store, counters
    ) -> None:
        def send_request() -> None:
            for _ in range(200):
                counters.acquire(self.budget())

        threads = [threading.Thread(target=send_request) for _ in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            store.is_away = not store.is_away
        store.is_away = False
        counters.read(self.budget())
        assert self.counted(store, "key:a") == 800
