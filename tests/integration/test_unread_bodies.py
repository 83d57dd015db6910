"""Connections after responses to requests whose bodies were not read to the end."""

import http.client
from collections.abc import Iterator

import pytest

from app.core.environment import load_settings
from app.ops.server import unread_body
from tests.support.keys import bearer, new_key
from tests.support.load import connect
from tests.support.server import Server

SETTINGS: dict[str, str] = {}
LIMIT = load_settings({}).max_body_bytes
BODY = b" " * 200_000
TEXT = {"Content-Type": "text/plain"}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.test"}
OWN_ORIGIN = {"Sec-Fetch-Site": "same-origin"}

UNREAD: dict[str, tuple[int, str, str, dict[str, str]]] = {
    "no such path": (404, "POST", "/nowhere", {}),
    "no key": (401, "POST", "/forecast", {}),
    "no such method": (405, "PUT", "/verify", {}),
    "another type": (415, "POST", "/forecast", TEXT),
    "a GET with a body": (200, "GET", "/verify", {}),
    "a page": (200, "GET", "/docs", {}),
    "a form of another site": (403, "POST", "/account/sign-in", FORM),
    "a form that is too long": (413, "POST", "/account/sign-in", FORM | OWN_ORIGIN),
}


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return new_key(server.environ["DATABASE_URL"])


@pytest.fixture
def link(server: Server) -> Iterator[http.client.HTTPConnection]:
    """A connection to the service, without nginx."""
    connection = connect(server.url)
    yield connection
    connection.close()


def send(
    link: http.client.HTTPConnection, method: str, path: str, **options: object
) -> http.client.HTTPResponse:
    link.request(method, path, **options)  # type: ignore[arg-type]
    response = link.getresponse()
    response.read()
    return response


@pytest.mark.parametrize("case", UNREAD.values(), ids=UNREAD.keys())
def test_the_next_request_gets_a_response_on_the_same_connection(
    link: http.client.HTTPConnection, key: str, case: tuple[int, str, str, dict[str, str]]
) -> None:
    status, method, path, headers = case
    if status in (200, 415):
        headers = headers | bearer(key)
    response = send(link, method, path, body=BODY, headers=headers)
    assert (response.status, response.getheader("Connection")) == (status, "keep-alive")
    socket = link.sock
    assert send(link, "GET", "/verify", headers=bearer(key)).status == 200
    assert link.sock is socket


def test_a_client_that_sends_all_before_it_reads_sees_that_it_was_too_much(
    link: http.client.HTTPConnection, key: str
) -> None:
    headers = {"Content-Type": "application/json"} | bearer(key)
    assert send(link, "POST", "/forecast", body=b" " * 2 * LIMIT, headers=headers).status == 413
    assert send(link, "GET", "/verify", headers=bearer(key)).status == 200


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (iter([BODY, BODY]), {}),
        (b" ", {"Content-Length": str(unread_body.MAX_BODY_RATIO * LIMIT + 1)}),
    ],
    ids=["chunks", "more than is read"],
)
def test_a_body_without_an_end_in_reach_ends_its_connection_openly(
    link: http.client.HTTPConnection, body: object, headers: dict[str, str]
) -> None:
    response = send(link, "POST", "/nowhere", body=body, headers=headers)
    assert (response.status, response.getheader("Connection")) == (404, "close")
