"""An application in whose context a test runs, and a clock that tests move."""

import datetime as dt

import pytest

from app.core.database import base
from tests.watching.monitors.feeding import NOW


class Clock:
    """What `utcnow` says, until it is moved."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self):
        return self.at

    def move(self, **by) -> None:
        self.at += dt.timedelta(**by)


@pytest.fixture(autouse=True)
def now(monkeypatch):
    test_clock = Clock()
    monkeypatch.setattr(base, "now", lambda _zone: test_clock())
    return test_clock


@pytest.fixture(autouse=True)
def context(app):
    """Monitors and sources reach the database as a request or a command does."""
    with app.app_context():
        yield app
