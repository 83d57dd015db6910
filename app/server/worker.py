"""The web worker: gunicorn's threads in lanes, so that what waits never holds up the rest.

A forecast waits for an engine process, and under overload hundreds wait for a thread that tells
them that the service is busy: they have threads of their own, and `/verify` and all else are
answered at once. While the database is silent those wait in their turn: so the questions of load
balancers have a few threads too. Which lane a connection goes to is told by the head of its next
request; until that is whole it takes no thread at all, nor once the answer is sent.
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
from gunicorn.http.errors import LimitRequestHeaders
from gunicorn.http.parser import RequestParser
from gunicorn.workers.gthread import TConn, ThreadWorker

from app.engine.process_memory import resident_mebibytes
from app.observability.instruments import HTTP_REQUESTS
from app.server.answers import WholeAnswer
from app.server.heads import FORECASTS, HEALTH, LONGEST_HEAD, OTHER, is_whole, lane_of
from app.server.reading import Reader
from app.server.refusals import SlowHeadError, refusal, refusal_status
from app.server.waiting import Waiting

OTHER_THREADS = 8
HEALTH_THREADS = 4
MEMORY_LOOK_SECONDS = 1.0
HEAD_SECONDS = 10  # in all
REST_SECONDS = 0.1  # for a body that nobody has read, after which the connection is used again
GOODBYE_SECONDS = 30  # for a client that first sends all of what has been refused, and then reads
STOP_SECONDS = 2  # as gunicorn gives idle connections when it stops
DRAIN_BYTES = 65_536


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
        self.half_heads = Waiting(HEAD_SECONDS)
        self.ending = Waiting(GOODBYE_SECONDS)
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
        """Give a connection to the lane of its next request, once the head of it is there."""
        reader = _reader(conn)
        more_may_come = is_whole(reader.received) or reader.receive()
        head = reader.received
        if more_may_come and not is_whole(head) and len(head) <= LONGEST_HEAD:
            self._wait_for_head(conn, begun=bool(head))
            return
        self.half_heads.discard(conn)
        if is_whole(head):
            conn.data_ready = True
            threads = self.lanes[lane_of(head)]
            threads.submit(self.handle, conn).add_done_callback(partial(self._done, conn))
        elif more_may_come:
            self._refuse(conn, LimitRequestHeaders("the head is too long"))
        else:
            self._end(conn)

    def finish_request(self, conn: TConn, future: Future[Any]) -> None:
        """Wait for the next request of a connection, or end it, without waiting for its client."""
        if future.cancelled() or future.exception() or not future.result():
            self._end(conn)
        else:
            super().finish_request(conn, future)

    def murder_pending(self) -> None:
        """End connections whose time is over: idle, with half a head, or after the last answer."""
        super().murder_pending()
        for conn in self.half_heads.take_overdue():
            self.poller.unregister(conn.sock)
            self._refuse(conn, SlowHeadError())
        for conn in self.ending.take_overdue():
            self._close(conn)

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
        # Gunicorn would ask for the body at once, also where the answer does not depend on it.
        conn.parser.unreader.invites = req._expected_100_continue
        req._expected_100_continue = False
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

    def _wait_for_head(self, conn: TConn, *, begun: bool) -> None:
        conn.sock.setblocking(False)
        if begun:
            self.half_heads.add(conn)
            readable = partial(self._on_rest_of_head, conn)
        else:
            conn.timeout = time.monotonic() + self.cfg.keepalive
            self.pending_conns.append(conn)
            readable = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, readable)

    def _on_rest_of_head(self, conn: TConn, sock: socket.socket) -> None:
        self.poller.unregister(sock)
        self.enqueue_req(conn)

    def _refuse(self, conn: TConn, error: Exception) -> None:
        self.handle_error(None, conn.sock, conn.client, error)
        self._end(conn)

    def _end(self, conn: TConn) -> None:
        """Say goodbye and read on until the client has gone, lest it lose the answer to a reset."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._drain, conn))
        except (OSError, ValueError):  # the client has gone already
            self.nr_conns -= 1
            conn.close()
        else:
            self.ending.add(conn)

    def _drain(self, conn: TConn, sock: socket.socket) -> None:
        try:
            gone = not sock.recv(DRAIN_BYTES)
        except BlockingIOError:
            return
        except OSError:
            gone = True
        if gone:
            self.ending.discard(conn)
            self._close(conn)

    def _close(self, conn: TConn) -> None:
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def _keepalive_after(self, conn: TConn, keepalive: bool) -> bool:
        """Whether a connection is used again: not if that means to wait for an unread body."""
        if not keepalive or conn.parser.unreader.invites:
            return False
        # Gunicorn looks at the clock before it looks whether there is a rest at all, so a thread
        # that was held up would close a connection that a proxy was promised.
        body = conn.parser.mesg.body
        if not body.failed and getattr(body.reader, "length", None) == 0:
            return True
        return bool(conn.parser.finish_body(deadline=time.monotonic() + REST_SECONDS))

    def _cap_keepalive(self, deadline: float) -> None:
        """Close idle connections by ``deadline``, also those that have never said anything."""
        super()._cap_keepalive(deadline)
        for conn in self.pending_conns:
            conn.timeout = min(conn.timeout, deadline)
        for waiting in (self.half_heads, self.ending):
            waiting.hurry(STOP_SECONDS)

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


def _reader(conn: TConn) -> Reader:
    """Return what reads from ``conn``, making its parser before gunicorn would."""
    if conn.parser is None:
        conn.parser = RequestParser(conn.cfg, conn.sock, conn.client)
        conn.parser.unreader = Reader(conn.sock)
    reader: Reader = conn.parser.unreader
    return reader
