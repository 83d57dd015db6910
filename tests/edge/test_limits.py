"""Flood protection by address in front of the service, and the address that counts."""

import contextlib
import datetime as dt
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edge.rejections import POST, assert_own_error
from tests.support.edge import MANY_CLIENTS, Edge, EdgeResponse, connect, curl, edge
from tests.support.metrics import read
from tests.support.programs import find_binary, output_of
from tests.support.server import ROOT, Server
from tests.support.services import wait_until

CONNECTIONS = 3
REQUESTS_PER_MINUTE, VERIFY_PER_MINUTE = 50, 20  # with small limits
ENOUGH = 100  # requests in a row, of which one is rejected also on a slow machine
CLOCK_SECONDS = 0.01  # the resolution of nginx's clock
MOMENT_SECONDS = 30  # a request's share of a minute is 1.2; a window would end after all of it
BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", ["--http1.1", "--http2"])


@pytest.fixture(scope="module")
def strict_edge(
    tmp_path_factory: pytest.TempPathFactory, service: Server, gunicorn_socket: str
) -> Iterator[Edge]:
    """nginx with small limits: bursts of 5 requests, of which 2 may be /verify."""
    options = {
        "requests_per_minute": str(REQUESTS_PER_MINUTE),
        "verify_per_minute": str(VERIFY_PER_MINUTE),
        "http_block": MANY_CLIENTS,
    }
    with edge(tmp_path_factory.mktemp("strict"), gunicorn_socket, **options) as running:
        yield running


def request_from(site: Edge, path: str, address: str) -> EdgeResponse:
    return curl(site.https + path, "-H", f"X-Test-Address: {address}")


