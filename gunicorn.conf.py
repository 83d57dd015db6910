"""Gunicorn's settings: web threads that wait, and engine processes that compute.

The application is preloaded so that all processes share the imported libraries. Web workers hold
no forecast: they hand it to the engine processes (`app/engine/pool.py`), whose kernel alarm
ends a forecast that hangs, so that the client gets the Error body and never a dropped connection.
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

processes.share_counts()  # before anything is imported that counts

bind = settings.listen_address
workers = settings.web_concurrency
worker_class = "app.server.worker.Worker"
# For forecasts; all else has a few threads of its own. More than may be computed or wait in this
# worker, so that there is always one to say that the service is busy.
threads = workers + settings.forecast_queue + 8
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


def end_this_worker():
    """Let the master replace this worker, and with it the engine supervisor that has gone."""
    os.kill(os.getpid(), signal.SIGTERM)


def on_starting(server):
    """Load what the engine needs, before any process is forked."""
    from gunicorn.sock import close_sockets

    import wsgi
    from app.api.jobs import EXTENSION
    from app.database.revisions import startup_problem
    from app.engine.pool import EnginePool
    from app.forecasting.forecast import forecast, warm_up

    with wsgi.app.app_context():
        problem = startup_problem()
    if problem:
        raise SystemExit(f"Error: {problem}")
    warm_up()
    server.engine_pool = EnginePool(
        forecast,
        processes=workers,
        queue=settings.forecast_queue,
        timeout_seconds=settings.forecast_timeout_seconds,
        memory_mb=settings.process_memory_mb,
        on_gone=end_this_worker,
        on_fork=lambda: close_sockets(server.LISTENERS, unlink=False),
    )
    wsgi.app.extensions[EXTENSION] = server.engine_pool.client
    # What is loaded now stays: the collector need not copy its pages into every process.
    gc.collect()
    gc.freeze()


def when_ready(server):
    """Say where it matters that a setting is not heard."""
    if server.systemd and settings.bind:
        server.log.warning(
            "BIND=%s changes nothing: systemd's socket unit says where to listen (docs/scaling.md)",
            settings.bind,
        )


def pre_fork(server, worker):
    """Start the engine processes, and again should their supervisor have been killed."""
    server.engine_pool.ensure_running()
    worker.counts = processes.free_place({other.counts for other in server.WORKERS.values()})


def post_fork(server, worker):
    """Give the worker database connections of its own, and its threads short turns."""
    import wsgi
    from app.database import db
    from app.observability.instruments import ENGINE_LIMIT, WEB_WORKERS

    processes.write_from(worker.counts)
    WEB_WORKERS.set(1)
    ENGINE_LIMIT.set(workers + settings.forecast_queue)
    # A thread lets go of the interpreter at every word with the database; at Python's own 5 ms it
    # would then wait that long for each of them while others compute.
    sys.setswitchinterval(SWITCH_SECONDS)
    give_freed_memory_back()
    worker.memory_mb = settings.process_memory_mb
    with wsgi.app.app_context():
        db.engine.dispose(close=False)


def child_exit(server, worker):
    """Forget what a worker that has ended said of its present, and that it asked for another."""
    processes.forget_gauges(worker.counts)
    server.num_workers = server.cfg.workers


def on_exit(server):
    """End the engine processes with the master."""
    server.engine_pool.stop()
