"""A trusted receiver, and the resolution of its name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.receiver import Receiver, run_receiver


@pytest.fixture
def receiver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver whose certificate the system trusts."""
    with run_receiver(tmp_path) as running:
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        yield running


@pytest.fixture
def quick_lookups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the deliverer look for work continuously, with short pauses for receivers."""
    for name in ("POLL_SECONDS", "GATHER_SECONDS"):
        monkeypatch.setattr(f"app.delivery.deliverer.{name}", 0.01)
    monkeypatch.setattr("app.core.fair_scheduler.MIN_BACKOFF_SECONDS", 0.01)