def rejection_after_burst(
    site: Edge, path: str, addresses: list[str], *, passed: int, per_minute: int
) -> EdgeResponse:
    """Send from one address after the other until the response is 429 and return that.

    Those before have the status ``passed`` and are a burst to the request: a tenth of a minute's
    and one, and what the rate has made room for meanwhile, which is none unless the machine pauses.
    """
    before, started = [], time.monotonic()
    for address in addresses:
        response = request_from(site, path, address)
        if response.status == 429:
            break
        before.append(response.status)
    meanwhile = (time.monotonic() - started + CLOCK_SECONDS) * per_minute / 60
    assert set(before) == {passed}
    assert 0 <= len(before) - (per_minute // 10 + 1) <= meanwhile
    assert assert_own_error(response, 429)["limit"] == per_minute
    return response


def test_no_rejection_by_nginx_under_account_is_stored(strict_edge: Edge) -> None:
    address = "192.0.2.77"
    responses = [
        request_from(strict_edge, "/account/sign-in?next=x", address) for _ in range(ENOUGH)
    ]
    assert {response.status for response in responses} == {200, 429}
    assert {response.headers.get("cache-control") for response in responses} == {"no-store"}
    own = ("-H", f"X-Test-Address: {address}")
    for path, status in (("/account?next=x", 403), ("/account", 301)):
        plain = curl(strict_edge.http + path, *own)
        assert (plain.status, plain.headers.get("cache-control")) == (status, "no-store")
    elsewhere = [request_from(strict_edge, "/accounts", address) for _ in range(ENOUGH)]
    assert {response.status for response in elsewhere} <= {404, 429}
    rejected = [response for response in elsewhere if response.status == 429]
    assert {response.headers.get("cache-control") for response in rejected} == {None}


@pytest.mark.timing
def test_more_than_a_burst_from_one_address_is_429_until_a_moment_later(strict_edge: Edge) -> None:
    path, address = "/openapi.json", "192.0.2.1"
    response = rejection_after_burst(
        strict_edge, path, [address] * ENOUGH, passed=200, per_minute=REQUESTS_PER_MINUTE
    )
    assert request_from(strict_edge, path, "192.0.2.2").status == 200
    assert (response.headers["retry-after"], response.headers["x-ratelimit-remaining"]) == (
        "1",
        "0",
    )
    assert int(response.headers["x-ratelimit-limit"]) == REQUESTS_PER_MINUTE
    reset = response.json()["error"]["details"]["reset_time"]
    assert dt.datetime.fromisoformat(reset).tzinfo is not None
    wait_until(
        lambda: request_from(strict_edge, path, address).status == 200, "a response", MOMENT_SECONDS
    )


def test_verify_which_consumes_nothing_is_bounded_by_a_rate_of_its_own(strict_edge: Edge) -> None:
    addresses = ["192.0.2.3"] * ENOUGH
    rejection_after_burst(
        strict_edge, "/verify", addresses, passed=401, per_minute=VERIFY_PER_MINUTE
    )


def test_an_ipv6_client_is_limited_by_its_64_and_its_neighbour_is_not(strict_edge: Edge) -> None:
    hosts = [f"2001:db8:0:7:{host:x}::{host:x}" for host in (0xFFFF, *range(1, ENOUGH))]
    rejection_after_burst(
        strict_edge, "/openapi.json", hosts, passed=200, per_minute=REQUESTS_PER_MINUTE
    )
    assert request_from(strict_edge, "/openapi.json", "2001:db8:0:8::1").status == 200


def test_more_concurrent_requests_than_connections_are_429_until_one_ends(
    tmp_path: Path, gunicorn_socket: str
) -> None:
    # So patient that places are free because clients leave, not because nginx gives them up.
    options = {"connections": str(CONNECTIONS), "client_timeout": "120"}
    with edge(tmp_path / "nginx", gunicorn_socket, **options) as site:
        with contextlib.ExitStack() as clients:
            for _ in range(CONNECTIONS):  # their bodies are on their way
                link = clients.enter_context(connect(site))
                link.sendall(POST + b"Content-Length: 10\r\n\r\n1")
            wait_until(lambda: curl(f"{site.https}/verify").status == 429, "a full house")
            details = assert_own_error(curl(f"{site.https}/forecast", "-d", "{}"), 429)
            assert details["limit"] == CONNECTIONS
        wait_until(lambda: curl(f"{site.https}/verify").status == 401, "a response", 60)


def test_the_default_limits_let_every_tier_spend_a_minute_in_one_burst(
    site: Edge, service: Server, key: str
) -> None:
    """A valid key is served whatever its address has used up: premium's 500, all at once."""
    seen: Counter[int] = Counter()

    def spend_minute() -> None:
        words = ["-H", f"Authorization: Bearer {key}", "-H", "Content-Type: application/json"]
        command = [find_binary("curl"), "--silent", "--insecure", "--output", "/dev/null", *words]
        url = f"{site.https}/forecast?[1-63]"
        printed = output_of([*command, "--data", "{}", "--write-out", "%{http_code}\n", url])
        seen.update(int(status) for status in printed.split())

    threads = [threading.Thread(target=spend_minute) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {400: 504}


@BOTH_PROTOCOLS
def test_a_forged_address_does_not_escape_the_address_limit_of_the_service(
    site: Edge, protocol: str
) -> None:
    forged = ("X-Forwarded-For", "Forwarded", "X-Real-Ip", "X-Forwarded", "Client-Ip")

    def seen_by(number: int) -> tuple[int, str]:
        """Return the remaining requests of such a client, and the end of the window."""
        headers = [word for name in forged for word in ("-H", f"{name}: 192.0.2.{number}")]
        headers += ["-H", f"Forwarded: for=192.0.2.{number};proto=http"]
        response = curl(f"{site.https}/verify", protocol, *headers)
        assert response.status == 401
        return int(response.headers["x-ratelimit-remaining"]), response.headers["x-ratelimit-reset"]

    seen = [seen_by(number) for number in range(3)]
    if len({reset for _, reset in seen}) > 1:  # a minute ended among them: the next has just begun
        seen = [seen_by(number) for number in range(3)]
    assert seen[0][0] - seen[2][0] == 2


@BOTH_PROTOCOLS
@pytest.mark.parametrize(
    "header", ["X-Forwarded-Proto: http", "X-Forwarded-Ssl: off", "X-Forwarded-Protocol: x"]
)
def test_a_forged_scheme_changes_nothing(site: Edge, key: str, protocol: str, header: str) -> None:
    sent = ("-H", header, "-H", f"Authorization: Bearer {key}")
    assert curl(f"{site.https}/verify", protocol, *sent).status == 200


def test_metrics_are_asked_through_nginx_as_the_page_says(site: Edge) -> None:
    page = (ROOT / "docs" / "running" / "metrics-and-alerts.md").read_text()
    (line,) = re.findall(r"^curl -s (.* https://\S+/metrics)$", page, re.MULTILINE)
    port = site.https.rpartition(":")[2]
    line = line.replace("com:443", f"com:{port}").replace(".com/", f".com:{port}/")
    *words, url = line.split()
    response = curl(url, *words)
    assert response.status == 200
    assert read(response.body.decode())["forecast_web_workers"] == 1


def test_metrics_are_rejected_for_an_address_that_only_says_it_is_another(
    strict_edge: Edge,
) -> None:
    for forged in ("X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1", "X-Real-Ip: ::1"):
        headers = ("-H", "X-Test-Address: 192.0.2.9", "-H", forged)
        response = curl(f"{strict_edge.https}/metrics", *headers)
        assert "192.0.2.9" in assert_own_error(response, 403)["issue"]


def test_the_service_counts_ipv6_clients_behind_nginx_by_their_64(strict_edge: Edge) -> None:
    left = []
    for host in ("2001:db8:0:9::1", "2001:db8:0:9::2", "2001:db8:0:a::1"):
        response = curl(f"{strict_edge.https}/nothing", "-H", f"X-Test-Address: {host}")
        assert response.status == 404
        left.append(int(response.headers["x-ratelimit-remaining"]))
    assert left[0] - left[1] == 1
    assert left[2] == left[0]
