"""Every answer that nginx or gunicorn gives by itself is the service's Error body (D1)."""

import contextlib
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.api.examples import Origin
from app.api.statuses import UNREAD_ISSUES
from tests.edge.conftest import IMPATIENCE_SECONDS
from tests.support.edge import (
    UNHEARD,
    Edge,
    EdgeAnswer,
    ask_bytes,
    connected,
    curl,
    edge,
    make_certificate,
    send_bytes,
)
from tests.support.examples import assert_error_shown, of_name
from tests.support.server import Server
from tests.support.services import children, wait_until

Ask = Callable[[Edge], EdgeAnswer]

# The statuses that nginx gives and the codes of D1, literally.
CODES = {
    400: "INVALID_REQUEST",
    403: "UNAUTHORIZED",
    404: "INVALID_REQUEST",
    405: "INVALID_REQUEST",
    413: "INVALID_REQUEST",
    414: "INVALID_REQUEST",
    429: "RATE_LIMIT_EXCEEDED",
    431: "INVALID_REQUEST",
    500: "INTERNAL_ERROR",
    501: "INTERNAL_ERROR",
    502: "INTERNAL_ERROR",
    503: "INTERNAL_ERROR",
    504: "INTERNAL_ERROR",
    505: "INTERNAL_ERROR",
}
GET = b"GET /verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
POST = b"POST /forecast HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


def assert_own_error(answer: EdgeAnswer, status: int) -> dict:
    """Hold an answer to the Error body and the headers of every response; gives the details."""
    assert answer.status == status, answer
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert list(answer.json()) == ["error"]
    assert error["code"] == CODES[status]
    assert error["message"]
    limit, left, reset = (
        int(answer.headers[f"x-ratelimit-{name}"]) for name in ("limit", "remaining", "reset")
    )
    assert 0 <= left <= limit
    assert reset > 1_700_000_000
    assert answer.headers["x-api-version"] == "1.0.0"
    assert 1 <= len(answer.headers["x-request-id"]) <= 128
    assert ("retry-after" in answer.headers) == (status in (429, 503))
    assert not any(character.isdigit() for character in answer.headers.get("server", ""))
    if status != 429:
        assert len(error["details"]["issue"]) > 20
    return error["details"]


def assert_shown(answer: EdgeAnswer, name: str) -> None:
    """Hold an answer of nginx to its example, which developers are shown."""
    assert of_name(name).by == Origin.NGINX
    assert_own_error(answer, answer.status)
    headers = {header.title(): value for header, value in answer.headers.items()}
    assert_error_shown(name, answer.status, headers, answer.json())


def over_http2(*words: str) -> Ask:
    return lambda site: curl(f"{site.https}/verify", "--http2", *words)


def over_plain_http(path: str, *words: str) -> Ask:
    return lambda site: curl(site.http + path, *words)


def in_bytes(*parts: bytes) -> Ask:
    return lambda site: ask_bytes(site, *parts)


def plain_http_on_the_port_of_https(site: Edge) -> EdgeAnswer:
    return curl(f"{site.https.replace('https', 'http')}/verify")


