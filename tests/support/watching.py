"""Monitors and sources of the application in whose context a test runs."""

import functools
from collections.abc import Callable
from typing import Any

from app.api.computing.current import watching_context
from app.api.service import current_settings
from app.watching.monitors import append as appending
from app.watching.monitors import fed_monitors, monitor_registry
from app.watching.monitors.storage import stored_monitors
from app.watching.monitors.worker import due, limit_events
from app.watching.sources import alerts, polling, query_registry
from app.watching.sources import source_registry as sources
from app.watching.sources.poll_slots import PollSlots
from app.watching.sources.poller import Poller
from tests.support.keys import ACTOR


def _with_argument(
    argument: Callable[[], object], function: Callable[..., Any]
) -> Callable[..., Any]:
    """Return ``function`` with its first argument resolved at each call."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        return function(argument(), *arguments, **options)

    return call


append = _with_argument(watching_context, appending.append_points)
create_fed_monitor = _with_argument(watching_context, fed_monitors.create_fed_monitor)
evaluate_limits = _with_argument(watching_context, limit_events.evaluate_limits)
open_overdue_events = _with_argument(watching_context, due.open_overdue_events)
poll_lease = _with_argument(watching_context, polling.poll_query)


def put_monitor(account_id: int, name: str, settings: Any, history: Any, learn: Any) -> Any:
    return monitor_registry.put_monitor(
        watching_context(),
        ACTOR,
        account_id,
        name=name,
        settings=settings,
        history=history,
        learn=learn,
    )


delete_monitor = _with_argument(lambda: ACTOR, monitor_registry.delete_monitor)
release_withheld = _with_argument(watching_context, due.release_withheld)
write = _with_argument(watching_context, stored_monitors.write_changes)
notify_alertmanagers = _with_argument(current_settings, alerts.notify_alertmanagers)
put_query = _with_argument(current_settings, query_registry.put_query)
put_source = _with_argument(current_settings, sources.put_source)


def new_poller(slots: PollSlots, is_stopping: Callable[[], bool] = lambda: False) -> Poller:
    """Return a poller of the application."""
    return Poller(watching_context(), slots, is_stopping)
