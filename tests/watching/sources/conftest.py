"""An application with a source, and a server behind it."""

from collections.abc import Iterator

import pytest
from flask import Flask

from tests.support.fake_prometheus import FakePrometheus, fake_prometheus
from tests.watching.clock import Clock
from tests.watching.sources.source_queries import (
    LOOPBACK,
    calm_value,
    make_query,
    make_source,
    poll,
)


@pytest.fixture
def settings() -> dict[str, object]:
    return {"source_allowed_networks": LOOPBACK}


@pytest.fixture
def server(now: Clock, context: Flask) -> Iterator[FakePrometheus]:
    """The server behind the source ``prod``."""
    with fake_prometheus(lambda: now().timestamp()) as fake:
        make_source(fake.url)
        yield fake


@pytest.fixture
def faults(server: FakePrometheus, now: Clock) -> list[int]:
    """A learned series, which is at 500 during a fault."""
    started: list[int] = []
    labels = {"service": 'a"b', "monitor": "own", "__name__": "x", "1st": "y"}
    server.add_series(
        lambda at: 500.0 if started and at >= started[0] else calm_value(at), **labels
    )
    make_source(server.url, alertmanagers=[server.url, f"{server.url}/second"])
    make_query()
    poll(now, steps=1)
    return started
