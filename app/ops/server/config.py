"""Gunicorn's settings: web threads that wait, and engine processes that compute.

The master listens before it loads the application, so that requests wait at the socket during a
slow start. Web workers share the loaded modules of the master, and do not compute: they send jobs
to the engine processes (`app/compute/pool.py`): only these load the numerical libraries. A kernel
alarm kills a job that hangs, so that the client gets an error response instead of a dropped
connection. A proxy or a platform's router in front handles slow clients and malformed HTTP.
"""

import gc
import os
import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from app.compute.process_memory import configure_memory_release
from app.core import metric_files
from app.core.environment import SettingError, load_settings
from app.core.machine import available_concurrency
from app.ops.engine_libraries import load_engine
from app.ops.server.processes import STOP_SIGNALS, ServerLog, exit_at_signals
from app.ops.server.unread_body import close_if_endless, drain_body

if TYPE_CHECKING:
    from app.compute.pool import EnginePool

try:
    settings = load_settings()
except SettingError as error:
    raise SystemExit(f"Error: {error}") from None

_SWITCH_SECONDS = 0.0001
# For requests that need no engine; docs/running/several-nodes.md describes a database that hangs.
_OTHER_THREADS = 32
# Requests of the maximum size that may wait for an engine, in memory.
_MAX_LARGE_REQUESTS_WAITING = 16
_MAX_UNFINISHED_JOBS = settings.engine_processes + settings.forecast_queue  # run or wait

metric_files.create_metrics_folder()  # before importing modules with metrics

bind = settings.listen_address
workers = settings.web_concurrency
worker_class = "app.ops.server.processes.WebWorker"
# One worker may get all jobs that run or wait, and still needs threads to reject more.
threads = _MAX_UNFINISHED_JOBS + _OTHER_THREADS
keepalive = 75
timeout = 60
graceful_timeout = settings.stop_seconds
control_socket_disable = True
accesslog = None
logger_class = ServerLog
loglevel = settings.log_level.lower()
limit_request_line = 8190
# Only TRUSTED_PROXIES decides whose X-Forwarded-Proto is trusted.
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""  # clients must not override the request path with a header

# systemd sets this variable for socket activation; gunicorn deletes it when it takes the sockets.
is_socket_activated = os.environ.get("LISTEN_PID") == str(os.getpid())


def pre_request(_worker: Any, request: Any) -> None:
    """Close the connection with the response if the body of the request may be endless."""
    close_if_endless(request, settings.max_body_bytes)


def post_request(_worker: Any, request: Any, environ: Any, _response: Any) -> None:
    """Read the rest of the body from a connection that the response has promised to keep open."""
    if environ:  # else the response could not be begun
        drain_body(request, environ["gunicorn.socket"], settings.max_body_bytes)


def on_starting(_server: Any) -> None:
    """Refuse to start if the database is not migrated, before clients can connect."""
    from app import create_admin_app
    from app.core.database.revisions import startup_problem

    with create_admin_app().app_context():
        problem = startup_problem()
    if problem:
        raise SystemExit(f"Error: {problem}")


def when_ready(server: Any) -> None:
    """Load the application while requests wait at the socket, and start the engine processes."""
    if is_socket_activated and settings.bind:
        server.log.warning(
            "BIND=%s has no effect: systemd's socket unit sets where to listen "
            "(docs/running/several-nodes.md)",
            settings.bind,
        )
    if not os.environ.get("WEB_CONCURRENCY"):
        reason = available_concurrency().reason
        engines = settings.engine_processes
        server.log.info("%d web workers, %d engine processes: %s", workers, engines, reason)
    server.log.info("loading the application; requests wait")
    with exit_at_signals():
        from app.compute.jobs import ENGINE_EXTENSION
        from wsgi import app as service

        # Freeze the loaded objects, so that garbage collection does not copy their pages.
        gc.collect()
        gc.freeze()
    server.engine_pool = _engine_pool()
    service.extensions[ENGINE_EXTENSION] = server.engine_pool.client
    _keep_running(server.engine_pool, server.log)


def _engine_pool() -> "EnginePool":
    from app.compute.capacity import QueueBounds
    from app.compute.pool import EnginePool

    return EnginePool(
        processes=settings.engine_processes,
        bounds=QueueBounds(
            # Waiting longer than the time limit would be in vain.
            max_wait_seconds=min(settings.forecast_wait_seconds, settings.forecast_timeout_seconds),
            max_jobs=_MAX_UNFINISHED_JOBS,
            max_bytes=(workers + _MAX_LARGE_REQUESTS_WAITING) * settings.max_body_bytes,
        ),
        timeout_seconds=settings.forecast_timeout_seconds,
        memory_mib=settings.process_memory_mb,
        load=load_engine,
    )


def _keep_running(pool: "EnginePool", log: ServerLog) -> None:
    """Start the engine processes, and restart them whenever their fork server ends."""
    gunicorn_handler: Any = signal.getsignal(signal.SIGCHLD)

    def on_child_end(number: int, frame: FrameType | None) -> None:
        gunicorn_handler(number, frame)
        try:
            pool.ensure_running()
        except OSError as error:  # perhaps no memory to fork: retried when the next child ends
            log.error("the engine processes could not be started: %s", error)

    signal.signal(signal.SIGCHLD, on_child_end)
    pool.ensure_running()


def pre_fork(server: Any, worker: Any) -> None:
    """Assign the worker its own metric files."""
    worker.metric_slot = metric_files.acquire_slot()


def post_fork(server: Any, worker: Any) -> None:
    """Give the worker its own database connections, and shorten the threads' switch interval."""
    from app.api.callers.usage import flusher_of
    from app.core.database import db
    from app.core.instruments import ENGINE_LIMIT, ENGINE_WAIT_LIMIT, WEB_WORKERS
    from wsgi import app as service

    # The inherited handlers of the master would lose a stop signal before the worker sets its own,
    # and the master would wait for it until ``graceful_timeout``.
    for number in STOP_SIGNALS:
        signal.signal(number, lambda *_: os._exit(0))
    metric_files.use_slot(worker.metric_slot)
    WEB_WORKERS.set(1)
    ENGINE_LIMIT.set(_MAX_UNFINISHED_JOBS)
    ENGINE_WAIT_LIMIT.set(settings.forecast_wait_seconds)
    # A thread releases the interpreter lock at every exchange with the database, and then waits up
    # to this interval while others compute; Python's default is 5 ms.
    sys.setswitchinterval(_SWITCH_SECONDS)
    configure_memory_release()
    with service.app_context():
        db.engine.dispose(close=False)
    flusher_of(service).start()


def worker_exit(server: Any, worker: Any) -> None:
    """Write the usage that the worker has counted, after its last request."""
    from app.api.callers.usage import flusher_of
    from wsgi import app as service

    if worker.pid == os.getpid():  # the master also calls this for a vanished worker
        flusher_of(service).stop()


def child_exit(server: Any, worker: Any) -> None:
    """Remove the gauges of an ended worker."""
    metric_files.release_slot(worker.metric_slot)


def on_exit(server: Any) -> None:
    """Stop the engine processes with the master."""
    server.engine_pool.stop()
