"""Clients of the dashboard."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app.watching.monitors import clock
from app.watching.sources.source_records import SourceSettings
from tests.support.fake_prometheus import FakePrometheus, fake_prometheus
from tests.support.keys import ACTOR
from tests.support.members import Browser, sign_in
from tests.support.watching import put_source
from tests.web.dashboard.source_pages import NAME


@pytest.fixture
def has_dashboard() -> bool:
    return True


@pytest.fixture
def admin(app: Flask) -> Browser:
    """A signed-in admin of the default account."""
    return sign_in(app)


@pytest.fixture
def viewer(app: Flask) -> Browser:
    """A signed-in viewer of the default account."""
    return sign_in(app, "vic@example.com", "viewer")


@pytest.fixture
def prometheus(app: Flask) -> Iterator[FakePrometheus]:
    with fake_prometheus(lambda: clock.current_time().timestamp()) as fake, app.app_context():
        yield fake


@pytest.fixture
def prod(prometheus: FakePrometheus) -> FakePrometheus:
    """The server, as the source ``prod``."""
    put_source(ACTOR, 1, NAME, SourceSettings(prometheus.url, None, None, []))
    return prometheus
