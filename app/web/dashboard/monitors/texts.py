"""The texts of the page of a monitor."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.anomalies.streaming.detector import learning_points
from app.api.responses.json import Json
from app.core.database import iso_string, utcnow
from app.core.text import short_number, short_timestamp
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.periods import periods_of_months, periods_of_seconds
from app.timeseries.words import count_of, duration_text
from app.watching.feeds import Feed
from app.watching.monitors.settings.monitor_records import Monitor, MonitorQuality, PointStatus
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.settings.states import LearningReason, State
from app.watching.monitors.storage.messages import DeliveryRecord
from app.watching.sources.source_records import QuerySettings
from app.web.dashboard.monitors.event_texts import (
    EventTexts,
    event_texts,
    points_band_text,
)
from app.web.dashboard.texts import chance_text, rate_text

_NO_VALUE = "–"
TABLE_POINTS = 30  # the newest, in the table of numbers
_MIN_PERCENTAGE_POINTS = 100  # with fewer, the points inside the band are only counted
_FIRST_MONDAY = dt.datetime(1970, 1, 5, tzinfo=dt.UTC)  # weeks of an example begin on Mondays
_REASONS = {
    LearningReason.NEW: "too few points yet",
    LearningReason.GAP: "after a gap of more than two seasons",
    LearningReason.CHANGED: "the series has changed for good",
}
DIRECTIONS = {"both": "Above and below", "up": "Only above", "down": "Only below"}


class Fact(NamedTuple):
    """A line of the settings; one that is wide has long text."""

    title: str
    text: str
    hint: str = ""
    is_wide: bool = False


class CellTable(NamedTuple):
    """A table of texts: each row has a cell per column."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class MonitorTexts:
    """A monitor as its page shows it; ``why`` explains its states, ``band`` says when it alerts."""

    name: str
    title: str
    states: Sequence[str]
    why: str
    band: str | None
    muted_until: str | None
    facts: Sequence[Fact]
    has_limit: bool
    has_webhook: bool
    points: CellTable
    events: Sequence[EventTexts]
    deliveries: CellTable


def monitor_texts(
    monitor: Monitor,
    feed: Feed | None,
    points: Sequence[Json],
    events: Sequence[Json],
    deliveries: Sequence[DeliveryRecord],
    quality: MonitorQuality | None,
    open_limit: str | None,
) -> MonitorTexts:
    """Return the texts of ``monitor.html``.

    Args:
        feed: The query that feeds it, None if clients send its points.
        points: The points as returned by their endpoint, newest first.
        events: The events as returned by their endpoint, newest first.
        quality: How well it forecast its newest points, None if it judged none.
        open_limit: The kind of the open event about its limit, None if there is none.
    """
    settings = monitor.settings
    shown_events = [event_texts(event, settings.has_days) for event in events]
    return MonitorTexts(
        name=monitor.name,
        title=title_of(monitor.name, feed),
        states=shown_states(monitor.states, open_limit),
        why=state_text(monitor),
        band=points_band_text(settings, points),
        muted_until=_mute_end_text(settings),
        facts=_monitor_facts(monitor, feed, quality),
        has_limit=settings.limit is not None,
        has_webhook=settings.webhook is not None,
        points=CellTable(
            ("Point", "Value", "Lower", "Expected", "Upper", "By chance", "Verdict"),
            [_point_cells(point, settings.has_days) for point in points[:TABLE_POINTS]],
        ),
        events=sorted(shown_events, key=lambda event: event.end is not None),
        deliveries=CellTable(
            ("Written", "Type", "State", "Attempts", "Next or done", "Last problem"),
            [_delivery_cells(delivery) for delivery in deliveries],
        ),
    )


def _monitor_facts(
    monitor: Monitor, feed: Feed | None, quality: MonitorQuality | None
) -> list[Fact]:
    settings, overdue_at = monitor.settings, monitor.overdue_at
    step, noun = settings.step, UNITS[settings.data_frequency].noun
    muted_until = _mute_end_text(settings)
    never_overdue = "never" if monitor.points else "after the first point"
    return [
        Fact("Interval", f"every {noun if step == 1 else count_of(step, noun)}"),
        Fact(
            "False alarm rate",
            rate_text(settings.false_alarm_rate),
            "How often a point of a normal series is flagged.",
        ),
        Fact(
            "Direction",
            settings.direction,
            "On which side of the expected value points are flagged.",
        ),
        Fact("Alerts", alert_text(settings), "Which events are sent; all are recorded."),
        Fact(
            "Limit",
            limit_setting_text(settings),
            "An event opens before the forecast reaches it, which is made at least hourly.",
        ),
        Fact("Muted", f"until {muted_until}" if muted_until else "no"),
        Fact(
            "Stored",
            count_of(monitor.points, "point"),
            "The newest points are stored, older ones are deleted.",
        ),
        Fact("Created", short_timestamp(iso_string(monitor.created_at))),
        Fact(
            "Overdue from",
            short_timestamp(iso_string(overdue_at)) if overdue_at else never_overdue,
            "Without a point until then the monitor is overdue.",
        ),
        Fact("Name", monitor.name, is_wide=True),
        Fact(
            "Points from",
            f"the query {feed.query} of the source {feed.source}" if feed else "clients",
            is_wide=True,
        ),
        Fact("Webhook", settings.webhook or "none: nothing is sent", is_wide=True),
        Fact(
            "Forecasts",
            quality_text(quality),
            "How many points were inside the band, and how far off the expected values were.",
            is_wide=True,
        ),
    ]


