"""An application with a source, a server behind it, and a clock that stands where it is put."""

import pytest

from app.watching.monitors import clock
from tests.support.fake_prometheus import fake_prometheus
from tests.watching.monitors.conftest import Clock
from tests.watching.sources.source_queries import LOOPBACK, make_source


@pytest.fixture
def settings():
    return {"source_allowed_networks": LOOPBACK}


@pytest.fixture(autouse=True)
def now(monkeypatch):
    stands = Clock()
    monkeypatch.setattr(clock, "current_time", stands)
    return stands


@pytest.fixture(autouse=True)
def context(app):
    """Sources reach the database as a command does."""
    with app.app_context():
        yield app


@pytest.fixture
def server(now, context):
    """The server behind the source ``prod``."""
    with fake_prometheus(lambda: now().timestamp()) as fake:
        make_source(fake.url)
        yield fake
