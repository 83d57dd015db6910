"""The web worker: gunicorn's threads in two lanes, so that forecasts never hold up the rest.

A forecast waits for an engine process, and under overload hundreds wait for a thread that tells
them that the service is busy. `/verify`, `/healthz` and all else have threads of their own, so
that they are answered at once whatever the forecasts do. Which lane a connection goes to is told
by the first bytes of its next request; until they are there it takes no thread at all.
"""

import selectors
import socket
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import TConn, ThreadWorker

from app.metrics.table import HTTP_REQUESTS
from app.server.refusals import refusal, refusal_status

LIGHT_THREADS = 8
HEAVY = b"POST /forecast"


class Worker(ThreadWorker):  # type: ignore[misc]
    """Web threads in two lanes, which answer broken HTTP as the service answers other errors."""

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Return the threads of the light lane; those of forecasts are made beside them."""
        self.heavy_pool = ThreadPoolExecutor(self.cfg.threads)
        return ThreadPoolExecutor(LIGHT_THREADS)

    def enqueue_req(self, conn: TConn) -> None:
        """Give a connection to the lane of its next request, once the first bytes are there."""
        start = _next_bytes(conn)
        if start is None:
            self._wait_for_bytes(conn)
            return
        is_heavy = start != b"" and HEAVY.startswith(start[: len(HEAVY)])
        lane: ThreadPoolExecutor = self.heavy_pool if is_heavy else self.tpool
        lane.submit(self.handle, conn).add_done_callback(partial(self._done, conn))

    def _done(self, conn: TConn, future: Future[Any]) -> None:
        self.method_queue.defer(self.finish_request, conn, future)

    def _wait_for_bytes(self, conn: TConn) -> None:
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + self.cfg.keepalive
        self.pending_conns.append(conn)
        readable = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, readable)

    def _cap_keepalive(self, deadline: float) -> None:
        """Close idle connections by ``deadline``, also those that have never said anything."""
        super()._cap_keepalive(deadline)
        for conn in self.pending_conns:
            conn.timeout = min(conn.timeout, deadline)

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:
        """Answer a request that the application was never asked, or that it broke off."""
        status = refusal_status(exc)
        HTTP_REQUESTS.labels("unmatched", "other", status).inc()
        if status < 500:
            self.log.warning("refused broken HTTP with %d: %s", status, type(exc).__name__)
        else:
            self.log.error("request failed outside of the application", exc_info=exc)
        per_minute = self.app.wsgi().config["ANONYMOUS_PER_MINUTE"]
        try:
            util.write_nonblock(client, refusal(status, per_minute))
        except OSError:
            self.log.debug("the client of a broken request has gone")


def _next_bytes(conn: TConn) -> bytes | None:
    """Return how the next request on ``conn`` starts, b"" at its end, None if nothing is there."""
    if conn.parser is not None and (read_ahead := conn.parser.unreader.buf.getvalue()):
        return bytes(read_ahead)
    try:
        return bytes(conn.sock.recv(len(HEAVY), socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except BlockingIOError:
        return None
    except OSError:
        return b""
