"""Pools that end with their test, a gate at which jobs wait, and a queue."""

import logging
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.compute.pool import EnginePool
from app.compute.queue import JobQueue
from tests.compute import pools, queues
from tests.compute.pools import Start


@pytest.fixture
def queue() -> JobQueue[str]:
    return JobQueue(2, queues.BOUNDS)


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    # Handlers of pytest write to files that forked processes close, and whose numbers they reuse.
    monkeypatch.setattr(logging.getLogger(), "handlers", [logging.NullHandler()])
    started: list[EnginePool] = []

    def start(**options: Any) -> EnginePool:
        settings = {"processes": 1, "bounds": pools.BOUNDS, "timeout_seconds": 20.0}
        settings |= {"memory_mib": math.inf, "load": lambda: None}
        started.append(EnginePool(**settings | options))
        started[-1].ensure_running()
        return started[-1]

    yield start
    for pool in started:
        pool.stop()


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A job for each reader of it waits; opening it lets all go on."""
    os.mkfifo(tmp_path / "gate")
    return tmp_path / "gate"