REFUSALS: dict[str, tuple[int, Ask]] = {
    "no HTTP at all": (400, in_bytes(b"\x00\x01\x02\r\n\r\n")),
    "no Host": (400, in_bytes(b"GET /verify HTTP/1.1\r\n\r\n")),
    "two Hosts": (400, in_bytes(GET + b"Host: other\r\n\r\n")),
    "a space in a header's name": (400, in_bytes(GET + b"X A: 1\r\n\r\n")),
    "a length that is no number": (400, in_bytes(POST + b"Content-Length: x\r\n\r\n")),
    "two framings": (
        400,
        in_bytes(POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ),
    "a broken chunk": (400, in_bytes(CHUNKED + b"zz\r\n\r\n")),
    "a second chunk that is broken": (400, in_bytes(CHUNKED + b"2\r\n{}\r\nzz\r\n\r\n")),
    "a chunk that goes on": (400, in_bytes(CHUNKED + b"2\r\n{} and more\r\n0\r\n\r\n")),
    "a chunk that comes later and is broken": (400, in_bytes(CHUNKED, b"zz\r\n\r\n")),
    "a method of two letters": (400, in_bytes(GET.replace(b"GET", b"FO") + b"\r\n")),
    "a method without end": (400, in_bytes(GET.replace(b"GET", b"GET" * 7) + b"\r\n")),
    "bytes beyond ASCII in the path": (400, in_bytes(GET.replace(b"/verify", b"/\xff") + b"\r\n")),
    "a control character in a header": (400, in_bytes(GET + b"Authorization: \x01\r\n\r\n")),
    "DEL in a header over HTTP/2": (400, over_http2("-H", "Authorization: \x7f")),
    "a broken escape": (400, in_bytes(GET.replace(b"/verify", b"/%zz") + b"\r\n")),
    "a path above the root": (400, in_bytes(GET.replace(b"/verify", b"/../x") + b"\r\n")),
    "plain HTTP": (403, over_plain_http("/verify")),
    "a long body over plain HTTP": (
        403,
        over_plain_http("/forecast", "-H", "Content-Length: 5000000", "-d", "1"),
    ),
    "plain HTTP on the port of HTTPS": (403, plain_http_on_the_port_of_https),
    "an unknown challenge": (404, over_plain_http("/.well-known/acme-challenge/none")),
    "the path of nginx's own errors": (
        404,
        lambda site: curl(site.https + "/forecast-service-error"),
    ),
    "TRACE": (405, over_http2("--request", "TRACE")),
    "TRACE over HTTP/1.1": (405, in_bytes(GET.replace(b"GET", b"TRACE") + b"\r\n")),
    "a long body": (413, in_bytes(POST + b"Content-Length: 5000000\r\n\r\n", b"1" * 5_000_000)),
    "a request line longer than a buffer": (
        414,
        in_bytes(GET.replace(b"verify", b"v" * 40_000) + b"\r\n"),
    ),
    "a header longer than a buffer": (
        431,
        in_bytes(GET + b"X-Long: " + b"v" * 40_000 + b"\r\n\r\n"),
    ),
    "headers longer than all buffers": (
        431,
        in_bytes(GET + (b"X-Long: " + b"v" * 30_000 + b"\r\n") * 6 + b"\r\n"),
    ),
    "an unknown encoding": (501, in_bytes(POST + b"Transfer-Encoding: gzip\r\n\r\n")),
    "an unknown version": (505, in_bytes(GET.replace(b"1.1", b"9.9") + b"\r\n")),
}


SHOWN: dict[str, Ask] = {
    "no-valid-http": REFUSALS["a space in a header's name"][1],
    "path-too-long": in_bytes(GET.replace(b"verify", b"verify?" + b"v" * 10_000) + b"\r\n"),
    "headers-too-large": in_bytes(GET + b"Authorization: " + b"v" * 9_000 + b"\r\n\r\n"),
    "unknown-transfer-encoding": REFUSALS["an unknown encoding"][1],
    "unknown-http-version": REFUSALS["an unknown version"][1],
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_nginx_refuses_is_refused_as_developers_are_shown(site: Edge, name: str) -> None:
    assert_shown(SHOWN[name](site), name)


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS.keys())
def test_what_nginx_refuses_is_refused_with_the_error_body(
    site: Edge, refusal: tuple[int, Ask]
) -> None:
    status, ask = refusal
    assert_own_error(ask(site), status)


UNREAD: dict[str, Ask] = {
    "a control character": in_bytes(GET + b"X-A: \x01\r\n\r\n"),
    "150 headers": in_bytes(GET + b"X-A: 1\r\n" * 150 + b"\r\n"),
    "150 headers over HTTP/2": over_http2(
        *(word for n in range(150) for word in ("-H", f"X-{n}: 1"))
    ),
    "a long header": over_http2("-H", f"X-Long: {'v' * 30_000}"),
    "a type twice": in_bytes(GET + b"Content-Type: a/b\r\n" * 2 + b"\r\n"),
    "an unknown expectation": in_bytes(GET + b"Expect: 200-ok\r\n\r\n"),
    "the name of a variable": in_bytes(GET + b"SCRIPT_NAME: /verify\r\n\r\n"),
}


@pytest.mark.parametrize("ask", UNREAD.values(), ids=UNREAD.keys())
def test_a_header_that_the_service_does_not_read_is_not_passed_on_to_be_refused(
    site: Edge, ask: Ask
) -> None:
    answer = ask(site)
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize("protocol", ["--http1.1", "--http2"])
@pytest.mark.parametrize("length", [8_000, 30_000])
def test_what_is_longer_than_gunicorn_takes_is_answered_over_both_versions_of_http(
    site: Edge, protocol: str, length: int
) -> None:
    """Over HTTP/2 nginx itself would end the connection without an answer."""
    long = "v" * length
    for path in ("/verify", "/forecast", "/"):
        url = site.https + path
        details = assert_own_error(curl(f"{url}?{long}", protocol), 414)
        assert details == {"issue": UNREAD_ISSUES[414]}
        details = assert_own_error(curl(url, protocol, "-H", f"Authorization: {long}"), 431)
        assert details == {"issue": UNREAD_ISSUES[431]}
    assert curl(f"{site.https}/verify?{'v' * 7_900}", protocol).status == 401
    assert curl(f"{site.https}/verify", protocol, "-H", f"Accept: {'v' * 7_900}").status == 401


@pytest.mark.timing
def test_a_body_that_does_not_arrive_in_time_ends_the_connection_as_408(impatient: Edge) -> None:
    # nginx answers nothing then, whatever error_page says: the client is taken to be gone.
    request = POST.replace(b"Host:", b"X-Request-Id: slow-body\r\nHost:")
    assert send_bytes(impatient, request + b"Content-Length: 10\r\n\r\nab") == b""
    wait_until(lambda: "slow-body" in impatient.access_log, "the line of the log")
    (line,) = [line for line in impatient.requests() if line["request_id"] == "slow-body"]
    assert line["status"] == 408
    # By nginx's clock, which it looks at only now and then.
    assert line["seconds"] > 0.9 * IMPATIENCE_SECONDS


def test_a_request_id_of_the_client_stands_on_an_error_of_nginx_and_in_its_log(site: Edge) -> None:
    answer = ask_bytes(
        site, GET.replace(b"1.1", b"9.9", 1).replace(b"Host", b"X-Request-Id: a\r\nHost")
    )
    assert answer.status == 505
    answer = curl(f"{site.http}/verify", "-H", "X-Request-Id: my-own.id_1")
    assert assert_own_error(answer, 403)
    assert answer.headers["x-request-id"] == "my-own.id_1"
    wait_until(lambda: '"request_id":"my-own.id_1"' in site.access_log, "the line of the log")
    answer = curl(f"{site.http}/verify", "-H", 'X-Request-Id: "};')
    assert answer.headers["x-request-id"].isalnum()


def test_an_error_of_the_service_itself_passes_as_it_is(site: Edge, key: str) -> None:
    header = ("-H", f"Authorization: Bearer {key}")
    answer = curl(
        f"{site.https}/forecast", *header, "-H", "Content-Type: application/json", "-d", "["
    )
    assert answer.status == 400
    assert answer.json()["error"]["message"] == "Request body is not valid JSON"
    assert answer.headers["x-ratelimit-limit"] == "1000000"
    assert curl(f"{site.https}/nothing").json()["error"]["message"] == "Not Found"
    refused = curl(f"{site.https}/verify", "-H", "X-Request-Id: mine")
    assert (refused.status, refused.headers["x-request-id"]) == (401, "mine")
    assert refused.headers["www-authenticate"] == "Bearer"


def test_a_service_that_does_not_answer_in_time_is_504_and_goes_on_later(
    impatient: Edge, service: Server
) -> None:
    processes = [service.process.pid, *children(service.process.pid)]
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:
        answer = curl(f"{impatient.https}/forecast", "-d", "{}")
    finally:
        for pid in reversed(processes):
            os.kill(pid, signal.SIGCONT)
    assert_shown(answer, "no-answer-in-time")
    assert curl(f"{impatient.https}/verify").status == 401


@pytest.mark.timing
def test_more_forecasts_than_a_node_may_have_are_503_at_once(tmp_path: Path) -> None:
    """The one node accepts what it is sent and answers nothing."""
    with contextlib.ExitStack() as stack:
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        upstream = f"127.0.0.1:{silent.getsockname()[1]}"
        options = {"forecasts_per_node": "1", "read_timeout": "20"}
        site = stack.enter_context(edge(tmp_path / "nginx", upstream, **options))
        first = stack.enter_context(connected(site))
        first.sendall(POST + b"Content-Length: 2\r\n\r\n{}")
        stack.enter_context(silent.accept()[0])
        started = time.monotonic()
        answer = curl(f"{site.https}/forecast", "-d", "{}")
        assert_shown(answer, "no-node-free")
        assert time.monotonic() - started < 10  # and not when the node had time to answer


@pytest.fixture(scope="module")
def deserted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    """nginx with nobody behind it."""
    with edge(tmp_path_factory.mktemp("deserted"), UNHEARD) as running:
        yield running


def test_a_service_that_is_down_is_502_and_for_a_forecast_503(deserted: Edge) -> None:
    for path in ("/verify", "/healthz", "/"):
        assert_shown(curl(deserted.https + path), "not-running")
    assert_shown(curl(f"{deserted.https}/forecast", "-d", "{}"), "no-node-free")


def test_a_disk_that_takes_no_body_is_500(deserted: Edge, tmp_path: Path) -> None:
    (body := tmp_path / "body").write_bytes(b"1" * 500_000)
    shutil.rmtree(deserted.folder / "bodies")
    assert_own_error(curl(f"{deserted.https}/forecast", "--data-binary", f"@{body}"), 500)


def test_maintenance_is_503_for_everyone_while_its_file_exists(deserted: Edge) -> None:
    deserted.maintenance_file.touch()
    for path in ("/verify", "/forecast", "/healthz", "/"):
        assert_shown(curl(deserted.https + path), "maintenance")
    assert_own_error(curl(deserted.http), 403)
    deserted.maintenance_file.unlink()
    assert curl(f"{deserted.https}/verify").status == 502


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS.keys())
def test_what_is_refused_during_maintenance_is_refused_with_the_error_body_too(
    deserted: Edge, refusal: tuple[int, Ask]
) -> None:
    status, ask = refusal
    deserted.maintenance_file.touch()
    answer = ask(deserted)
    deserted.maintenance_file.unlink()
    assert_own_error(answer, answer.status)
    assert answer.status in (status, 503)


