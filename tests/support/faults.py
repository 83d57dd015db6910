"""A service under load while its database fails, and the checks of its responses."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy.exc import OperationalError

from app.core.database import lock_waits
from tests.support.load import FORECAST, HEALTH, VERIFY, Load, load
from tests.support.server import Server
from tests.support.services import children, wait_until

BOUND_SECONDS = 5
ROOM_SECONDS = 2  # for clients in many threads of one process, on busy cores
BUSY = 503  # too many forecasts wait for an engine, or a lock was not acquired
CALM_REQUESTS = 2  # successes in a row of each client: every worker has recovered
PATIENCE_SECONDS = 30


def interruption() -> OperationalError:
    """Return SQLAlchemy's error when the server ends a connection within a transaction."""
    return OperationalError("SELECT", {}, OSError("secret"), connection_invalidated=True)


def busy_error() -> OperationalError:
    """Return SQLAlchemy's error after a lock timeout."""
    cause = sqlite3.OperationalError("database is locked")
    cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
    cause.add_note(lock_waits.BUSY_NOTE)
    return OperationalError("SELECT", {}, cause)


def send_in_time(send: Callable[..., Any], *arguments: Any) -> Any:
    """Return the response of ``send``; it must come within ``BOUND_SECONDS``."""
    started = time.monotonic()
    response = send(*arguments)
    assert time.monotonic() - started < BOUND_SECONDS
    return response


def assert_responds_in_time_and_recovers(
    server: Server, key: str, fault: AbstractContextManager[None], *, seconds: float, clients: int
) -> None:
    """Assert quick Error bodies while ``fault`` begins, lasts ``seconds`` or more, and ends.

    It lasts until all kinds of clients have met it: a probe's response is kept for a second, and
    the machine may stop for the rest of a short fault.
    """
    workers = children(server.process.pid)
    with (
        load(server.url, key, [FORECAST], clients=clients // 4, pause=0.05) as forecasts,
        load(server.url, key, [VERIFY], clients=clients, pause=0.05) as verified,
        load(server.url, None, [HEALTH], clients=2, pause=0.1) as probes,
    ):
        for sent in (forecasts, verified, probes):
            wait_until(lambda sent=sent: sent.statuses()[200] > 1, "a steady load")
        with fault:
            time.sleep(seconds)
            met = ("/forecast", forecasts, 500), ("/verify", verified, 500), ("probes", probes, 503)
            for name, sent, status in met:
                wait_until(
                    lambda sent=sent, status=status: status in sent.statuses(),
                    f"a {status} of {name}",
                    BOUND_SECONDS + ROOM_SECONDS,
                )
            ends_at = time.monotonic()
        mended_at = time.monotonic()
        for sent in (forecasts, verified, probes):
            wait_until(
                lambda sent=sent: has_recovered(sent, mended_at), "good responses", PATIENCE_SECONDS
            )
    for sent in (forecasts, verified, probes):
        sent.assert_errors_have_the_one_shape()
        assert sent.max_seconds() < BOUND_SECONDS + ROOM_SECONDS
    assert set(forecasts.statuses()) - {BUSY} == {200, 500}
    assert set(verified.statuses()) - {BUSY} == {200, 500}
    # Once others can write, a lock timeout means a busy database.
    assert all(
        call.started + call.seconds > ends_at for call in verified.calls if call.status == BUSY
    )
    assert set(probes.statuses()) == {200, 503}
    assert children(server.process.pid) == workers


def has_recovered(sent: Load, mended_at: float) -> bool:
    """Return whether the last requests, one round of all clients, succeeded since then."""
    last = sent.calls[-CALM_REQUESTS * sent.clients :]
    return all(call.started > mended_at for call in last) and {call.status for call in last} - {
        BUSY
    } == {200}
