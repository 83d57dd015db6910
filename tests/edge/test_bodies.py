"""Bodies of requests and responses: sizes, chunks, slow clients, compression, log."""

import gzip
import time
from pathlib import Path

import orjson
import pytest

from app.core.settings import SETTINGS
from tests.edge.conftest import IMPATIENCE_SECONDS
from tests.edge.rejections import POST, assert_own_error
from tests.support.edge import UNHEARD, Edge, EdgeResponse, ask_bytes, connect, curl, edge
from tests.support.series import AIRLINE, daily_body
from tests.support.services import wait_until

LIMIT = int(SETTINGS["max_body_bytes"].default)
BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", ["--http1.1", "--http2"])


def forecast(site: Edge, key: str, data: str | Path, *words: str) -> EdgeResponse:
    """Send POST /forecast with curl's option ``data``."""
    headers = ("-H", f"Authorization: Bearer {key}", "-H", "Content-Type: application/json")
    return curl(f"{site.https}/forecast", *headers, "--data-binary", f"@{data}", *words)


@BOTH_PROTOCOLS
def test_a_forecast_passes_with_the_services_own_headers(
    site: Edge, key: str, protocol: str
) -> None:
    response = forecast(site, key, AIRLINE, protocol)
    assert response.status == 200
    assert len(response.json()["median"]) == 12
    assert response.headers["x-ratelimit-limit"] == "1000000"
    assert response.headers["x-model-id"] == "forecast-model-1"
    assert "retry-after" not in response.headers


@BOTH_PROTOCOLS
def test_a_chunked_body_is_read_to_its_end(site: Edge, key: str, protocol: str) -> None:
    response = forecast(site, key, AIRLINE, protocol, "-H", "Transfer-Encoding: chunked")
    assert (response.status, len(response.json()["median"])) == (200, 12)


def test_the_body_limit_is_the_services_own_to_the_byte(
    site: Edge, key: str, tmp_path: Path
) -> None:
    body = tmp_path / "body"
    body.write_bytes(b" " * LIMIT)
    assert forecast(site, key, body).json()["error"]["message"] == "Request body is not valid JSON"
    body.write_bytes(b" " * (LIMIT + 1))
    response = forecast(site, key, body)
    assert str(LIMIT) in assert_own_error(response, 413)["issue"]
    assert response.headers["x-ratelimit-limit"] != "1000000"


@BOTH_PROTOCOLS
@pytest.mark.parametrize(
    "framing", ["Content-Type: application/json", "Transfer-Encoding: chunked"]
)
def test_fifty_megabytes_are_rejected_immediately(
    site: Edge, key: str, tmp_path: Path, protocol: str, framing: str
) -> None:
    (body := tmp_path / "body").write_bytes(b"1" * 50_000_000)
    started = time.monotonic()
    # Without Expect the client sends the body before it can be rejected.
    response = forecast(site, key, body, protocol, "-H", "Expect:", "-H", framing)
    assert_own_error(response, 413)
    assert time.monotonic() - started < 15


def test_a_client_that_sends_all_before_it_reads_sees_the_413_too(site: Edge) -> None:
    megabyte = b"1" * 1_000_000
    head = POST + b"Content-Length: 50000000\r\n\r\n"
    assert_own_error(ask_bytes(site, head, *[megabyte] * 50), 413)


@pytest.mark.timing
def test_a_client_that_drips_its_headers_is_dropped(impatient_edge: Edge) -> None:
    """A byte now and then does not help: there is one timeout for all headers."""
    started = time.monotonic()
    with connect(impatient_edge) as link:
        try:
            for byte in b"GET /verify HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"a" * 10_000:
                link.sendall(bytes([byte]))
                time.sleep(0.02)
                if time.monotonic() - started > IMPATIENCE_SECONDS + 5:
                    pytest.fail("the client is still connected")
        except OSError:
            return
    pytest.fail("the client could send all")


def test_long_responses_are_compressed_and_short_ones_are_not(
    site: Edge, key: str, tmp_path: Path
) -> None:
    (body := tmp_path / "body").write_bytes(orjson.dumps(daily_body() | {"forecast_horizon": 50}))
    plain = forecast(site, key, body)
    packed = forecast(site, key, body, "-H", "Accept-Encoding: gzip")
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 1.5
    about_key = ("-H", f"Authorization: Bearer {key}", "-H", "Accept-Encoding: gzip")
    assert "content-encoding" not in curl(f"{site.https}/verify", *about_key).headers


