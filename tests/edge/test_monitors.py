"""Monitors behind nginx: paths, methods and queries pass, also names with special characters."""

from collections.abc import Iterator

import orjson
import pytest

from app.identity.accounts.permissions import Permission
from tests.support.edge import Edge, EdgeResponse, curl
from tests.support.keys import new_key
from tests.support.monitors import SETTINGS, points
from tests.support.server import Server


@pytest.fixture(scope="module")
def bearer(service: Server) -> str:
    """The header with a key that has all permissions."""
    key = new_key(service.environ["DATABASE_URL"], permissions=Permission)
    return f"Authorization: Bearer {key}"


@pytest.fixture
def monitor(site: Edge, bearer: str) -> Iterator[str]:
    """The address of a monitor."""
    url = f"{site.https}/monitors/rack-7.cpu_load"
    assert send(url, bearer, "PUT", SETTINGS).status == 201
    yield url
    assert send(url, bearer, "DELETE").status == 204


def send(url: str, bearer: str, method: str, body: object = None) -> EdgeResponse:
    words = ["-H", bearer, "-X", method]
    if body is not None:
        words += ["-H", "Content-Type: application/json", "-d", orjson.dumps(body).decode()]
    return curl(url, *words)


def test_points_are_appended_and_read_in_pages(monitor: str, bearer: str) -> None:
    appended = send(f"{monitor}/points", bearer, "POST", points([1.0, 2.0, 3.0]))
    assert appended.json()["status"] == ["learning"] * 3
    page = send(f"{monitor}/points?after=0&limit=1", bearer, "GET").json()
    assert [point["value"] for point in page["points"]] == [2.0]
    assert page["next"] == 1
    assert send(monitor, bearer, "GET").json()["points"] == 3


@pytest.mark.parametrize("path", ["/points", "/events", "/deliveries", ""])
def test_nginx_passes_every_list_of_a_monitor(monitor: str, bearer: str, path: str) -> None:
    assert send(monitor + path, bearer, "GET").status == 200


def test_the_service_itself_responds_to_a_missing_monitor_behind_nginx(
    site: Edge, monitor: str, bearer: str
) -> None:
    missing = send(f"{site.https}/monitors/nobody", bearer, "GET")
    assert missing.status == 404
    assert "nobody" in missing.json()["error"]["details"]["issue"]
    assert send(f"{site.https}/monitors/Rack", bearer, "PUT", SETTINGS).status == 400
    assert send(monitor, bearer, "PATCH", SETTINGS).status == 405
