"""The target of attacks: an account with an admin, a viewer and a key; and a stranger."""

import pytest
from flask import Flask

from app.identity.members import sign_in as signing_in
from app.watching.sources.source_checks import SourceCheck
from app.web.dashboard.sources import pages
from tests.support.keys import bearer
from tests.support.members import Browser

MADE = {
    "/monitors/load": {"data_frequency": "Hours"},
    "/sources/prod": {"url": "https://prometheus.example.com"},
    "/webhooks/ops": {"url": "https://hooks.example.com/x"},
    "/sources/prod/queries/rate": {"query": "up"},
}


@pytest.fixture(autouse=True)
def failing_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no source respond, whatever is tried on a page."""
    monkeypatch.setattr(pages, "check_source", lambda *_: SourceCheck("cannot connect"))


@pytest.fixture(autouse=True)
def quick_rejections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing_in, "REJECTION_SECONDS", 0)


@pytest.fixture
def full_app(app: Flask, admin: Browser, key: str) -> Flask:
    """The service with the resources of ``IDS``, all of the admin's account."""
    for path, body in MADE.items():
        response = app.test_client().put(path, json=body, headers=bearer(key))
        assert response.status_code == 201
    return app
