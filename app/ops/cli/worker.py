"""``forecast-service worker``: all work that no request triggers."""

import os
import signal
from functools import partial
from typing import TYPE_CHECKING

import click
from flask.cli import with_appcontext

from app.api.service import current_settings
from app.core.database import db
from app.core.database.revisions import startup_problem
from app.core.logs import log_as_json
from app.core.machine import raise_open_file_limit
from app.core.settings import Settings
from app.ops.engine_libraries import load_engine

if TYPE_CHECKING:
    from app.compute.pool import EnginePool
    from app.delivery.deliverer import PeriodicTask
    from app.watching.context import WatchingContext
    from app.watching.sources.poller import Poller

# Each comment says what a longer interval delays.
_MONITOR_INTERVAL_SECONDS = 5.0  # `overdue` alerts, and the alerts of a mute that has ended
_POLL_START_INTERVAL_SECONDS = 0.5  # polls that are due
_NOTIFY_INTERVAL_SECONDS = 15.0  # alerts at Alertmanagers, and their ends
_ENGINE_CHECK_INTERVAL_SECONDS = 5.0  # the restart of the worker after its engine has ended
_LIMIT_INTERVAL_SECONDS = 5.0  # alerts of limits
_MAX_OPEN_FILES = 8_192  # one socket for each message and poll under way, and for idle connections


@click.command("worker")
@click.option("--once", is_flag=True, help="Only poll the sources that are due, and end.")
@with_appcontext
def worker(once: bool = False) -> None:
    """Send messages, poll sources, notify Alertmanagers and check monitors, until SIGTERM.

    Several may run, on any nodes.
    """
    from app.delivery.deliverer import Deliverer, run_until_signalled
    from app.delivery.sender import Sender
    from app.watching.context import WatchingContext
    from app.watching.sources.poll_slots import PollSlots
    from app.watching.sources.poller import Poller

    problem = startup_problem()
    if problem:
        raise click.ClickException(problem)
    log_as_json()
    raise_open_file_limit(_MAX_OPEN_FILES)
    settings = current_settings()
    pool = _engine_pool(settings)
    db.engine.dispose()  # a forked process must not share connections
    pool.ensure_running()
    context = WatchingContext(settings, pool.client)

    def is_stopping() -> bool:
        return not once and deliverer.is_stopping

    poller = Poller(context, PollSlots(settings.worker_polls), is_stopping)
    sender = Sender(settings.webhook_allowed_networks)
    deliverer = Deliverer(db.engine, sender, _periodic_tasks(context, poller, pool))
    try:
        if once:
            poller.run_until_idle()
        else:
            run_until_signalled(deliverer)
            if not pool.is_running():
                raise click.ClickException("the engine process has ended; start the worker again")
    finally:
        poller.close()
        pool.stop()


def _periodic_tasks(
    context: "WatchingContext", poller: "Poller", pool: "EnginePool"
) -> "list[PeriodicTask]":
    """Return the work other than sending messages."""
    from app.delivery.deliverer import PeriodicTask
    from app.delivery.heartbeat import HEARTBEAT_SECONDS, record_heartbeat
    from app.watching.monitors.worker.due import open_overdue_events, release_withheld
    from app.watching.monitors.worker.limit_events import evaluate_limits
    from app.watching.sources.alerts import notify_alertmanagers

    def stop_if_engine_ended() -> None:
        if not pool.is_running():  # a process with threads cannot fork another one
            os.kill(os.getpid(), signal.SIGTERM)

    return [
        PeriodicTask(_MONITOR_INTERVAL_SECONDS, partial(open_overdue_events, context)),
        PeriodicTask(_MONITOR_INTERVAL_SECONDS, partial(release_withheld, context)),
        PeriodicTask(_POLL_START_INTERVAL_SECONDS, poller.start_due_polls),
        PeriodicTask(_NOTIFY_INTERVAL_SECONDS, partial(notify_alertmanagers, context.settings)),
        PeriodicTask(HEARTBEAT_SECONDS, partial(record_heartbeat, db.engine)),
        PeriodicTask(_ENGINE_CHECK_INTERVAL_SECONDS, stop_if_engine_ended),
        PeriodicTask(_LIMIT_INTERVAL_SECONDS, partial(evaluate_limits, context)),
    ]


def _engine_pool(settings: Settings) -> "EnginePool":
    """Return the pool of one process that fits monitors; fork it before any threads."""
    from app.compute.capacity import QueueBounds
    from app.compute.pool import EnginePool

    jobs = settings.worker_polls + 2
    return EnginePool(
        processes=1,
        bounds=QueueBounds(
            max_wait_seconds=settings.forecast_timeout_seconds, max_jobs=jobs, max_bytes=1
        ),
        timeout_seconds=settings.forecast_timeout_seconds,
        memory_mib=settings.process_memory_mb,
        load=partial(load_engine, reads_tables=False),
    )