def test_no_key_and_no_query_reaches_the_access_log(site: Edge, key: str) -> None:
    start, digits = len(site.requests()), key.removeprefix("ak_")
    encoded = "".join(f"%{ord(letter):x}" for letter in key)
    bearer = ("-H", f"Authorization: Bearer {key}")
    expected = []

    def send(path: str, logged: tuple[int, str], *words: str, base: str = site.https) -> None:
        curl(base + path, *words)
        expected.append(logged)

    send(f"/verify?key={key}&secret=hidden", (200, "/verify"), *bearer)
    send(f"/{key}/verify", (404, "/..."), *bearer, "-H", f"Referer: https://x/{key}")
    send(f"/verify?key={key}", (403, "/verify"), *bearer, base=site.http)
    send(f"/AK_{digits}", (404, "/..."))
    send(f"/ak%5F{digits}", (404, "/ak..."))
    send(f"/x/{encoded}", (404, "/x/..."))
    send(f"/{digits}", (404, "/..."))
    send("/openapi.json", (200, "/openapi.json"), "-A", f"agent {key.upper()}")
    send("/openapi.json", (200, "/openapi.json"), "-A", encoded)
    send("/openapi.json", (200, "/openapi.json"), "-H", f"X-Request-Id: {key}")
    send("/openapi.json", (200, "/openapi.json"), "-H", f"X-Request-Id: a.{digits}")
    request = POST.replace(b"/forecast", b"/" + key.encode())
    ask_bytes(site, request + b"X-Long: " + b"v" * 40_000 + b"\r\n\r\n")
    expected.append((431, "/..."))
    # nginx logs a request after its response was sent, each of its processes separately.
    wait_until(lambda: len(site.requests()) >= start + len(expected), "the lines of the log")
    lines = site.requests()[start:]
    assert sorted((line["status"], line["path"]) for line in lines) == sorted(expected)
    assert all(line["request_id"] for line in lines)
    log = site.access_log.lower()
    assert all(secret not in log for secret in (digits[2:20], encoded[9:60], "hidden"))


@BOTH_PROTOCOLS
def test_nginxs_own_responses_are_logged_with_the_method_of_the_request(
    tmp_path: Path, protocol: str
) -> None:
    (long := tmp_path / "body").write_bytes(b"1" * (LIMIT + 1))
    with edge(tmp_path / "nginx", UNHEARD) as site:
        responses = [
            ("DELETE", curl(f"{site.https}/verify", protocol, "--request", "DELETE")),
            ("POST", curl(f"{site.https}/forecast", protocol, "-d", "{}")),
            ("PUT", curl(f"{site.https}/verify", protocol, "-H", "Expect:", "-T", str(long))),
            ("TRACE", curl(f"{site.https}/verify", protocol, "--request", "TRACE")),
            ("POST", curl(f"{site.https}/", protocol, "-H", "Host: evil.test", "-d", "")),
            ("PATCH", curl(f"{site.http}/verify", "--request", "PATCH")),
        ]
        expected = sorted((method, response.status) for method, response in responses)
        wait_until(lambda: len(site.requests()) == len(responses), "the lines of the log")
    assert {status for _method, status in expected} == {502, 503, 413, 405, 421, 403}
    assert sorted((line["method"], line["status"]) for line in site.requests()) == expected


def test_no_key_reaches_the_error_log_where_nginx_cannot_do_what_it_should(
    tmp_path: Path, key: str
) -> None:
    """No node runs, and there is no such challenge: both log the whole request."""
    with edge(tmp_path / "nginx", UNHEARD) as site:
        for path in (f"/{key}", f"/verify?key={key}", f"/forecast?key={key}"):
            assert curl(f"{site.https}{path}", "-d", "{}").status in (502, 503)
        assert curl(f"{site.http}/.well-known/acme-challenge/{key}").status == 404
        wait_until(lambda: len(site.requests()) == 4, "the lines of the log")
    assert key[5:] not in site.access_log
    assert key[5:] not in site.error_log
