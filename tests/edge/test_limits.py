"""Flood protection by address in front of the service, and whose address it is."""

import contextlib
import datetime as dt
import re
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edge.test_errors import POST, assert_own_error
from tests.support.edge import Edge, connected, curl, edge
from tests.support.metrics import read
from tests.support.server import ROOT, Server
from tests.support.services import wait_until

CONNECTIONS = 3
# Takes the client's address from a header, so that tests can be many clients.
MANY_CLIENTS = "real_ip_header X-Test-Address; set_real_ip_from 127.0.0.1;"
BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", ["--http1.1", "--http2"])


@pytest.fixture(scope="module")
def strict(
    tmp_path_factory: pytest.TempPathFactory, service: Server, gunicorn_socket: str
) -> Iterator[Edge]:
    """nginx with small limits: bursts of 5 requests, of which 2 may be /verify."""
    options = {
        "requests_per_minute": "50",
        "verify_per_minute": "20",
        "http_block": MANY_CLIENTS,
    }
    with edge(tmp_path_factory.mktemp("strict"), gunicorn_socket, **options) as running:
        yield running


def statuses(site: Edge, path: str, times: int, address: str) -> Counter[int]:
    """How often each status came to one client that asks at once for the same path."""
    header = ("-H", f"X-Test-Address: {address}")
    return Counter(curl(site.https + path, *header).status for _ in range(times))


def test_more_than_a_burst_from_one_address_is_429_until_a_moment_later(strict: Edge) -> None:
    assert statuses(strict, "/openapi.json", 6, "192.0.2.1") == {200: 6}
    answer = curl(f"{strict.https}/openapi.json", "-H", "X-Test-Address: 192.0.2.1")
    details = assert_own_error(answer, 429)
    assert (answer.headers["retry-after"], answer.headers["x-ratelimit-remaining"]) == ("1", "0")
    assert details["limit"] == int(answer.headers["x-ratelimit-limit"]) == 50
    assert dt.datetime.fromisoformat(details["reset_time"]).tzinfo is not None
    assert statuses(strict, "/openapi.json", 1, "192.0.2.2") == {200: 1}


def test_verify_which_consumes_nothing_is_bounded_by_a_rate_of_its_own(strict: Edge) -> None:
    assert statuses(strict, "/verify", 5, "192.0.2.3") == {401: 3, 429: 2}
    answer = curl(f"{strict.https}/verify", "-H", "X-Test-Address: 192.0.2.3")
    assert assert_own_error(answer, 429)["limit"] == 20


def test_an_ipv6_client_is_limited_by_its_64_and_its_neighbour_is_not(strict: Edge) -> None:
    for host in range(6):
        address = f"2001:db8:0:7:{host:x}{host:x}{host:x}::{host + 1:x}"
        assert statuses(strict, "/openapi.json", 1, address) == {200: 1}
    assert statuses(strict, "/openapi.json", 1, "2001:db8:0:7:ffff::1") == {429: 1}
    assert statuses(strict, "/openapi.json", 1, "2001:db8:0:8::1") == {200: 1}


def test_more_requests_at_once_than_connections_are_429_until_one_ends(
    tmp_path: Path, gunicorn_socket: str
) -> None:
    # So patient that places are free because clients leave, not because nginx gives them up.
    options = {"connections": str(CONNECTIONS), "client_timeout": "120"}
    with edge(tmp_path / "nginx", gunicorn_socket, **options) as site:
        with contextlib.ExitStack() as clients:
            for _ in range(CONNECTIONS):  # their bodies are on their way
                link = clients.enter_context(connected(site))
                link.sendall(POST + b"Content-Length: 10\r\n\r\n1")
            wait_until(lambda: curl(f"{site.https}/verify").status == 429, "a full house")
            details = assert_own_error(curl(f"{site.https}/forecast", "-d", "{}"), 429)
            assert details["limit"] == CONNECTIONS
        wait_until(lambda: curl(f"{site.https}/verify").status == 401, "an answer", 60)


def test_the_default_limits_let_every_tier_spend_a_minute_at_once(
    site: Edge, service: Server, key: str
) -> None:
    """D19: a valid key is served whatever its address has used up; premium's 500, all at once."""
    seen: Counter[int] = Counter()

    def ask() -> None:
        words = ["-H", f"Authorization: Bearer {key}", "-H", "Content-Type: application/json"]
        command = ["curl", "--silent", "--insecure", "--output", "/dev/null", *words]
        url = f"{site.https}/forecast?[1-63]"
        done = subprocess.run(
            [*command, "--data", "{}", "--write-out", "%{http_code}\n", url],
            capture_output=True,
            text=True,
            check=True,
        )
        seen.update(int(status) for status in done.stdout.split())

    threads = [threading.Thread(target=ask) for _ in range(8)]
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
    left = []
    for number in range(3):
        headers = [word for name in forged for word in ("-H", f"{name}: 192.0.2.{number}")]
        headers += ["-H", f"Forwarded: for=192.0.2.{number};proto=http"]
        answer = curl(f"{site.https}/verify", protocol, *headers)
        assert answer.status == 401
        left.append(int(answer.headers["x-ratelimit-remaining"]))
    assert left[0] - left[2] == 2


@BOTH_PROTOCOLS
@pytest.mark.parametrize(
    "header", ["X-Forwarded-Proto: http", "X-Forwarded-Ssl: off", "X-Forwarded-Protocol: x"]
)
def test_a_forged_scheme_changes_nothing(site: Edge, key: str, protocol: str, header: str) -> None:
    sent = ("-H", header, "-H", f"Authorization: Bearer {key}")
    assert curl(f"{site.https}/verify", protocol, *sent).status == 200


def test_metrics_are_asked_through_nginx_as_the_page_says(site: Edge) -> None:
    page = (ROOT / "docs" / "operations.md").read_text()
    (line,) = re.findall(r"^curl -s (.* https://\S+/metrics)$", page, re.MULTILINE)
    port = site.https.rpartition(":")[2]
    line = line.replace("com:443", f"com:{port}").replace(".com/", f".com:{port}/")
    *words, url = line.split()
    answer = curl(url, *words)
    assert answer.status == 200
    assert read(answer.body.decode())["forecast_web_workers"] == 1


def test_metrics_are_refused_to_an_address_that_only_says_it_is_another(strict: Edge) -> None:
    for forged in ("X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1", "X-Real-Ip: ::1"):
        headers = ("-H", "X-Test-Address: 192.0.2.9", "-H", forged)
        answer = curl(f"{strict.https}/metrics", *headers)
        assert "192.0.2.9" in assert_own_error(answer, 403)["issue"]


def test_the_service_counts_ipv6_clients_behind_nginx_by_their_64(
    strict: Edge,
) -> None:
    left = []
    for host in ("2001:db8:0:9::1", "2001:db8:0:9::2", "2001:db8:0:a::1"):
        answer = curl(f"{strict.https}/nothing", "-H", f"X-Test-Address: {host}")
        assert answer.status == 404
        left.append(int(answer.headers["x-ratelimit-remaining"]))
    assert left[0] - left[1] == 1
    assert left[2] == left[0]
