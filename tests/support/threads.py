"""Servers of the standard library that run in a thread of the tests' process."""

import contextlib
import socketserver
import threading
from collections.abc import Iterator

POLL_SECONDS = 0.02  # the delay with which a server notices its shutdown


@contextlib.contextmanager
def serve_in_thread(server: socketserver.BaseServer) -> Iterator[None]:
    """Serve in a thread within a block, then close the server."""
    thread = threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
