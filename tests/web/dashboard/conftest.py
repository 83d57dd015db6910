"""Clients of the dashboard."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.database import utcnow
from app.watching.sources.source_records import SourceSettings
from tests.support.fake_prometheus import FakePrometheus, fake_prometheus
from tests.support.keys import ACTOR, bearer, make_account
from tests.support.members import Browser, sign_in
from tests.support.watching import put_source
from tests.web.dashboard.sources.source_pages import NAME


@pytest.fixture
def has_dashboard() -> bool:
    return True


@pytest.fixture
def admin(app: Flask) -> Browser:
    """A signed-in admin of the default account."""
    return sign_in(app)


@pytest.fixture
def other_admin(app: Flask) -> Browser:
    """A signed-in admin of another account."""
    make_account(app, "acme", None)
    return sign_in(app, "eve@example.com", account="acme")


@pytest.fixture
def viewer(app: Flask) -> Browser:
    """A signed-in viewer of the default account."""
    return sign_in(app, "vic@example.com", "viewer")


@pytest.fixture
def prometheus(app: Flask) -> Iterator[FakePrometheus]:
    with fake_prometheus(lambda: utcnow().timestamp()) as fake, app.app_context():
        yield fake


@pytest.fixture
def prod(prometheus: FakePrometheus) -> FakePrometheus:
    """The server, as the source ``prod``."""
    put_source(ACTOR, 1, NAME, SourceSettings(prometheus.url, None, None, []))
    return prometheus


@pytest.fixture
def create_monitor_with_points(client: FlaskClient, key: str) -> Callable[..., None]:
    """Create a monitor with hourly values, the newest of this hour."""

    url = {"url": "https://hooks.example.com/x"}
    client.put("/webhooks/ops", json=url, headers=bearer(key))

    def make(name: str, values: Sequence[float] = (), key: str = key, **settings: Any) -> None:
        body = {"data_frequency": "Hours", **settings}
        response = client.put(f"/monitors/{name}", json=body, headers=bearer(key))
        assert response.status_code == 201, response.text
        if len(values) == 0:
            return
        now = utcnow().replace(minute=0, second=0, microsecond=0)
        times = [now - dt.timedelta(hours=i) for i in reversed(range(len(values)))]
        points = {
            "timestamps": [f"{time:%Y-%m-%dT%H:%M:%SZ}" for time in times],
            "values": list(values),
        }
        response = client.post(f"/monitors/{name}/points", json=points, headers=bearer(key))
        assert response.status_code == 200, response.text

    return make
