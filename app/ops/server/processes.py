"""How gunicorn's processes log and stop."""

import contextlib
import logging
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from gunicorn.glogging import Logger
from gunicorn.workers.gthread import ThreadWorker

from app.core.logs import JsonLines, Redaction

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)


class ServerLog(Logger):  # type: ignore[misc]
    """Writes one JSON object per line to stdout, without keys."""

    def setup(self, cfg: Any) -> None:
        """Set the level and handlers, at the start and at each reload."""
        super().setup(cfg)
        handler = logging.StreamHandler(sys.stdout)
        handler.setFormatter(JsonLines())
        handler.addFilter(Redaction())
        self.error_log.handlers[:] = [handler]


class WebWorker(ThreadWorker):  # type: ignore[misc]
    """Stops without waiting for connections that have sent nothing, which browsers open early."""

    def handle_exit(self, number: int, frame: FrameType | None) -> None:
        """Begin to stop: requests under way are finished."""
        for connection in self.pending_conns:
            connection.timeout = 0.0
        super().handle_exit(number, frame)


@contextlib.contextmanager
def exit_at_signals() -> Iterator[None]:
    """Exit at a stop signal during a block, which loads the application.

    Gunicorn would queue the signal.
    """
    stops: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        stops.append(number)
        raise SystemExit(0)

    before = {number: signal.signal(number, end) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if stops:  # Python ignores what is raised in a callback of a weak reference
        raise SystemExit(0)
