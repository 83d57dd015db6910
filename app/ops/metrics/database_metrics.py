"""Metrics from the database: the worker, webhook deliveries, the states of sources and monitors.

They are read on each scrape, and are the same from every worker on every node. If the database is
unavailable, they are omitted.
"""

import datetime as dt
import logging
import math
from collections.abc import Iterator
from typing import Any

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import ColumnElement, Engine, Executable, Select, case, func, or_, select
from sqlalchemy.exc import SQLAlchemyError

from app.core.api_keys import redact_stored_names
from app.core.database import utcnow
from app.core.database.engine import read_rows
from app.core.database.malformed import skipped_rows
from app.delivery.heartbeat import last_heartbeat
from app.delivery.models import NOT_ENDED, TEST_MESSAGE_TYPE, Webhook, WebhookDelivery
from app.identity.accounts.models import Account
from app.watching.models.monitors import MonitorLimit, MonitorRow, MonitorState
from app.watching.models.sources import QueryState, SourceQuery, SourceRow, query_name
from app.watching.monitors.queries.activity import has_open_alert
from app.watching.monitors.settings.states import STATE_NUMBER_MEANINGS, STATE_NUMBERS, State
from app.watching.sources.alertmanagers import failing_alertmanagers

logger = logging.getLogger(__name__)

_IS_ALERT_MESSAGE = WebhookDelivery.type != TEST_MESSAGE_TYPE  # failed tests must not cause alerts
_IS_ACTIVE_ACCOUNT = Account.suspended_at.is_(None)  # a suspended account must not cause alerts
_SOURCE_STATES = {
    QueryState.LIVE: 0,
    QueryState.FILLING: 1,
    QueryState.WAITING: 1,
    QueryState.FAILING: 2,
    QueryState.REFUSED: 3,
}


