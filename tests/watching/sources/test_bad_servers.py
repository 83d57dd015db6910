"""Servers that redirect, stall, send too much or invalid data, or have a forbidden address.

The query fails, and says why without repeating what a stranger said.
"""

import base64
import gzip
import ipaddress
import os
import socket
import threading

import pytest

from app.core.http.errors import ResponseTooLargeError
from app.watching.sources.responses import MAX_SMALL_BYTES
from app.watching.sources.source_records import Authorization
from tests.support.fake_prometheus import error, fake_prometheus, respond
from tests.support.keys import ACTOR
from tests.support.settings import change_settings
from tests.support.watching import put_source
from tests.watching.sources.source_queries import (
    calm_value,
    fill_calm_query,
    make_query,
    make_source,
    monitors,
    poll,
    query,
)

KEY = base64.urlsafe_b64encode(os.urandom(32)).decode()
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
TOKEN = "s3cret-token"
EMPTY = b'{"status":"success","data":{"resultType":"matrix","result":[]}}'


@pytest.fixture
def settings():
    return {"source_allowed_networks": LOOPBACK, "secrets_key": (KEY,)}


def problem_of(server, behave):
    """Return the problem of a query whose server behaves like this."""
    server.add_series(calm_value)
    make_query()
    server.behave = behave
    poll()
    assert (query().state, monitors()) == ("failing", [])
    return query().problem


def test_a_redirect_is_not_followed_and_takes_no_token_along(server, now) -> None:
    make_source(server.url, Authorization("bearer", TOKEN))
    with fake_prometheus(lambda: now().timestamp()) as elsewhere:
        away = {"Location": f"{elsewhere.url}/api/v1/query"}
        problem = problem_of(server, lambda handler: respond(handler, b"", 307, **away))
        assert problem == "returned 307: redirects are not followed"
        assert elsewhere.requests == []
    assert server.requests[0][1]["Authorization"] == f"Bearer {TOKEN}"


def test_an_html_page_is_an_error_and_is_not_retried(server) -> None:
    page = b"<html>secret of the intranet</html>"
    assert problem_of(server, lambda handler: respond(handler, page)) == (
        "returned 200 and no response of Prometheus"
    )


@pytest.mark.parametrize(
    "body",
    [b"[]", b"{}", b'{"status":"success"}', b'{"status":"success","data":null}', b"\xff", b""],
)
def test_json_of_another_shape_is_rejected_as_a_response(server, body) -> None:
    problem_of(server, lambda handler: respond(handler, body))


def test_rejected_credentials_are_distinguished(server) -> None:
    problem = problem_of(server, lambda handler: respond(handler, b"secret", 401))
    assert problem == "returned 401: the authorization is not accepted"


def test_an_error_of_prometheus_is_repeated_in_one_short_line(server) -> None:
    words = "parse error: \n\x00unexpected " + "x" * 1_000
    problem = problem_of(server, error(400, "bad_data", words))
    assert problem.startswith("bad_data: parse error: unexpected")
    assert len(problem) == 200


def test_a_body_that_is_too_large_is_not_read_to_its_end(server) -> None:
    body = EMPTY + b" " * 2 * MAX_SMALL_BYTES
    assert problem_of(server, lambda handler: respond(handler, body)) == "returned more than 64 KiB"


def test_a_step_too_large_for_a_response_is_reported_with_its_series_count(
    server, now, monkeypatch
) -> None:
    make_source(server.url)
    server.add_series(calm_value, service="a")
    server.add_series(calm_value, service="b")
    make_query()
    poll()

    def reject(*_arguments) -> None:
        raise ResponseTooLargeError("returned more than 8 MiB")

    monkeypatch.setattr("app.watching.sources.client.PrometheusClient.query_range", reject)
    poll(now, steps=1)
    assert query().problem == ("returned more than 8 MiB for 2 series: aggregate by fewer labels")


