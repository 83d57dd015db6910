"""GET /metrics/monitors: the newest verdict of each monitor, for Prometheus to scrape."""

import datetime as dt
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Metric, generate_latest

from app.api.callers.current_caller import current_caller
from app.api.endpoints.endpoint import Result, Success
from app.api.monitors.blueprint import MONITOR_RESOURCE
from app.core.database import utcnow
from app.watching.monitors.queries import monitor_queries
from app.watching.monitors.settings.monitor_records import Monitor, Point, PointStatus
from app.watching.monitors.settings.states import STATE_NUMBER_MEANINGS, STATE_NUMBERS, State
from app.watching.sources.alerts import exported_labels
from app.watching.sources.source_reader import find_feeds
from app.watching.sources.source_records import Labels

_TEXT_MEDIA_TYPE = "text/plain"
_MONITOR_LABELS = {"monitor", "query"}
# Prometheus rejects samples that are older than half of its newest block.
_MAX_POINT_AGE = dt.timedelta(hours=1)
_POINT_METRICS: dict[str, tuple[str, Callable[[Point], float | None]]] = {
    "value": ("Value of the newest point.", lambda point: point.value),
    "expected": ("Value that was forecast for it.", lambda point: point.expected),
    "lower": ("Lower bound of its band.", lambda point: point.lower),
    "upper": ("Upper bound of its band.", lambda point: point.upper),
    "anomaly": ("1 if it was flagged, else 0.", lambda point: float(point.is_anomaly)),
    "severity": ("Its severity, 0 to 100.", lambda point: point.severity),
}
_DESCRIPTION = f"""\
Responds in Prometheus' text format: `forecast_monitor_state` ({STATE_NUMBER_MEANINGS}),
`forecast_monitor_event_severity` (of the open event, 0: none), and of the
newest point `forecast_monitor_value`, `_expected`, `_lower`, `_upper`, `_anomaly` and `_severity`
with the point's own timestamp, so that a band lies exactly under its metric. Points older than
an hour are left out, and all but the value of a point that is only learned from. Of a limit,
there are `forecast_monitor_limit_probability` (the highest of a step within its horizon) and
`forecast_monitor_limit_reached_timestamp_seconds` (Unix time; left out if it is not expected to
be reached). Labels are those of the series, with `monitor` and `query`; a label of the series
with one of these names begins with `exported_`."""


@MONITOR_RESOURCE.endpoint(
    "GET",
    "/metrics/monitors",
    successes={200: Success("The metrics.", media_types=(_TEXT_MEDIA_TYPE,))},
    description=_DESCRIPTION,
)
def expose_monitors() -> Result:
    """Show the monitors of the account to Prometheus."""
    registry = CollectorRegistry()
    registry.register(MonitorCollector(current_caller().account_id))
    return Result(generate_latest(registry), media_type=_TEXT_MEDIA_TYPE)


class MonitorCollector:
    def __init__(self, account_id: int) -> None:
        self._account_id = account_id

    def collect(self) -> Iterator[Metric]:
        """Yield the families, with a sample for each monitor."""
        fed = find_feeds(self._account_id)
        severities = monitor_queries.open_severities(self._account_id)
        rows = []
        for monitor in monitor_queries.list_monitors(self._account_id):
            labels: Labels = {"monitor": monitor.name}
            if feed := fed.get(monitor.name):
                labels = (
                    exported_labels(feed.labels, _MONITOR_LABELS) | labels | {"query": feed.query}
                )
            rows.append((monitor, labels))
        state = _gauge("state", f"{STATE_NUMBER_MEANINGS}.")
        severity = _gauge("event_severity", "Severity of the open event, 0 without one.")
        for monitor, labels in rows:
            state.add_sample(state.name, labels, STATE_NUMBERS[monitor.state])
            severity.add_sample(severity.name, labels, severities.get(monitor.name, 0.0))
        yield from (state, severity)
        yield from self._limit_families({monitor.name: labels for monitor, labels in rows})
        new = [(*recent, labels) for monitor, labels in rows if (recent := _recent_point(monitor))]
        for name, (words, number_of) in _POINT_METRICS.items():
            family = _gauge(name, words)
            for point, at, labels in new:
                is_known = name == "value" or point.status is not PointStatus.LEARNING
                if is_known and (number := number_of(point)) is not None:
                    family.add_sample(family.name, labels, number, timestamp=at)
            yield family

    def _limit_families(self, labels: dict[str, Labels]) -> Iterator[Metric]:
        """Yield what the newest evaluations of limits returned; nothing without one."""
        probability = _gauge("limit_probability", "Of a value beyond the limit, at any step.")
        reached = _gauge(
            "limit_reached_timestamp_seconds", "When the limit is expected to be reached."
        )
        for name, outlook in monitor_queries.limit_outlooks(self._account_id).items():
            if name in labels:
                probability.add_sample(probability.name, labels[name], outlook.probability)
                if outlook.reached_at is not None:
                    reached.add_sample(reached.name, labels[name], outlook.reached_at.timestamp())
        yield from (family for family in (probability, reached) if family.samples)


def _gauge(name: str, words: str) -> Metric:
    return Metric(f"forecast_monitor_{name}", words, "gauge")


def _recent_point(monitor: Monitor) -> tuple[Point, float] | None:
    """Return the newest point and its Unix time; None if there is none, or an old one."""
    point = monitor.last_point
    if point is None or monitor.state is State.ABSENT:
        return None
    moment = dt.datetime.fromisoformat(point.timestamp)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    is_recent = moment > utcnow() - _MAX_POINT_AGE
    return (point, moment.timestamp()) if is_recent else None
