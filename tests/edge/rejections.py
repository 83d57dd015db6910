"""Requests that nginx rejects itself, and checks of its responses."""

from collections.abc import Callable

from app.api.examples.recorded import Origin
from tests.support.api import CODES
from tests.support.edge import Edge, EdgeResponse, ask_bytes, curl
from tests.support.examples import assert_error_shown, example_named

Send = Callable[[Edge], EdgeResponse]

GET = b"GET /verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
POST = b"POST /forecast HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


def assert_own_error(response: EdgeResponse, status: int) -> dict:
    """Check the body and the headers of an error; return its details."""
    assert response.status == status, response
    assert response.headers["content-type"] == "application/json"
    error = response.json()["error"]
    assert list(response.json()) == ["error"]
    assert error["code"] == CODES[status]
    assert error["message"]
    limit, left, reset = (
        int(response.headers[f"x-ratelimit-{name}"]) for name in ("limit", "remaining", "reset")
    )
    assert 0 <= left <= limit
    assert reset > 1_700_000_000
    assert response.headers["x-api-version"] == "1.0.0"
    assert 1 <= len(response.headers["x-request-id"]) <= 128
    assert ("retry-after" in response.headers) == (status in (429, 503))
    assert not any(character.isdigit() for character in response.headers.get("server", ""))
    if status != 429:
        assert len(error["details"]["issue"]) > 20
    return error["details"]


def assert_shown(response: EdgeResponse, name: str) -> None:
    """Compare a response of nginx with its documented example."""
    example = example_named(name)
    assert example.by == Origin.NGINX
    assert_own_error(response, response.status)
    headers = {header.title(): value for header, value in response.headers.items()}
    assert_error_shown(example, response.status, headers, response.json())


def over_http2(*words: str) -> Send:
    return lambda site: curl(f"{site.https}/verify", "--http2", *words)


def over_plain_http(path: str, *words: str) -> Send:
    return lambda site: curl(site.http + path, *words)


def in_bytes(*parts: bytes) -> Send:
    return lambda site: ask_bytes(site, *parts)


def plain_http_on_the_port_of_https(site: Edge) -> EdgeResponse:
    return curl(f"{site.https.replace('https', 'http')}/verify")


REJECTIONS: dict[str, tuple[int, Send]] = {
    "no HTTP at all": (400, in_bytes(b"\x00\x01\x02\r\n\r\n")),
    "no Host": (400, in_bytes(b"GET /verify HTTP/1.1\r\n\r\n")),
    "two Hosts": (400, in_bytes(GET + b"Host: other\r\n\r\n")),
    "a space in a header's name": (400, in_bytes(GET + b"X A: 1\r\n\r\n")),
    "a length that is not a number": (400, in_bytes(POST + b"Content-Length: x\r\n\r\n")),
    "two framings": (
        400,
        in_bytes(POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ),
    "a broken chunk": (400, in_bytes(CHUNKED + b"zz\r\n\r\n")),
    "a second chunk that is broken": (400, in_bytes(CHUNKED + b"2\r\n{}\r\nzz\r\n\r\n")),
    "a chunk that continues": (400, in_bytes(CHUNKED + b"2\r\n{} and more\r\n0\r\n\r\n")),
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