def test_a_compressed_body_is_bounded_by_what_it_expands_to(server) -> None:
    bomb = gzip.compress(EMPTY + b" " * 50 * 1024 * 1024)
    zipped = {"Content-Encoding": "gzip"}
    problem = problem_of(server, lambda handler: respond(handler, bomb, **zipped))
    assert problem == "returned more than 64 KiB"


def test_a_compressed_response_is_read(server, now) -> None:
    server.add_series(calm_value)
    make_query(history=0)

    def respond_compressed(handler) -> None:
        server.behave = None
        scalar = b'{"status":"success","data":{"resultType":"scalar","result":[0,"1"]}}'
        respond(handler, gzip.compress(scalar), Content_Encoding="gzip")

    server.behave = respond_compressed
    poll()
    assert query().state == "live"


def test_a_server_that_sends_a_byte_now_and_then_is_given_up(server, monkeypatch) -> None:
    monkeypatch.setattr("app.watching.sources.client.MAX_QUERY_SECONDS", 0.3)
    has_ended = threading.Event()

    def drip(handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        handler.wfile.flush()
        has_ended.wait(30)

    assert problem_of(server, drip) == "no complete response within 0.3 s"
    has_ended.set()


def test_a_server_of_another_protocol_is_reported_without_a_librarys_message(server):
    def greet(handler) -> None:
        handler.wfile.write(b"220 mail ESMTP\r\n")
        handler.close_connection = True

    problem = problem_of(server, greet)
    assert "HTTP" in problem
    assert "Error" not in problem


def test_a_server_that_is_not_there(server) -> None:
    make_source("http://127.0.0.1:1")
    assert problem_of(server, None) == "cannot connect to the host"


def test_a_name_of_an_address_inside_is_rejected_before_a_connection(server, monkeypatch) -> None:
    def resolve(*_arguments, **_named):
        return [(0, 0, 0, "", (address, 9090)) for address in ("127.0.0.1", "169.254.169.254")]

    make_source(f"http://prometheus.internal:{server.port}")
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert "SOURCE_ALLOWED_NETWORKS" in problem_of(server, None)
    assert server.requests == []


def test_a_network_that_is_no_longer_allowed_is_rejected(server, context) -> None:
    change_settings(context, source_allowed_networks=())
    assert "the URL is not allowed" in problem_of(server, None)
    assert server.requests == []


def test_credentials_of_a_lost_key_are_not_sent(server, context) -> None:
    make_source(server.url, Authorization("basic", TOKEN, "jörg–名"))
    change_settings(context, secrets_key=(base64.urlsafe_b64encode(bytes(32)).decode(),))
    assert "cannot be decrypted" in problem_of(server, None)
    assert server.requests == []


def test_a_promql_error_has_its_position_in_the_users_query(server) -> None:
    words = 'invalid parameter "query": 2:17: parse error: unexpected "}"'
    wrong = error(400, "bad_data", words)
    clock = b'{"status":"success","data":{"resultType":"scalar","result":[0,"1"]}}'

    def behave(handler):
        is_clock = server.requests[-1][2]["query"] == "1"
        return respond(handler, clock) if is_clock else wrong(handler)

    problem = problem_of(server, behave)
    assert problem == 'bad_data: invalid parameter "query": 1:17: parse error: unexpected "}"'


def test_user_password_and_tenant_are_sent_as_servers_read_them(server, context) -> None:
    from app.watching.sources.source_records import SourceSettings

    source_settings = SourceSettings(
        server.url, Authorization("basic", TOKEN, "jörg–名"), "team-a", []
    )
    put_source(ACTOR, 1, "prod", source_settings)
    fill_calm_query(server, history=0)
    sent = server.requests[0][1]
    pair = base64.b64decode(sent["Authorization"].removeprefix("Basic ")).decode()
    assert (pair, sent["X-Scope-OrgID"]) == (f"jörg–名:{TOKEN}", "team-a")
