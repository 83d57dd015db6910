"""Waiting for a condition."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
PAUSE_SECONDS = 0.05


def poll(condition: Callable[[], Found], seconds: float) -> Found:
    """Poll a condition; return its first true result, or the last one after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not (result := condition()) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)
    return result
