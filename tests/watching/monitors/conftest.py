"""An application with an account's monitors, and a clock that stands where it is put."""

import datetime as dt

import pytest

from app.watching.monitors import clock
from tests.watching.monitors.feeding import NOW


class Clock:
    """What `app.watching.monitors.clock` says, until it is moved."""

    def __init__(self):
        self.at = NOW

    def __call__(self):
        return self.at

    def move(self, **by):
        self.at += dt.timedelta(**by)


@pytest.fixture(autouse=True)
def now(monkeypatch):
    stands = Clock()
    monkeypatch.setattr(clock, "current_time", stands)
    return stands


@pytest.fixture(autouse=True)
def context(app):
    """Monitors reach the database as a request does."""
    with app.app_context():
        yield app
