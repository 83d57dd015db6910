"""A service behind a socket that stays open, as a systemd socket unit's does."""

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

from tests.integration.workers import worker_ids
from tests.support.edge import UNHEARD
from tests.support.server import Server, run_server
from tests.support.services import children, wait_until

WORKERS = 2
PATIENCE_SECONDS = 150  # with a start on a busy machine


class Activation:
    """A service that can be stopped and started; its clients wait at ``listener``."""

    server: Server

    def __init__(
        self, folder: Path, listener: socket.socket, database_url: str, **settings: str
    ) -> None:
        listener.listen(4096)
        self._folder, self._listener, self._database_url = folder, listener, database_url
        self._settings = {
            "BIND": UNHEARD,
            "TRUSTED_PROXIES": "1",
            "WEB_CONCURRENCY": str(WORKERS),
            **settings,
        }
        self._running = contextlib.ExitStack()
        self.start()

    def start(self) -> None:
        """Start the service, as the first process of a group, and wait for its workers."""
        listener = self._listener.fileno()
        self.server = self._running.enter_context(
            run_server(self._folder, self._database_url, listener=listener, **self._settings)
        )

    def stop(self) -> None:
        """Send SIGTERM to the master and wait for its end."""
        self._running.close()

    def reload(self) -> None:
        """Send SIGHUP, and wait until new workers have taken the place of the old ones."""
        before = worker_ids(self.server)
        self.server.process.send_signal(signal.SIGHUP)
        wait_until(
            lambda: len(worker_ids(self.server)) >= len(before) + WORKERS,
            "the new workers",
            PATIENCE_SECONDS,
        )
        wait_until(
            lambda: not set(before) & set(children(self.server.process.pid)),
            "the end of the old ones",
            PATIENCE_SECONDS,
        )

    def kill(self) -> None:
        """Close the socket and kill all processes at once."""
        self._listener.close()
        os.killpg(self.server.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the service and close the socket."""
        self.stop()
        self._listener.close()


class Node:
    """One of several services that share their stores, at a port of its own."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        folder.mkdir()
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.service = Activation(folder, listener, **settings)


@contextlib.contextmanager
def two_nodes(folder: Path, settings: dict[str, str]) -> Iterator[list[Node]]:
    """Run two nodes with the same settings within a block."""
    with contextlib.ExitStack() as stack:
        nodes = [Node(folder / str(number), settings) for number in range(2)]
        for node in nodes:
            stack.callback(node.service.close)
        yield nodes
