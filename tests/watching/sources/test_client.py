"""The client of a server with Prometheus' API, over TLS."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from flask import Flask

from app.api.service import current_settings
from app.core.http.client import default_tls
from app.core.http.errors import HttpError
from app.watching.sources.client import PrometheusClient
from tests.support.receiver import run_receiver


@pytest.fixture(autouse=True)
def tls() -> Iterator[None]:
    """Clear the cached certificates before and after the test."""
    yield
    default_tls.cache_clear()


def problem_of(url: str) -> str:
    default_tls.cache_clear()  # as of a service that has just been started
    source = SimpleNamespace(url=url, credentials=None, tenant=None)
    with (
        pytest.raises(HttpError) as problem,
        contextlib.closing(PrometheusClient(current_settings(), source)) as client,
    ):
        client.count_series("up", 0)
    return str(problem.value)


def test_a_source_with_a_private_authority_is_read_once_its_certificate_is_set(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_receiver(tmp_path, "localhost") as server, app.app_context():
        url = f"https://localhost:{server.port}"
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        assert "certificate" in problem_of(url)
        assert server.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
        assert "certificate" not in problem_of(url)  # it has no API
        assert len(server.requests) == 1
