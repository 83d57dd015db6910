"""A flood of requests whose bodies are not read, and the requests of others during it.

``pytest -s`` prints the figures of docs/running/nginx.md.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
import redis

from app.identity.accounts.permissions import Permission
from tests.support.activation import Node, two_nodes
from tests.support.databases import PostgresqlDatabases
from tests.support.edge import MANY_CLIENTS, Edge, curl, edge
from tests.support.keys import new_key
from tests.support.load import VERIFY, Request, load
from tests.support.monitors import SETTINGS, points
from tests.support.services import wait_until

FLOOD = ("POST", "/nowhere", b" " * 200_000)
FLOODERS, PAUSE_SECONDS = 3, 0.05  # 60 requests a second, of one address
BEGUN = 60  # requests of the flood, before others come
QUOTES = '"' * 7_900
OTHER_CLIENTS, REQUESTS, BREATH_SECONDS = 10, 500, 0.1


@pytest.fixture(scope="module")
def settings(postgresql_databases: PostgresqlDatabases, redis_url: str) -> dict[str, str]:
    """The stores of keys and counters of both nodes."""
    with redis.from_url(redis_url) as store:
        store.flushall()
    return {"database_url": postgresql_databases.migrated(), "REDIS_URL": redis_url}


@pytest.fixture(scope="module")
def nodes(
    settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Node]]:
    with two_nodes(tmp_path_factory.mktemp("nodes"), settings) as made:
        yield made


@pytest.fixture(params=[1, 2], ids=["one node", "two nodes"])
def site(request: pytest.FixtureRequest, nodes: list[Node], tmp_path: Path) -> Iterator[Edge]:
    """nginx with its default settings in front of one node, and of two."""
    upstreams = [node.address for node in nodes[: request.param]]
    with edge(tmp_path / "nginx", upstreams, http_block=MANY_CLIENTS) as running:
        yield running


def kinds(site: Edge, bearer: str, number: int) -> list[Request]:
    """Return the requests of a client in turn: /verify, an append to its monitor, a page."""
    monitor = f"/monitors/m{number}-{site.https.rpartition(':')[2]}"
    made = curl(
        site.https + monitor, "-X", "PUT", "-H", bearer,
        "-H", "Content-Type: application/json", "-d", orjson.dumps(SETTINGS).decode(),
    )  # fmt: skip
    assert made.status == 201
    append = ("POST", f"{monitor}/points", orjson.dumps(points([1.0])))
    return [VERIFY, append, ("GET", "/account/sign-in", None)]


def test_a_flood_of_unread_bodies_fails_no_request_of_another_client(
    site: Edge, settings: dict[str, str], request: pytest.FixtureRequest
) -> None:
    key = new_key(settings["database_url"], permissions=Permission)
    sent = [kinds(site, f"Authorization: Bearer {key}", number) for number in range(OTHER_CLIENTS)]
    with contextlib.ExitStack() as stack:
        flood = stack.enter_context(
            load(site.https, None, [FLOOD], clients=FLOODERS, pause=PAUSE_SECONDS)
        )
        wait_until(lambda: len(flood.calls) >= BEGUN, "the flood")
        others = [
            stack.enter_context(
                load(
                    site.https, key, requests,
                    clients=1,
                    pause=BREATH_SECONDS,
                    X_Test_Address=f"192.0.2.{number}",
                )
            )
            for number, requests in enumerate(sent)
        ]  # fmt: skip
        wait_until(lambda: sum(len(other.calls) for other in others) >= REQUESTS, "all requests")
    statuses = sum((other.statuses() for other in others), Counter[int]())
    case = request.node.callspec.id
    print(f"\n{case}: others {dict(statuses)}, the flood {dict(flood.statuses())}")
    assert set(flood.statuses()) <= {404, 429}
    assert set(statuses) == {200}


def test_a_request_with_long_response_headers_does_not_mark_a_node_as_failed(
    site: Edge,
) -> None:
    """The redirect to the sign-in repeats the query, of which each character takes three."""
    own = ("-H", "X-Test-Address: 192.0.2.99")
    responses = [curl(f"{site.https}/account/keys?{QUOTES}", *own) for _ in range(8)]
    assert {response.status for response in responses} == {302}
    assert len(responses[0].headers["location"]) > 3 * len(QUOTES)
    assert curl(f"{site.https}/account/sign-in", *own).status == 200
