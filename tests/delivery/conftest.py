"""A receiver that is trusted, and where its name leads."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.receiver import Receiver, receiving


@pytest.fixture
def receiver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver whose certificate the system trusts."""
    with receiving(tmp_path) as running:
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        yield running


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deliverer looks for work all the time, not every second, and no receiver rests long."""
    for name in ("POLL_SECONDS", "GATHER_SECONDS"):
        monkeypatch.setattr(f"app.delivery.deliverer.{name}", 0.01)
    monkeypatch.setattr("app.core.fair_scheduler.MIN_BACKOFF_SECONDS", 0.01)