@pytest.mark.parametrize("body", [b"zz\r\n\r\n", b"2\r\n{}\r\nzz\r\n\r\n"], ids=["first", "second"])
def test_a_broken_chunk_over_plain_http_is_refused_with_the_error_body(
    site: Edge, body: bytes
) -> None:
    assert_own_error(ask_bytes(site, CHUNKED + body, tls=False), 400)


@pytest.mark.parametrize(
    "words",
    [pytest.param([], id="496: none"), pytest.param(["--cert", "--key"], id="495: a wrong one")],
)
def test_a_client_certificate_that_is_wanted_and_not_valid_is_403(
    tmp_path: Path, words: list[str]
) -> None:
    issuer, _key = make_certificate(tmp_path, "issuer")
    other, other_key = make_certificate(tmp_path, "other")
    wanted = f"ssl_verify_client on; ssl_client_certificate {issuer};"
    paths = [str(other), str(other_key)]
    with edge(tmp_path / "nginx", UNHEARD, http_block=wanted) as running:
        sent = [word for pair in zip(words, paths, strict=False) for word in pair]
        answer = curl(f"{running.https}/verify", "--http1.1", *sent)
    assert "certificate" in assert_own_error(answer, 403)["issue"]
    assert answer.json()["error"]["message"] == "A client certificate is required"
