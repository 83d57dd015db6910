"""The end of a key on running servers: to the second, in every worker of every node."""

import datetime as dt
import itertools
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import orjson
import pytest

from app.identity.accounts.models import ApiKey
from tests.support.databases import POSTGRESQL
from tests.support.keys import key_row
from tests.support.server import Server, run_server

CLIENTS = 6
# The lifetime of keys in these tests; on a busy machine some of it passes before the first use.
SECONDS = 8
SECOND = dt.timedelta(seconds=1)
PAUSE_SECONDS = 0.5  # between two calls of a client: a dozen a second, which the servers can serve


@dataclass(frozen=True)
class Call:
    """A call of /verify: when it was sent, when its response came, and its status."""

    sent: dt.datetime
    ended: dt.datetime
    status: int


@pytest.fixture(scope="module", params=["sqlite", POSTGRESQL])
def nodes(request, tmp_path_factory):
    """Two running servers of two workers each, on one database."""
    database_url = request.getfixturevalue(f"{request.param}_databases").migrated()
    folder = tmp_path_factory.mktemp("nodes")
    settings = {"WEB_CONCURRENCY": "2", "ANONYMOUS_PER_MINUTE": "1000000"}
    with (
        run_server(folder, database_url, **settings) as first,
        run_server(folder, database_url, **settings) as second,
    ):
        yield first, second


def server_time() -> dt.datetime:
    """Return the time by the clock of the servers."""
    return dt.datetime.now(dt.UTC)


def new_key(nodes: tuple[Server, ...], *words: str) -> tuple[ApiKey, str]:
    """Create a key on the first node; return its row and the key."""
    key = nodes[0].flask("keys", "create", "--permissions", "read", "--quiet", *words)
    return key_on_nodes(nodes, key), key


def key_on_nodes(nodes: tuple[Server, ...], key: str) -> ApiKey:
    """Return the row of a key in the database."""
    return key_row(nodes[0].environ["DATABASE_URL"], key)


def row_of(nodes: tuple[Server, ...], key: str) -> dict:
    """Return the entry of a key in the list."""
    rows = orjson.loads(nodes[0].flask("keys", "list", "--json"))
    return next(row for row in rows if key.startswith(row["prefix"]))


def calls_until(nodes: tuple[Server, ...], key: str, end: dt.datetime) -> list[Call]:
    """Call all nodes with ``key`` from several clients until ``end``, and each client once more."""

    ended = threading.Event()

    def keep_calling(_client: int) -> list[Call]:
        calls = []
        for node in itertools.cycle(nodes):
            sent = server_time()
            status = node.request("/verify", key=key).status
            calls.append(Call(sent, server_time(), status))
            if sent > end:
                ended.set()
                break
            ended.wait(PAUSE_SECONDS)
        return calls

    with ThreadPoolExecutor(CLIENTS) as pool:
        return [call for calls in pool.map(keep_calling, range(CLIENTS)) for call in calls]


def assert_ends_at(calls: list[Call], moment: dt.datetime) -> None:
    """Check that responses before ``moment`` are 200, and those to later calls 401."""
    before = Counter(call.status for call in calls if call.ended < moment)
    after = Counter(call.status for call in calls if call.sent >= moment)
    assert set(before) == {200}, before
    assert set(after) == {401}, after


def test_an_expiry_holds_to_the_second_in_every_worker_of_every_node(nodes) -> None:
    record, key = new_key(nodes, "--expires-in", f"{SECONDS}s")
    moment = record.expires_at
    assert_ends_at(calls_until(nodes, key, moment + 2 * SECOND), moment)
    assert row_of(nodes, key)["state"] == "expired"


def test_both_keys_work_until_the_graces_second_and_share_their_usage(nodes) -> None:
    record, old = new_key(nodes)
    new = nodes[1].flask("keys", "rotate", str(record.id), "--grace", f"{SECONDS}s", "--quiet")
    moment = key_on_nodes(nodes, old).grace_ends_at
    end = moment + 2 * SECOND
    with ThreadPoolExecutor(2) as pool:
        of_old, of_new = pool.map(lambda key: calls_until(nodes, key, end), (old, new))
    assert_ends_at(of_old, moment)
    assert {call.status for call in of_new} == {200}
    successes = [sum(call.status == 200 for call in calls) for calls in (of_old, of_new)]
    rows = [row_of(nodes, key) for key in (old, new)]
    assert [row["usage_count"] for row in rows] == successes
    assert [row["shared_usage_count"] for row in rows] == [sum(successes)] * 2


@pytest.mark.parametrize("rotated", [False, True], ids=["an active key", "a key in its grace"])
def test_a_revocation_on_one_node_holds_for_the_next_request_of_every_worker(nodes, rotated):
    record, key = new_key(nodes)
    if rotated:
        nodes[0].flask("keys", "rotate", str(record.id), "--grace", "1h")
    warm = calls_until(nodes, key, server_time() + SECOND)
    assert {call.status for call in warm} == {200}
    nodes[0].flask("keys", "revoke", str(record.id))
    assert {call.status for call in calls_until(nodes, key, server_time() + SECOND)} == {401}


def test_the_audit_of_a_running_service_is_the_same_on_every_node(nodes) -> None:
    record, _key = new_key(nodes)
    nodes[1].flask("keys", "revoke", str(record.id))
    trails = [orjson.loads(node.flask("keys", "audit", "--json")) for node in nodes]
    assert trails[0] == trails[1]
    events = [(e["action"], e["key_id"]) for e in trails[0]]
    assert events[-2:] == [("key created", record.id), ("key revoked", record.id)]
