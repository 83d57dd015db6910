"""Gunicorn's settings for ``benchmarks/overhead.py``: the service's own, without engines."""

import gc
import runpy
import sys
from typing import Any

from app.core import metric_files as processes

own = runpy.run_module("app.ops.server.config")

workers = 2
worker_class = own["worker_class"]
threads = own["threads"]
preload_app = True  # the bare application is loaded before its workers are forked, too
keepalive = own["keepalive"]
control_socket_disable = True
accesslog = None


def when_ready(server: Any) -> None:
    """Leave what is loaded to itself, as the service does."""
    gc.collect()
    gc.freeze()


def post_fork(server: Any, worker: Any) -> None:
    """Give the worker of the service connections, counts and a flusher of its own."""
    processes.use_slot(str(worker.age))
    sys.setswitchinterval(own["SWITCH_SECONDS"])
    service = server.app.wsgi()
    if "sqlalchemy" in service.extensions:
        from app.core.database import db  # noqa: PLC0415 - the bare view has none
        from app.identity.usage.flusher import flusher_of  # noqa: PLC0415

        with service.app_context():
            db.engine.dispose(close=False)
        flusher_of(service).start()
