"""Replace pooled connections that are as old as a dead one: they are probably dead, too."""

import functools
import time
from typing import Any

from sqlalchemy import Dialect, Engine, PoolProxiedConnection, event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

# The key of a pooled connection's ``info`` for when it was opened, by the monotonic clock.
_CONNECTED_AT = "connected_at"


class StaleConnections:
    """When a connection was last found dead: the pool replaces older ones before their next use.

    Replacing the pool instead would leave connections that are in use in the old pool.
    """

    def __init__(self) -> None:
        self._before = float("-inf")

    def record_death(self, dead: PoolProxiedConnection) -> None:
        """Mark all connections opened until now as stale, unless the dead one already was."""
        if dead.info.get(_CONNECTED_AT, self._before) > self._before:
            self._before = time.monotonic()

    def watch(self, engine: Engine) -> None:
        event.listen(engine, "connect", self._record_connection)
        event.listen(engine, "checkout", self._reject_stale)

    def _record_connection(self, _connection: Any, entry: ConnectionPoolEntry) -> None:
        entry.info[_CONNECTED_AT] = time.monotonic()

    def _reject_stale(self, _connection: Any, entry: ConnectionPoolEntry, _proxy: Any) -> None:
        if entry.info[_CONNECTED_AT] <= self._before:
            raise DisconnectionError("another connection of its age was dead")


@functools.cache
def stale_connections_of(dialect: Dialect) -> StaleConnections:
    """Return the stale connections of the engine that ``dialect`` belongs to."""
    return StaleConnections()
