"""An account with something to take: an admin, a viewer, a key, a monitor; and a stranger."""

import pytest
from flask import Flask

from app.members import sign_in as signing_in
from tests.support.keys import bearer, make_account
from tests.support.members import Browser, sign_in


@pytest.fixture(autouse=True)
def quick_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing_in, "REFUSAL_SECONDS", 0)


@pytest.fixture
def furnished(app: Flask, admin: Browser, key: str) -> Flask:
    """The service; key 1, member 1, session 1, monitor ``load`` are of the admin's account."""
    body = {"data_frequency": "Hours"}
    made = app.test_client().put("/monitors/load", json=body, headers=bearer(key))
    assert made.status_code == 201
    return app


@pytest.fixture
def stranger(app: Flask) -> Browser:
    """A signed-in admin of another account."""
    make_account(app, "acme", None)
    return sign_in(app, "eve@example.com", account="acme")
