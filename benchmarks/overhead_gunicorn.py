"""Gunicorn's settings for ``benchmarks/overhead.py``: the service's own, without engines."""

import sys

from app.metrics import processes

processes.share_counts()

worker_class = "gthread"
workers = 2
threads = 16
preload_app = True
keepalive = 75
control_socket_disable = True
accesslog = None


def post_fork(server, worker):
    """Give the worker of the service database connections and counts of its own."""
    processes.write_from(str(worker.age))
    sys.setswitchinterval(0.0001)
    service = server.app.wsgi()
    if "sqlalchemy" in service.extensions:
        from app.database import db  # noqa: PLC0415 - the bare view has none

        with service.app_context():
            db.engine.dispose(close=False)