def example_timestamp(settings: MonitorSettings, now: dt.datetime) -> str:
    """Return the start of the step that contains ``now``, for a first point at a round time."""
    unit = UNITS[settings.data_frequency]
    step = settings.step
    if unit.seconds:
        seconds = int((now - _FIRST_MONDAY).total_seconds())
        start = _FIRST_MONDAY + dt.timedelta(seconds=seconds - seconds % (unit.seconds * step))
    else:
        months = 12 * now.year + now.month - 1
        year, month = divmod(months - months % (unit.months * step), 12)
        start = dt.datetime(year, month + 1, 1, tzinfo=dt.UTC)
    return start.strftime("%Y-%m-%dT%H:%M:%SZ")


def title_of(name: str, feed: Feed | None) -> str:
    """Return the title of a monitor: its series if a query feeds it, else its name."""
    return feed.title if feed else name


def shown_states(states: Sequence[State], open_limit: str | None) -> list[str]:
    """Return the states of a monitor, with an open event about its limit in place of normal."""
    if open_limit is None:
        return [*states]
    return [*(state for state in states if state is not State.NORMAL), open_limit]


def state_text(monitor: Monitor) -> str:
    """Return why a monitor is learning or overdue, and until when it is muted; empty if neither."""
    muted_until = _mute_end_text(monitor.settings)
    needed = needed_points(monitor.settings.data_frequency, monitor.settings.step)
    words = [_REASONS[monitor.reason]] if monitor.reason else []
    if monitor.reason is LearningReason.NEW and monitor.points < needed:
        words[0] += f": {monitor.points} of {needed}"
    if monitor.overdue_at and monitor.overdue_at <= monitor.created_at:
        words.append("its points are older than the monitor, so no overdue event is opened")
    return "; ".join([*words, f"muted until {muted_until}"] if muted_until else words)


def needed_points(frequency: Frequency, step: int) -> int:
    """Return how many points a new monitor learns from before it judges one."""
    unit = UNITS[frequency]
    if unit.seconds:
        periods = periods_of_seconds(unit.seconds * step)
    else:
        periods = periods_of_months(unit.months * step)
    return learning_points(periods[0] if periods else 0)


def _mute_end_text(settings: MonitorSettings) -> str | None:
    until = settings.muted_until
    return short_timestamp(iso_string(until)) if until and settings.is_muted(utcnow()) else None


def alert_text(settings: MonitorSettings | QuerySettings) -> str:
    thresholds = {
        f"severity {short_number(settings.alert_severity)} or more": settings.alert_severity > 0,
        f"{short_number(settings.alert_min_deviation)} or more from expected": (
            settings.alert_min_deviation > 0
        ),
        f"{short_number(100 * settings.alert_min_relative)} % or more from expected": (
            settings.alert_min_relative > 0
        ),
        f"{settings.alert_for} steps or more": settings.alert_for > 1,
    }
    return ", ".join(text for text, is_set in thresholds.items() if is_set) or "every event"


def quality_text(quality: MonitorQuality | None) -> str:
    if quality is None:
        return "no point judged yet"
    inside = f"{round(quality.inside * quality.judged):,} of {count_of(quality.judged, 'point')}"
    if quality.judged >= _MIN_PERCENTAGE_POINTS:
        inside += f" ({short_number(100 * quality.inside, 4)} %)"
    words = (
        f"{inside} inside the band, {short_number(100 * quality.promised, 4)} % expected without "
        f"incidents; mean error {short_number(quality.mean_error, 3)}"
    )
    if quality.seasonal_error is None:
        return words
    return f"{words}, of the seasonal naive forecast {short_number(quality.seasonal_error, 3)}"


def limit_setting_text(settings: MonitorSettings) -> str:
    limit = settings.limit
    if limit is None:
        return "none"
    sides = {"above": limit.upper, "below": limit.lower}
    words = [f"{side} {short_number(value)}" for side, value in sides.items() if value is not None]
    ahead = f"{count_of(limit.horizon, 'step')} ({duration_of(settings, limit.horizon)}) ahead"
    return f"{' or '.join(words)}, {ahead} at {100 * limit.probability:g} %"


def duration_of(settings: MonitorSettings, steps: int) -> str:
    """Return the duration of a number of steps: ``1 d 17 h``, ``12 months``."""
    unit = UNITS[settings.data_frequency]
    units = steps * settings.step
    if settings.has_days:
        return count_of(units, unit.noun)
    return duration_text(units * unit.seconds)


def _point_cells(point: Json, has_days: bool) -> list[str]:
    names = ("value", "lower_bound", "expected", "upper_bound")
    p_value = None if point["status"] == PointStatus.LEARNING else point["p_value"]
    return [
        short_timestamp(point["timestamp"], has_days),
        *(_NO_VALUE if point[name] is None else short_number(point[name]) for name in names),
        _NO_VALUE if p_value is None else chance_text(p_value),
        "flagged" if point["is_anomaly"] else str(point["status"]),
    ]


def _delivery_cells(delivery: DeliveryRecord) -> list[str]:
    moment = delivery.delivered_at or delivery.failed_at or delivery.next_attempt_at
    return [
        short_timestamp(iso_string(delivery.created_at)),
        delivery.type,
        delivery.state,
        str(delivery.attempts),
        short_timestamp(iso_string(moment)) if moment else _NO_VALUE,
        delivery.last_problem or _NO_VALUE,
    ]
