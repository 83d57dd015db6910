"""Clients that stall, or never leave, hold up nobody else, and are told what they did wrong.

Without nginx in front, which would keep them away from the service.
"""

import contextlib
import http.client
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import orjson
import pytest

from tests.support.keys import QUICK, mint
from tests.support.series import daily
from tests.support.server import Server

FORECAST_THREADS = 10  # of a worker with the settings below
MANY = 40  # more than any lane has
SETTINGS = {"WEB_CONCURRENCY": "1", "FORECAST_QUEUE": "1", "ANONYMOUS_PER_MINUTE": "100000"}
GOOD = orjson.dumps(daily())
MEBIBYTE = 1024 * 1024
EXPECTS = "Expect: 100-continue"


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return mint(server.environ["DATABASE_URL"])


@contextlib.contextmanager
def clients(server: Server, number: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """Clients that say ``sent`` and then nothing more, for the length of a block."""
    place = urlsplit(server.url)
    with contextlib.ExitStack() as opened:
        links = []
        for _ in range(number):
            link = socket.create_connection((place.hostname, place.port), timeout=60)
            links.append(opened.enter_context(link))
            link.sendall(sent)
        yield links


def head(key: str | None, *headers: str, path: str = "/forecast") -> bytes:
    """The head of a forecast."""
    lines = [f"POST {path} HTTP/1.1", "Host: a", "Content-Type: application/json", *headers]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    lines += [f"{name}: {value}" for name, value in QUICK.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def read_answer(link: socket.socket) -> tuple[int, dict]:
    """The status and the body of the next answer, which must be whole JSON."""
    answer = http.client.HTTPResponse(link)
    answer.begin()
    return answer.status, orjson.loads(answer.read())


def issue_of(link: socket.socket, status: int) -> str:
    got, body = read_answer(link)
    assert got == status, body
    assert body["error"]["code"] == "INVALID_REQUEST"
    issue: str = body["error"]["details"]["issue"]
    return issue


def assert_all_is_answered(server: Server, key: str) -> None:
    for path, status in (("/verify", 200), ("/healthz", 200), ("/nothing", 404)):
        assert server.request(path, key=key).status == status
    assert server.request("/forecast", daily(), key, X_Model_Id="forecast-model-2").status == 200


def test_clients_that_stall_are_told_so_and_the_others_are_served(server: Server, key: str) -> None:
    """In one test, so that the seconds of patience are waited for once."""
    half_a_head = b"GET /verify HTTP/1.1\r\nHost: x\r\n"
    half_a_body = head(key, "Content-Length: 100") + b"{"
    with (
        clients(server, MANY, half_a_head) as heads,
        clients(server, FORECAST_THREADS, half_a_body) as bodies,
    ):
        assert_all_is_answered(server, key)
        for link in heads:
            assert "did not arrive in time" in issue_of(link, 408)
            assert link.recv(1) == b""
        for link in bodies:
            assert "nothing more of it came" in issue_of(link, 400)
            assert link.recv(1) == b""


REFUSED_AT_ONCE = {
    "no key": (None, "Content-Length: 100", 401),
    "too large": ("key", "Content-Length: 6000000", 413),
    "compressed": ("key", "Content-Encoding: gzip\r\nContent-Length: 100", 415),
}


@pytest.mark.parametrize("case", REFUSED_AT_ONCE)
@pytest.mark.parametrize("expects", [(), (EXPECTS,)], ids=["", "expects to be asked"])
def test_a_body_that_is_announced_in_vain_takes_no_thread(
    server: Server, key: str, case: str, expects: tuple[str, ...]
) -> None:
    whose, announced, status = REFUSED_AT_ONCE[case]
    sent = head(key if whose else None, announced, *expects)
    with clients(server, MANY, sent) as links:
        for link in links:  # the first line that comes is that of the refusal: no 100 Continue
            assert link.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 %d" % status
        assert_all_is_answered(server, key)


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(server: Server, key: str) -> None:
    with clients(server, 1, head(key, EXPECTS, f"Content-Length: {len(GOOD)}")) as (link,):
        asked = b"HTTP/1.1 100 Continue\r\n\r\n"
        assert link.recv(len(asked), socket.MSG_WAITALL) == asked
        link.sendall(GOOD)
        assert read_answer(link)[0] == 200
        link.sendall(head(key, f"Content-Length: {len(GOOD)}") + GOOD)
        assert read_answer(link)[0] == 200


def test_a_head_that_comes_in_pieces_is_read(server: Server, key: str) -> None:
    sent = head(key, f"Content-Length: {len(GOOD)}") + GOOD
    with clients(server, 1, b"") as (link,):
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start in range(0, len(sent), 7):
            link.sendall(sent[start : start + 7])
        assert read_answer(link)[0] == 200


@pytest.mark.parametrize("mebibytes", [5, 60])
def test_a_client_that_sends_all_before_it_reads_sees_the_413(
    server: Server, key: str, mebibytes: int
) -> None:
    answer = server.request("/forecast", b" " * (mebibytes * MEBIBYTE), key)
    assert (answer.status, answer.json()["error"]["code"]) == (413, "INVALID_REQUEST")


def test_an_endless_head_is_431(server: Server) -> None:
    with clients(server, 1, b"GET /verify HTTP/1.1\r\n" + b"X: y\r\n" * 11_000) as (link,):
        assert "too many or too long" in issue_of(link, 431)


def test_a_line_of_other_ends_is_refused_without_waiting_for_more(server: Server) -> None:
    with clients(server, 1, b"GET /verify HTTP/1.1\nHost: a\n") as (link,):
        assert "not valid HTTP" in issue_of(link, 400)


def test_clients_that_do_not_leave_after_their_answer_hold_up_nobody(
    server: Server, key: str
) -> None:
    """Gunicorn by itself waits for each of them, 2 s, and serves nobody meanwhile."""
    with clients(
        server, MANY, b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    ) as (links):
        for link in links:
            assert read_answer(link)[0] == 200
            assert link.recv(1) == b""
        assert_all_is_answered(server, key)


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://a/forecast", 200),
        ("/%66orecast", 200),
        ("/forecast?a=b", 200),
        ("//forecast", 404),
        ("/%2Fforecast", 404),
        ("/forecast//", 404),
        ("/./forecast", 404),
        ("http://a//forecast", 404),
    ],
)
def test_other_spellings_of_a_path_are_the_same_path_or_unknown(
    server: Server, key: str, target: str, status: int
) -> None:
    sent = head(key, f"Content-Length: {len(GOOD)}", path=target) + GOOD
    with clients(server, 1, sent) as (link,):
        assert read_answer(link)[0] == status
