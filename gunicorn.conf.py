"""Gunicorn's settings: web threads that wait, and engine processes that compute.

The application is preloaded so that all processes share the imported libraries. Web workers hold
no forecast: they hand it to the engine processes (`app/forecasting/pool.py`), whose kernel alarm
ends a forecast that hangs, so that the client gets the Error body and never a dropped connection.
"""

import os

cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
port = os.environ.get("PORT", "8000")

# A platform that sets PORT routes to it from outside; everywhere else nginx is on this machine.
bind = os.environ.get("BIND") or (f"0.0.0.0:{port}" if "PORT" in os.environ else "127.0.0.1:8000")
workers = int(os.environ.get("WEB_CONCURRENCY") or cores)
worker_class = "gthread"
threads = 16
preload_app = True
keepalive = 75
timeout = 60
graceful_timeout = 45
max_requests = 20_000
max_requests_jitter = 2_000
control_socket_disable = True
accesslog = None
errorlog = "-"
limit_request_line = 8190


def on_starting(server):
    """Start the engine processes, before any worker and any thread."""
    import wsgi
    from app.api.engine import EXTENSION
    from app.forecasting.forecast import forecast, warm_up
    from app.forecasting.pool import start_pool
    from app.settings import load_settings

    settings = load_settings()
    warm_up()
    server.engine_pool = start_pool(
        forecast,
        processes=workers,
        queue=settings.forecast_queue,
        timeout_seconds=settings.forecast_timeout_seconds,
    )
    wsgi.app.extensions[EXTENSION] = server.engine_pool.client


def post_fork(server, worker):
    """Give the worker database connections of its own."""
    import wsgi
    from app.database import db

    with wsgi.app.app_context():
        db.engine.dispose(close=False)


def on_exit(server):
    """End the engine processes with the master."""
    server.engine_pool.stop()
