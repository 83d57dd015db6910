"""Requests that nginx rejects itself get the service's error body."""

from pathlib import Path

import pytest

from app.api.errors.statuses import ISSUES_BY_STATUS
from tests.edge.conftest import IMPATIENCE_SECONDS
from tests.edge.rejections import (
    CHUNKED,
    GET,
    POST,
    REJECTIONS,
    Send,
    assert_own_error,
    assert_shown,
    in_bytes,
    over_http2,
)
from tests.support.certificates import make_certificate
from tests.support.edge import UNHEARD, Edge, ask_bytes, curl, edge, send_bytes
from tests.support.services import wait_until

SHOWN_ERRORS: dict[str, Send] = {
    "no-valid-http": REJECTIONS["a space in a header's name"][1],
    "path-too-long": in_bytes(GET.replace(b"verify", b"verify?" + b"v" * 10_000) + b"\r\n"),
    "other-host": lambda site: curl(f"{site.https}/verify", "-H", "Host: evil.test"),
    "headers-too-large": in_bytes(GET + b"Authorization: " + b"v" * 9_000 + b"\r\n\r\n"),
    "unknown-transfer-encoding": REJECTIONS["an unknown encoding"][1],
    "unknown-http-version": REJECTIONS["an unknown version"][1],
}
UNREAD: dict[str, Send] = {
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


@pytest.mark.parametrize("name", SHOWN_ERRORS)
def test_nginxs_rejections_are_those_of_the_document(site: Edge, name: str) -> None:
    assert_shown(SHOWN_ERRORS[name](site), name)


@pytest.mark.parametrize("rejection", REJECTIONS.values(), ids=REJECTIONS.keys())
def test_nginxs_rejections_have_the_error_body(site: Edge, rejection: tuple[int, Send]) -> None:
    status, send = rejection
    assert_own_error(send(site), status)


@pytest.mark.parametrize("send", UNREAD.values(), ids=UNREAD.keys())
def test_unknown_headers_are_dropped_before_they_can_be_rejected(site: Edge, send: Send) -> None:
    response = send(site)
    assert (response.status, response.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize("protocol", ["--http1.1", "--http2"])
@pytest.mark.parametrize("length", [8_000, 30_000])
def test_urls_and_headers_too_long_for_gunicorn_get_an_error_body(
    site: Edge, protocol: str, length: int
) -> None:
    """Over HTTP/2 nginx itself would end the connection without a response."""
    long = "v" * length
    for path in ("/verify", "/forecast", "/"):
        url = site.https + path
        details = assert_own_error(curl(f"{url}?{long}", protocol), 414)
        assert details == {"issue": ISSUES_BY_STATUS[414]}
        details = assert_own_error(curl(url, protocol, "-H", f"Authorization: {long}"), 431)
        assert details == {"issue": ISSUES_BY_STATUS[431]}
    assert curl(f"{site.https}/verify?{'v' * 7_900}", protocol).status == 401
    assert curl(f"{site.https}/verify", protocol, "-H", f"Accept: {'v' * 7_900}").status == 401


def test_a_body_that_does_not_arrive_in_time_ends_the_connection_as_408(
    impatient_edge: Edge,
) -> None:
    # nginx then sends no response, in spite of error_page: it assumes that the client has left.
    request = POST.replace(b"Host:", b"X-Request-Id: slow-body\r\nHost:")
    assert send_bytes(impatient_edge, request + b"Content-Length: 10\r\n\r\nab") == b""
    wait_until(lambda: "slow-body" in impatient_edge.access_log, "the line of the log")
    (line,) = [line for line in impatient_edge.requests() if line["request_id"] == "slow-body"]
    assert line["status"] == 408
    # by nginx's clock, which it reads only now and then
    assert line["seconds"] > 0.9 * IMPATIENCE_SECONDS


def test_a_request_id_of_the_client_is_on_an_error_of_nginx_and_in_its_log(site: Edge) -> None:
    response = ask_bytes(
        site, GET.replace(b"1.1", b"9.9", 1).replace(b"Host", b"X-Request-Id: a\r\nHost")
    )
    assert response.status == 505
    response = curl(f"{site.http}/verify", "-H", "X-Request-Id: my-own.id_1")
    assert assert_own_error(response, 403)
    assert response.headers["x-request-id"] == "my-own.id_1"
    wait_until(lambda: '"request_id":"my-own.id_1"' in site.access_log, "the line of the log")
    response = curl(f"{site.http}/verify", "-H", 'X-Request-Id: "};')
    assert response.headers["x-request-id"].isalnum()


def test_an_error_of_the_service_itself_passes_as_it_is(site: Edge, key: str) -> None:
    header = ("-H", f"Authorization: Bearer {key}")
    response = curl(
        f"{site.https}/forecast", *header, "-H", "Content-Type: application/json", "-d", "["
    )
    assert response.status == 400
    assert response.json()["error"]["message"] == "Request body is not valid JSON"
    assert response.headers["x-ratelimit-limit"] == "1000000"
    assert curl(f"{site.https}/nothing").json()["error"]["message"] == "Not Found"
    rejected = curl(f"{site.https}/verify", "-H", "X-Request-Id: mine")
    assert (rejected.status, rejected.headers["x-request-id"]) == (401, "mine")
    assert rejected.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("body", [b"zz\r\n\r\n", b"2\r\n{}\r\nzz\r\n\r\n"], ids=["first", "second"])
def test_a_broken_chunk_over_plain_http_is_rejected_with_the_error_body(
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
    issuer, _key = make_certificate(tmp_path, name="issuer")
    other, other_key = make_certificate(tmp_path, name="other")
    wanted = f"ssl_verify_client on; ssl_client_certificate {issuer};"
    paths = [str(other), str(other_key)]
    with edge(tmp_path / "nginx", UNHEARD, http_block=wanted) as running:
        sent = [word for pair in zip(words, paths, strict=False) for word in pair]
        response = curl(f"{running.https}/verify", "--http1.1", *sent)
    assert "certificate" in assert_own_error(response, 403)["issue"]
    assert response.json()["error"]["message"] == "A client certificate is required"
