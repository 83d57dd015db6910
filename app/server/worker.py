"""The web worker: gunicorn's threads in lanes, so that what waits never holds up the rest.

A forecast waits for an engine process, and under overload hundreds wait for a thread that tells
them that the service is busy: they have threads of their own, and `/verify` and all else are
answered at once. While the database is silent those wait in their turn: so the questions of load
balancers have a few threads too. Which lane a connection goes to is told by the first bytes of
its next request; until they are there it takes no thread at all.
"""

import math
import os
import selectors
import signal
import socket
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import TConn, ThreadWorker

from app.memory import resident_mebibytes
from app.metrics.table import HTTP_REQUESTS
from app.server.answers import WholeAnswer
from app.server.refusals import refusal, refusal_status

OTHER_THREADS = 8
HEALTH_THREADS = 4
FORECASTS, HEALTH, OTHER = "forecasts", "health", "other"
LANES = {b"POST /forecast": FORECASTS, b"GET /healthz": HEALTH, b"GET /readyz": HEALTH}
MEMORY_LOOK_SECONDS = 1.0
LONGEST_BEGINNING = max(map(len, LANES))


class Worker(ThreadWorker):  # type: ignore[misc]
    """Web threads in lanes, which answer broken HTTP as the service answers other errors.

    Attributes:
        memory_mb: MiB above which the worker lets a fresh one take its place.
    """

    alive: bool
    memory_mb = math.inf

    def run(self) -> None:
        """Serve until told to stop, or until too much memory is held."""
        self._next_look = time.monotonic() + MEMORY_LOOK_SECONDS
        super().run()

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Make the threads of all lanes; return those of the widest one."""
        self.lanes = {
            FORECASTS: ThreadPoolExecutor(self.cfg.threads),
            HEALTH: ThreadPoolExecutor(HEALTH_THREADS),
            OTHER: ThreadPoolExecutor(OTHER_THREADS),
        }
        return self.lanes[OTHER]

    def enqueue_req(self, conn: TConn) -> None:
        """Give a connection to the lane of its next request, once the first bytes are there."""
        start = _next_bytes(conn)
        if start is None:
            self._wait_for_bytes(conn)
            return
        threads = self.lanes[_lane(start)]
        threads.submit(self.handle, conn).add_done_callback(partial(self._done, conn))

    def notify(self) -> None:
        """Tell the master that this worker lives, and look how much memory it holds.

        Called between the events of the worker, and each second when there are none.
        """
        super().notify()
        now = time.monotonic()
        if not self.alive or now < self._next_look:
            return
        self._next_look = now + MEMORY_LOOK_SECONDS
        if (held := resident_mebibytes()) > self.memory_mb:
            self.log.info("worker %d holds %.0f MiB; replacing it", self.pid, held)
            # The master starts another worker at this signal, before this one has ended: there
            # may be no other to serve, and forecasts that this one still has take their time.
            os.kill(self.ppid, signal.SIGTTIN)
            self.alive = False

    def set_accept_enabled(self, enabled: bool) -> None:
        """Accept clients or not; a worker that stops takes those who wait and shuts the door.

        The kernel would go on to take clients in that nobody serves any more. Refused, they are
        sent to the next node by a proxy, or to the next worker, who listens on.
        """
        super().set_accept_enabled(enabled)
        if not enabled and not self.alive:
            while self.sockets:
                listener = self.sockets.pop()
                self._accept_all(listener)
                listener.close()

    def _accept_all(self, listener: Any) -> None:
        before = None
        while self.nr_conns != before:
            before = self.nr_conns
            self.accept(listener)

    def handle_request(self, req: Any, conn: TConn) -> bool:
        """Answer a request, and send the answer in one piece."""
        sock, answer = conn.sock, WholeAnswer(conn.sock)
        conn.sock = answer
        try:
            stays_open: bool = super().handle_request(req, conn)
            answer.flush()
        finally:
            conn.sock = sock
        return stays_open

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


def _lane(start: bytes) -> str:
    """Return the lane of a request that starts so; one cut short may come into another's."""
    for beginning, lane in LANES.items():
        if start and beginning.startswith(start[: len(beginning)]):
            return lane
    return OTHER


def _next_bytes(conn: TConn) -> bytes | None:
    """Return how the next request on ``conn`` starts, b"" at its end, None if nothing is there."""
    if conn.parser is not None and (read_ahead := conn.parser.unreader.buf.getvalue()):
        return bytes(read_ahead)
    try:
        return bytes(conn.sock.recv(LONGEST_BEGINNING, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except BlockingIOError:
        return None
    except OSError:
        return b""
