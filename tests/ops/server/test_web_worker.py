"""A web worker that stops waits for requests under way, not for connections without any."""

import logging
import math
import os
import selectors
import signal
import socket

from gunicorn.config import Config
from gunicorn.workers.gthread import TConn

from app.ops.server.processes import WebWorker


def test_an_idle_browser_connection_does_not_delay_shutdown() -> None:
    config = Config()
    worker = WebWorker(1, os.getpid(), [], None, 30, config, logging.getLogger())
    worker.poller = selectors.DefaultSelector()
    worker.method_queue.init()
    ours, browser = socket.socketpair()
    with browser, worker.poller:
        connection = TConn(config, ours, None, None)
        connection.timeout = math.inf
        worker.poller.register(ours, selectors.EVENT_READ)
        worker.pending_conns.append(connection)
        worker.nr_conns = 1
        worker.handle_exit(signal.SIGTERM, None)
        worker.murder_pending()
        assert not worker.alive
        assert worker.nr_conns == 0
        assert browser.recv(1) == b""
    worker.method_queue.close()
