"""Find and create the monitors of a query's series."""

import functools
import json
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from app.anomalies.streaming.fit import MAX_LEARNED_POINTS
from app.compute.errors import EngineFailedError, EngineUnavailableError
from app.compute.jobs import account_tenant
from app.core.database import db
from app.core.database.engine import read_rows
from app.core.database.malformed import reject_non_integers, translate_row_errors
from app.identity.accounts.errors import TooManyError
from app.timeseries.series import Series
from app.timeseries.words import count_of
from app.watching.context import WatchingContext
from app.watching.models.sources import SERIES
from app.watching.monitors import fed_monitors
from app.watching.monitors.storage.detector_fitter import LEARN_JOB
from app.watching.monitors.storage.row_conversion import MONITORS, STATES
from app.watching.notices import Notices
from app.watching.sources.leases import Lease
from app.watching.sources.series import labels_json, monitor_name
from app.watching.sources.source_reader import query_settings_of
from app.watching.sources.source_records import Labels


@dataclass
class KnownSeries:
    """A series with a monitor; ``since`` and ``seen_to`` are Unix times of steps."""

    monitor_id: int
    name: str
    since: int
    seen_to: int
    is_absent: bool = False


class SeriesMonitors:
    """Assign monitors to the series of a leased query.

    ``known_series`` are the series that have one, by their labels as JSON; ``created`` counts new
    monitors; ``notices`` say why series did not get one.
    """

    def __init__(self, context: WatchingContext, lease: Lease) -> None:
        self._context = context
        self._lease, self._query = lease, lease.query
        self.known_series = _known_series(self._query.id)
        self.created = 0
        self.notices = Notices()

    def find(self, labels: Labels) -> KnownSeries | None:
        return self.known_series.get(labels_json(labels))

    def find_or_create(
        self, labels: Labels, since: int, history: Series | None = None
    ) -> KnownSeries | None:
        """Return a series, which gets a monitor if it is new; None if it cannot have one.

        Args:
            labels: The labels of the series.
            since: The Unix time of its first step, or the last of ``history``.
            history: What it learns from.

        Raise LeaseLostError if another worker has the query.
        """
        key = labels_json(labels)
        if key in self.known_series:
            return self.known_series[key]
        if len(self.known_series) >= self._query.max_series:
            self.add_too_many_notice()
            return None
        name = monitor_name(self._query.name, labels)

        def record_series(connection: Connection, monitor_id: int) -> None:
            self._lease.lock(connection)
            row = {"monitor_id": monitor_id, "query_id": self._query.id, "labels": key}
            times = {"since": since, "seen_to": since}
            connection.execute(insert(SERIES).values(row | times))

        try:
            monitor_id = self._create_monitor(name, history, record_series)
        except TooManyError as error:
            self.notices.add(
                f"an account has at most {count_of(error.max_count, 'monitor')}: series without a "
                "monitor are not watched"
            )
            return None
        if monitor_id is None:
            self.notices.add(f"there is a monitor {name!r} already, so its series is not watched")
            return None
        series = self.known_series[key] = KnownSeries(monitor_id, name, since, since)
        self.created += 1
        return series

    def add_too_many_notice(self) -> None:
        """Add the notice that series are left out because there are more than may be watched."""
        limit = self._query.max_series
        self.notices.add(f"more than max_series {limit} series: the others are not watched")

    def _create_monitor(
        self, name: str, history: Series | None, record_series: fed_monitors.RecordSeries
    ) -> int | None:
        query, run = self._query, self._context.engine.run
        points = 0 if history is None else min(len(history.values), MAX_LEARNED_POINTS)
        cost = LEARN_JOB.cost(points)
        tenant = account_tenant(query.account_id)
        try:
            return fed_monitors.create_fed_monitor(
                self._context,
                query.account_id,
                name,
                query_settings_of(query).monitor_settings,
                fed_by=query.name,
                history=history,
                learn=functools.partial(run, LEARN_JOB, cost=cost, tenant=tenant),
                webhook_id=query.webhook_id,
                record_series=record_series,
            )
        except EngineUnavailableError:
            raise
        except EngineFailedError:
            self.notices.add("a history could not be learned: the monitor learns from new points")
            return self._create_monitor(name, None, record_series)


@translate_row_errors()
def _known_series(query_id: int) -> dict[str, KnownSeries]:
    query = (
        select(SERIES, MONITORS.c.name, STATES.c.is_absent)
        .join(MONITORS, MONITORS.c.id == SERIES.c.monitor_id)
        .join(STATES, STATES.c.monitor_id == SERIES.c.monitor_id)
        .where(SERIES.c.query_id == query_id)
    )
    rows = read_rows(db.engine, query)
    for row in rows:
        reject_non_integers(row, SERIES.c)
    return {
        labels_json(json.loads(row.labels)): KnownSeries(
            row.monitor_id, row.name, row.since, row.seen_to, bool(row.is_absent)
        )
        for row in rows
    }
