"""Gunicorn's settings: web threads that wait, and engine processes that compute.

The application is preloaded so that all processes share the imported libraries. Web workers hold
no forecast: they hand it to the engine processes (`app/engine/pool.py`), whose kernel alarm
ends a forecast that hangs, so that the client gets the Error body and never a dropped connection.
A proxy or a platform's router stands in front: slow clients and broken HTTP are its work.
"""

import gc
import os
import signal
import sys

from app.engine.process_memory import give_freed_memory_back
from app.observability import processes
from app.server.log import ServerLog
from app.settings import SettingError, load_settings

try:
    settings = load_settings()
except SettingError as error:
    raise SystemExit(f"Error: {error}") from None

SWITCH_SECONDS = 0.0001
# For all that waits for no engine; docs/running/several-nodes.md has what a database that hangs makes of them.
OTHER_THREADS = 32

processes.share_counts()  # before anything is imported that counts

bind = settings.listen_address
workers = settings.web_concurrency
worker_class = "gthread"
# A worker may have all that is computed or waits: who is refused finds a thread nevertheless.
threads = workers + settings.forecast_queue + OTHER_THREADS
preload_app = True
keepalive = 75
timeout = 60
graceful_timeout = settings.forecast_timeout_seconds + 15
control_socket_disable = True
accesslog = None
logger_class = ServerLog
loglevel = settings.log_level.lower()
limit_request_line = 8190
secure_scheme_headers = {}  # TRUSTED_PROXIES alone says whose X-Forwarded-Proto is believed
forwarder_headers = ""  # no client says by a header what the path of its request is

# Systemd tells whom it gives sockets; gunicorn forgets that when it takes them.
has_sockets_of_systemd = os.environ.get("LISTEN_PID") == str(os.getpid())


def on_starting(server):
    """Load what the engine needs, before any process is forked."""
    import wsgi
    from app.anomalies.warm_up import warm_up as warm_up_detection
    from app.database.revisions import startup_problem
    from app.engine.jobs import EXTENSION
    from app.engine.pool import EnginePool
    from app.forecasting.forecast import warm_up as warm_up_forecasts

    with wsgi.app.app_context():
        problem = startup_problem()
    if problem:
        raise SystemExit(f"Error: {problem}")
    warm_up_forecasts()
    warm_up_detection()
    server.engine_pool = EnginePool(
        processes=workers,
        queue=settings.forecast_queue,
        timeout_seconds=settings.forecast_timeout_seconds,
        memory_mb=settings.process_memory_mb,
    )
    wsgi.app.extensions[EXTENSION] = server.engine_pool.client.run
    # What is loaded now stays: the collector need not copy its pages into every process.
    gc.collect()
    gc.freeze()


def when_ready(server):
    """Start the engine processes, again whenever their supervisor has ended."""
    if has_sockets_of_systemd and settings.bind:
        server.log.warning(
            "BIND=%s changes nothing: systemd's socket unit says where to listen (docs/running/several-nodes.md)",
            settings.bind,
        )
    of_gunicorn = signal.getsignal(signal.SIGCHLD)

    def on_child_end(number, frame):
        of_gunicorn(number, frame)
        try:
            server.engine_pool.ensure_running()
        except OSError as error:  # no memory to fork, perhaps: the next child's end tries again
            server.log.error("no engine supervisor could be started: %s", error)

    signal.signal(signal.SIGCHLD, on_child_end)
    server.engine_pool.ensure_running()


def pre_fork(server, worker):
    """Give the worker files of its own to count in."""
    worker.counts = processes.take_place()


def post_fork(server, worker):
    """Give the worker database connections of its own, and its threads short turns."""
    import wsgi
    from app.database import db
    from app.observability.instruments import ENGINE_LIMIT, WEB_WORKERS
    from app.usage.flusher import flusher_of

    processes.write_from(worker.counts)
    WEB_WORKERS.set(1)
    ENGINE_LIMIT.set(workers + settings.forecast_queue)
    # A thread lets go of the interpreter at every word with the database; at Python's own 5 ms it
    # would then wait that long for each of them while others compute.
    sys.setswitchinterval(SWITCH_SECONDS)
    give_freed_memory_back()
    with wsgi.app.app_context():
        db.engine.dispose(close=False)
    flusher_of(wsgi.app).start()


def worker_exit(server, worker):
    """Write what the worker has counted of usage, after its last request."""
    import wsgi
    from app.usage.flusher import flusher_of

    if worker.pid == os.getpid():  # the master tells of a worker that has vanished
        flusher_of(wsgi.app).stop()


def child_exit(server, worker):
    """Forget what a worker that has ended said of its present."""
    processes.give_place_back(worker.counts)


def on_exit(server):
    """End the engine processes with the master."""
    server.engine_pool.stop()