class DatabaseMetrics:
    """A collector of metrics from the database of ``engine``.

    ``has_monitors``: whether each monitor has its own line, with its name.
    """

    def __init__(self, engine: Engine, has_monitors: bool) -> None:
        self._engine = engine
        self._has_monitors = has_monitors

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics with their current values; none if the database is unavailable."""
        try:
            families = [_heartbeat(self._engine), *_deliveries(self._engine)]
            families += [*_sources(self._engine), _failing_limits(self._engine)]
            if self._has_monitors:
                families += _monitors(self._engine)
        except SQLAlchemyError as error:
            logger.warning("metrics from the database are unavailable: %s", type(error).__name__)
            return
        yield from families


def _heartbeat(engine: Engine) -> Metric:
    heartbeat = last_heartbeat(engine)
    return GaugeMetricFamily(
        "forecast_worker_heartbeat_age_seconds",
        "Seconds since a worker last ran, at most about 10 while one does; +Inf if none ever did.",
        value=heartbeat.age_seconds if heartbeat else math.inf,
    )


def _deliveries(engine: Engine) -> list[Metric]:
    now = utcnow()
    (pending,) = read_rows(engine, _pending_query())
    (failed,) = read_rows(engine, _failed_query())
    states = GaugeMetricFamily(
        "forecast_webhook_deliveries",
        "Messages that are pending, or that failed in the last week, by state.",
        labels=["state"],
    )
    states.add_metric(["pending"], pending.number)
    states.add_metric(["failed"], failed.number)
    oldest = GaugeMetricFamily(
        "forecast_webhook_oldest_pending_seconds",
        "Seconds since the event of the oldest pending message; 0 if none is pending.",
        value=_seconds_since(pending.created_at, now),
    )
    delay = GaugeMetricFamily(
        "forecast_webhook_delay_seconds",
        "Seconds by which the next attempt of a pending message is late; 0 if none is late.",
        value=_seconds_since(pending.next_attempt_at, now),
    )
    return [states, oldest, delay]


def _monitors(engine: Engine) -> list[Metric]:
    states = GaugeMetricFamily(
        "forecast_monitor_state",
        f"State of a monitor: {STATE_NUMBER_MEANINGS}.",
        labels=["account", "monitor"],
    )
    alerts = GaugeMetricFamily(
        "forecast_monitor_alert",
        "1 while a monitor that is not muted has an open alert or is overdue, 0 otherwise.",
        labels=["account", "monitor"],
    )
    for row in read_rows(engine, _states_query(utcnow())):
        labels = [redact_stored_names(row.account), redact_stored_names(row.monitor)]
        states.add_metric(labels, row.state)
        alerts.add_metric(labels, row.alert)
    return [states, alerts]


def _sources(engine: Engine) -> list[Metric]:
    now = utcnow().timestamp()
    states = GaugeMetricFamily(
        "forecast_source_state",
        "State of a query of a source: 0 live, 1 filling or waiting, 2 failing, 3 refused.",
        labels=["account", "source", "query"],
    )
    lags = GaugeMetricFamily(
        "forecast_source_lag_seconds",
        "Seconds by which the newest step of a query that was read is late.",
        labels=["account", "source", "query"],
    )
    failing = GaugeMetricFamily(
        "forecast_source_alertmanagers_failing",
        "Alertmanagers of a source that did not accept the newest request.",
        labels=["account", "source"],
    )
    for row in read_rows(engine, _sources_with_alertmanagers()):
        with skipped_rows(SourceRow.__tablename__).skip_if_malformed(row.id):
            failing.add_metric(
                [redact_stored_names(row.account), row.name], len(failing_alertmanagers(row))
            )
    for row in read_rows(engine, _sources_query()):
        labels = [redact_stored_names(row.account), row.source, row.name]
        states.add_metric(labels, _SOURCE_STATES[row.state])
        if row.read_to is not None:
            lags.add_metric(labels, max(0.0, now - row.read_to - row.step - row.delay))
    return [states, lags, failing]


def _failing_limits(engine: Engine) -> Metric:
    (oldest,) = read_rows(engine, _failing_limits_query())
    return GaugeMetricFamily(
        "forecast_monitor_limit_failing_seconds",
        "Seconds since the evaluations of a monitor's limit fail, the longest; 0 if none fails.",
        value=_seconds_since(oldest.failing_since, utcnow()),
    )


def _seconds_since(moment: dt.datetime | None, now: dt.datetime) -> float:
    return 0.0 if moment is None else max(0.0, (now - moment).total_seconds())


def _sources_with_alertmanagers() -> Executable:
    return (
        select(SourceRow.id, SourceRow.name, SourceRow.alertmanagers)
        .add_columns(SourceRow.alertmanager_problems, Account.name.label("account"))
        .join(Account, Account.id == SourceRow.account_id)
        .where(SourceRow.alertmanagers != "[]", _IS_ACTIVE_ACCOUNT)
    )


def _sources_query() -> Executable:
    return (
        select(query_name().label("name"), SourceQuery.state, SourceQuery.read_to, SourceQuery.step)
        .add_columns(SourceQuery.delay, SourceRow.name.label("source"))
        .add_columns(Account.name.label("account"))
        .join(SourceRow, SourceRow.id == SourceQuery.source_id)
        .join(Account, Account.id == SourceQuery.account_id)
        .where(_IS_ACTIVE_ACCOUNT)
    )


def _failing_limits_query() -> Executable:
    return (
        select(func.min(MonitorLimit.failing_since).label("failing_since"))
        .join(MonitorRow, MonitorRow.id == MonitorLimit.monitor_id)
        .join(Account, Account.id == MonitorRow.account_id)
        .where(_IS_ACTIVE_ACCOUNT)
    )


def _pending_query() -> Executable:
    query = _messages_query(
        func.count().label("number"),
        func.min(case((_IS_ALERT_MESSAGE, WebhookDelivery.created_at))).label("created_at"),
        func.min(WebhookDelivery.next_attempt_at).label("next_attempt_at"),
    )
    return query.where(NOT_ENDED, WebhookDelivery.next_attempt_at.is_not(None))


def _failed_query() -> Executable:
    query = _messages_query(func.count().label("number"))
    return query.where(WebhookDelivery.failed_at.is_not(None), _IS_ALERT_MESSAGE)


def _messages_query(*columns: ColumnElement[Any]) -> Select[Any]:
    """Return the query for messages of accounts that are not suspended."""
    return (
        select(*columns)
        .select_from(WebhookDelivery)
        .join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
        .join(Account, Account.id == Webhook.account_id)
        .where(_IS_ACTIVE_ACCOUNT)
    )


def _states_query(now: dt.datetime) -> Executable:
    # The same precedence as in `monitor_queries.list_states`, in SQL.
    state = case(
        (MonitorState.overdue_at <= now, STATE_NUMBERS[State.OVERDUE]),
        (MonitorState.is_absent, STATE_NUMBERS[State.ABSENT]),
        (MonitorState.open_event_id.is_not(None), STATE_NUMBERS[State.ANOMALOUS]),
        (MonitorState.is_learning, STATE_NUMBERS[State.LEARNING]),
        else_=STATE_NUMBERS[State.NORMAL],
    )
    is_overdue = MonitorState.overdue_at <= now
    is_alert = or_(is_overdue, has_open_alert())
    alert = case((MonitorRow.muted_until > now, 0), (is_alert, 1), else_=0)
    return (
        select(Account.name.label("account"), MonitorRow.name.label("monitor"))
        .add_columns(state.label("state"), alert.label("alert"))
        .join(MonitorRow, MonitorRow.account_id == Account.id)
        .join(MonitorState, MonitorState.monitor_id == MonitorRow.id)
        .outerjoin(MonitorLimit, MonitorLimit.monitor_id == MonitorRow.id)
        .where(_IS_ACTIVE_ACCOUNT)
    )
