"""Gunicorn's threads, for gunicorn's setting ``worker_class``."""

from types import FrameType

from gunicorn.workers.gthread import ThreadWorker


class WebWorker(ThreadWorker):  # type: ignore[misc]
    """Stops without waiting for connections that have sent nothing, which browsers open early."""

    def handle_exit(self, number: int, frame: FrameType | None) -> None:
        """Begin to stop: requests under way are finished."""
        for connection in self.pending_conns:
            connection.timeout = 0.0
        super().handle_exit(number, frame)
