"""An application with a source, and a server behind it."""

import pytest

from tests.support.fake_prometheus import fake_prometheus
from tests.watching.sources.source_queries import LOOPBACK, make_source


@pytest.fixture
def settings():
    return {"source_allowed_networks": LOOPBACK}


@pytest.fixture
def server(now, context):
    """The server behind the source ``prod``."""
    with fake_prometheus(lambda: now().timestamp()) as fake:
        make_source(fake.url)
        yield fake
