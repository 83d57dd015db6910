"""An application in whose context a test runs, and a clock that tests move."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app.core.database import base
from tests.watching.clock import Clock


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> Clock:
    test_clock = Clock()
    monkeypatch.setattr(base, "now", lambda _zone: test_clock())
    return test_clock


@pytest.fixture(autouse=True)
def context(app: Flask) -> Iterator[Flask]:
    """Let monitors and sources use the database as a request or a command does."""
    with app.app_context():
        yield app
