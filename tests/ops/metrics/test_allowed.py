"""GET /metrics is for the addresses that METRICS_ALLOWED names."""

from collections.abc import Callable

import pytest
from flask import Flask

from app import create_app
from tests.support.api import details_of, error_of


def from_address(app: Flask, address: str, **headers: str) -> int:
    """Return the status of a scrape whose connection comes from ``address``."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    environ = {"REMOTE_ADDR": address}
    response = app.test_client().get("/metrics", headers=sent, environ_base=environ)
    if response.status_code != 200:
        error_of(response, 403)
    return response.status_code


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_allowed_by_default(app: Flask, address: str) -> None:
    assert from_address(app, address) == 200


@pytest.mark.parametrize("address", ["192.0.2.1", "::2", "10.0.0.1", "", "unknown"])
def test_any_other_address_and_a_unix_socket_are_rejected(app: Flask, address: str) -> None:
    assert from_address(app, address) == 403


def test_a_rejection_names_the_setting_and_the_address(app: Flask) -> None:
    response = app.test_client().get("/metrics", environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert details_of(response, 403)["issue"].startswith(
        "METRICS_ALLOWED does not include 192.0.2.1; "
    )


@pytest.mark.parametrize("header", ["X_Forwarded_For", "Forwarded"])
def test_behind_an_uncounted_proxy_no_client_is_loopback(app: Flask, header: str) -> None:
    assert from_address(app, "127.0.0.1", **{header: "for=127.0.0.1"}) == 403


@pytest.fixture
def caller_behind(database_url: str) -> Callable:
    def make(**settings: object) -> Flask:
        return create_app(database_url=database_url, **settings)

    return make


def test_behind_counted_proxies_it_is_the_clients_address(caller_behind: Callable) -> None:
    app = caller_behind(trusted_proxies=1)
    assert from_address(app, "127.0.0.1", X_Forwarded_For="192.0.2.1") == 403
    assert from_address(app, "127.0.0.1", X_Forwarded_For="127.0.0.1, 192.0.2.1") == 403
    assert from_address(app, "", X_Forwarded_For="127.0.0.1") == 200
    assert from_address(app, "127.0.0.1") == 200


def test_a_way_around_one_of_two_proxies_is_not_a_way_in(caller_behind: Callable) -> None:
    app = caller_behind(trusted_proxies=2)
    assert from_address(app, "127.0.0.1", X_Forwarded_For="192.0.2.1") == 403
    assert from_address(app, "127.0.0.1", X_Forwarded_For="127.0.0.1, 192.0.2.1") == 200


def test_the_setting_names_single_addresses_and_networks(caller_behind: Callable) -> None:
    from app.core.settings import SETTINGS

    networks = SETTINGS["metrics_allowed"].parse("192.0.2.7, 2001:db8::/32")
    app = caller_behind(metrics_allowed=networks)
    assert from_address(app, "192.0.2.7") == 200
    assert from_address(app, "2001:db8::5") == 200
    assert from_address(app, "192.0.2.8") == 403
    assert from_address(app, "127.0.0.1") == 403
