"""Keys over HTTP: the single 401, the 403, HTTPS only (specification 5)."""

from collections.abc import Callable

import pytest
from flask import Flask

from app import create_app
from tests.support.api import Api, details_of, error_of
from tests.support.keys import change_key, moment_in
from tests.support.series import daily_body

UNKNOWN_KEY = "ak_" + "5eed" * 16


@pytest.mark.parametrize(
    "header",
    [
        None, "", " ", "Bearer", "Bearer ", "{key}", "Basic {key}", "Token {key}",
        "Bearer{key}", "Bearer:{key}", "Bearer {key} more", "Bearer {key},", 'Bearer "{key}"',
        *(f"Bearer ak_{secret}" for secret in ("", "0" * 63, "0" * 65, "g" * 64, "é" * 64)),
        *(f"Bearer ak_{secret}" for secret in ("٣" * 64, "\0" + "0" * 63)),
        *(f"Bearer {start}{'0' * 64}" for start in ("AK_", "sk_", "")),
        "Bearer " + UNKNOWN_KEY, "Bearer " + "x" * 6000, "Bearer \0", "Bearer ' OR 1=1 --",
    ],
)  # fmt: skip
@pytest.mark.parametrize("endpoint", ["forecast", "verify"])
def test_every_rejected_key_gets_the_same_401(api: Api, header: str | None, endpoint: str) -> None:
    sent = None if header is None else header.format(key=api.key)
    assert_rejected(Api(api.app), endpoint, sent)


def assert_rejected(caller: Api, endpoint: str, header: str | None) -> None:
    """Check the 401, which is always the same."""
    arguments = [daily_body()] if endpoint == "forecast" else []
    response = getattr(caller, endpoint)(*arguments, Authorization=header)
    error = error_of(response, 401)
    assert error == {
        "code": "UNAUTHORIZED",
        "message": "API key is missing, invalid or expired",
        "details": {
            "issue": "the header Authorization does not hold a valid key; send Bearer, a "
            "space and a key, which is ak_ and 64 hexadecimal characters"
        },
    }
    assert response.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("column", ["expires_at", "grace_ends_at", "revoked_at"])
def test_an_expired_rotated_or_revoked_key_gets_the_same_401(
    app: Flask, make_key: Callable, column: str
) -> None:
    key = make_key("read")
    assert Api(app, key).verify().status_code == 200
    change_key(app, key, **{column: moment_in(-1)})
    assert_rejected(Api(app), "verify", f"Bearer {key}")
    assert_rejected(Api(app), "forecast", f"Bearer {key}")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_known_in_any_case(api: Api, scheme: str) -> None:
    assert api.verify(Authorization=f"{scheme} {api.key}").status_code == 200


@pytest.mark.parametrize(
    "permissions", [["write"], ["admin"], ["delete"], ["write", "admin", "delete"]]
)
def test_a_forecast_needs_read(app: Flask, make_key: Callable, permissions: list[str]) -> None:
    caller = Api(app, make_key(*permissions))
    details = details_of(caller.forecast(daily_body()), 403)
    assert details == {"required": ["read"], "granted": permissions}
    assert caller.verify().status_code == 200


@pytest.mark.parametrize("permissions", [["read"], ["read", "write"], ["read", "delete"]])
def test_read_is_enough_for_a_forecast(
    app: Flask, make_key: Callable, permissions: list[str]
) -> None:
    assert Api(app, make_key(*permissions)).forecast(daily_body()).status_code == 200


@pytest.fixture
def app_behind_tls(database_url: str) -> Flask:
    """An application whose platform's router terminates TLS."""
    return create_app(database_url=database_url, require_https=True, trusted_proxies=1)


@pytest.mark.parametrize("path", ["/forecast", "/verify", "/openapi.json", "/nowhere"])
@pytest.mark.parametrize("scheme", ["http", None, "ftp", "", "https, http"])
def test_plain_http_is_403_and_never_a_redirect(
    app_behind_tls: Flask, path: str, scheme: str | None
) -> None:
    response = Api(app_behind_tls, UNKNOWN_KEY).request("POST", path, X_Forwarded_Proto=scheme)
    assert "https://" in details_of(response, 403)["issue"]
    assert "Location" not in response.headers


def test_a_request_that_came_over_https_is_served(app_behind_tls: Flask) -> None:
    caller = Api(app_behind_tls, UNKNOWN_KEY)
    error_of(caller.verify(X_Forwarded_Proto="https"), 401)
    assert caller.request("GET", "/openapi.json", X_Forwarded_Proto="https").status_code == 200


def test_require_https_on_its_own_goes_by_the_routers_header(database_url: str) -> None:
    app = create_app(database_url=database_url, require_https=True)
    error_of(Api(app).verify(X_Forwarded_Proto="https"), 401)
    error_of(Api(app).verify(X_Forwarded_Proto="http"), 403)
    error_of(Api(app).verify(), 403)


def test_plain_http_counts_against_the_address(database_url: str) -> None:
    app = create_app(database_url=database_url, require_https=True, anonymous_per_minute=2)
    assert [Api(app).verify().status_code for _ in range(3)] == [403, 403, 429]
