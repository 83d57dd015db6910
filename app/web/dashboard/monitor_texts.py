"""The texts of the page of a monitor."""

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

from app.anomalies.results import EventKind
from app.anomalies.streaming.detector import learning_points
from app.api.responses.json import Json
from app.core.database import iso_string, utcnow
from app.core.units import count_of
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.periods import periods_of_months, periods_of_seconds
from app.watching.feeds import Feed
from app.watching.monitors.limits import Limit
from app.watching.monitors.messages import KINDS_WITH_DIRECTION
from app.watching.monitors.monitor_records import (
    LIMIT_KINDS,
    Monitor,
    MonitorEventKind,
    MonitorQuality,
)
from app.watching.monitors.monitor_settings import MonitorSettings
from app.watching.monitors.states import LearningReason
from app.watching.sources.source_records import QuerySettings

NONE = "–"
FIRST_MONDAY = dt.datetime(1970, 1, 5, tzinfo=dt.UTC)  # weeks of an example begin on Mondays
REASONS = {
    LearningReason.NEW: "too few points yet",
    LearningReason.GAP: "after a gap of more than two seasons",
    LearningReason.CHANGED: "the series has changed for good",
}
CLOSING_TEXTS = {
    None: "open",
    "ended": "ended",
    "new_level": "ended as the new level",
    "absent": "ended as the series was no longer returned",
    "reached": "ended as the limit was reached",
}
MAX_FIXED_NUMBER, MIN_FIXED_NUMBER = 1e9, 1e-4  # bounds beyond which numbers have an exponent
MIN_PERCENT, MIN_PROBABILITY = 0.01, 1e-6  # below them a probability is "1 in …", or less than
HINTS = {
    "False alarm rate": "How often a point of a normal series is flagged.",
    "Direction": "On which side of the expected value points are flagged.",
    "Alerts": "Which events are sent; all are recorded.",
    "Limit": "An event opens before the forecast reaches it, which is made at least hourly.",
    "Stored": "The newest points are stored, older ones are deleted.",
    "Overdue from": "Without a point until then the monitor is overdue.",
    "Forecasts": "How many points were inside the band, and how far off the expected values were.",
}
DIRECTIONS = {"both": "Above and below", "up": "Only above", "down": "Only below"}


def monitor_texts(
    monitor: Monitor,
    feed: Feed | None,
    points: Sequence[Json],
    events: Sequence[Json],
    deliveries: Sequence[Json],
    quality: MonitorQuality | None = None,
) -> dict[str, Any]:
    """Return the texts of ``monitor.html``.

    Args:
        monitor: The monitor.
        feed: The query that feeds it, None if clients send its points.
        points: The points as returned by their endpoint, newest first.
        events: The events as returned by their endpoint, newest first.
        deliveries: The deliveries as returned by their endpoint.
        quality: How well it forecast its newest points, None if it judged none.
    """
    settings, overdue_at = monitor.settings, monitor.overdue_at
    step, muted_until = settings.step, _muted_until(settings)
    return {
        "name": monitor.name,
        "title": title_of(monitor.name, feed),
        "states": monitor.states,
        "why": state_text(monitor),
        "muted_until": muted_until,
        "facts": {
            "Frequency": settings.data_frequency + (f", {step} a step" if step > 1 else ""),
            "False alarm rate": f"1 in {1 / settings.false_alarm_rate:,.6g} points",
            "Direction": settings.direction,
            "Alerts": alert_text(settings),
            "Limit": limit_words(settings.limit),
            "Muted": f"until {muted_until}" if muted_until else "no",
            "Stored": count_of(monitor.points, "point"),
            "Created": time_to_second(iso_string(monitor.created_at)),
            "Overdue from": time_to_second(iso_string(overdue_at))
            if overdue_at
            else ("never" if monitor.points else "after the first point"),
        },
        "wide_facts": {
            "Name": monitor.name,
            "Points from": f"the query {feed.query} of the source {feed.source}"
            if feed
            else "clients",
            "Webhook": monitor.settings.webhook or "none: nothing is sent",
            "Forecasts": quality_text(quality),
        },
        "hints": HINTS,
        "has_limit": settings.limit is not None,
        "has_webhook": monitor.settings.webhook is not None,
        "rows": [_point_cells(point) for point in points],
        "events": sorted(map(event_texts, events), key=lambda event: event["end"] is not None),
        "deliveries": [_delivery_cells(delivery) for delivery in deliveries],
    }


def example_timestamp(settings: MonitorSettings, now: dt.datetime) -> str:
    """Return the start of the step that contains ``now``: a first point at it makes round times."""
    unit, step = UNITS[settings.data_frequency], settings.step
    if unit.seconds:
        seconds = int((now - FIRST_MONDAY).total_seconds())
        start = FIRST_MONDAY + dt.timedelta(seconds=seconds - seconds % (unit.seconds * step))
    else:
        months = 12 * now.year + now.month - 1
        year, month = divmod(months - months % (unit.months * step), 12)
        start = dt.datetime(year, month + 1, 1, tzinfo=dt.UTC)
    return start.strftime("%Y-%m-%dT%H:%M:%SZ")


def title_of(name: str, feed: Feed | None) -> str:
    """Return the title of a monitor: its series if a query feeds it, else its name."""
    return feed.title if feed else name


def state_text(monitor: Monitor) -> str:
    """Return why a monitor is learning or overdue, and until when it is muted; empty if neither."""
    muted_until = _muted_until(monitor.settings)
    needed = needed_points(monitor.settings.data_frequency, monitor.settings.step)
    words = [REASONS[monitor.reason]] if monitor.reason else []
    if monitor.reason is LearningReason.NEW and monitor.points < needed:
        words[0] += f": {monitor.points} of {needed}"
    if monitor.overdue_at and monitor.overdue_at <= monitor.created_at:
        words.append("its points are older than the monitor, no event is opened about that")
    return "; ".join([*words, f"muted until {muted_until}"] if muted_until else words)


def needed_points(frequency: Frequency, step: int) -> int:
    """Return how many points a new monitor learns from before it judges one."""
    unit = UNITS[frequency]
    if unit.seconds:
        periods = periods_of_seconds(unit.seconds * step)
    else:
        periods = periods_of_months(unit.months * step)
    return learning_points(periods[0] if periods else 0)


def _muted_until(settings: MonitorSettings) -> str | None:
    until = settings.muted_until
    is_muted = settings.is_muted(utcnow())
    return time_to_second(iso_string(until)) if until and is_muted else None


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
    words = (
        f"{100 * quality.inside:.4g} % of {quality.judged:,} points inside the band, "
        f"{100 * quality.promised:.4g} % promised; mean error {rounded_number(quality.mean_error)}"
    )
    if quality.seasonal_error is None:
        return words
    return f"{words}, by the value a season before {rounded_number(quality.seasonal_error)}"


def rounded_number(value: float) -> str:
    """Return a number with three significant digits and separated thousands."""
    return short_number(float(f"{value:.3g}"))


def limit_words(limit: Limit | None) -> str:
    if limit is None:
        return "none"
    sides = {"above": limit.upper, "below": limit.lower}
    words = [f"{side} {short_number(value)}" for side, value in sides.items() if value is not None]
    return f"{' or '.join(words)}, {limit.horizon:,} steps ahead at {100 * limit.probability:g} %"


def _point_cells(point: Json) -> list[str]:
    names = ("value", "lower_bound", "expected", "upper_bound")
    p_value = point["p_value"]
    return [
        time_to_second(point["timestamp"]),
        *(NONE if point[name] is None else short_number(point[name]) for name in names),
        NONE if p_value is None else chance_text(p_value),
        "flagged" if point["is_anomaly"] else str(point["status"]),
    ]


def event_texts(event: Json) -> dict[str, Any]:
    kind, start, end = event["kind"], time_to_second(event["start"]), event["end"]
    name = "flat run" if kind == "flat" else kind.replace("_", " ")
    has_side = kind in KINDS_WITH_DIRECTION or kind in LIMIT_KINDS
    side = f" {event['direction']}" if has_side else ""
    facts = []
    has_peak = kind not in (EventKind.FLAT, MonitorEventKind.OVERDUE)
    if has_peak and event["peak_timestamp"] != event["start"]:
        facts.append(f"peak {_time_beside(start, event['peak_timestamp'])}")
    if event["reached_at"] is not None:
        facts.append(f"expected {_time_beside(start, event['reached_at'])}")
    if kind == MonitorEventKind.LIMIT_AHEAD:
        facts.append(f"probability {event['severity']:.0f} %")
    elif kind != MonitorEventKind.OVERDUE:
        facts.append(f"severity {event['severity']:.0f}")
    if event["deviation"] is not None:
        deviation = float(f"{event['deviation']:.3g}")
        facts.append(f"{short_number(deviation)} from expected")
    time = f"since {start}" if end is None else start
    if end not in (None, event["start"]):
        time = f"{start} – {_time_beside(start, end)}"
    return {
        "kind": kind,
        "name": f"{name.capitalize()}{side}",
        "time": time,
        "facts": ", ".join([*facts, CLOSING_TEXTS[event["closed_as"]]]),
        "start": event["start"],
        "end": end,
        "is_alert": event["is_alert"],
    }


def _time_beside(first: str, timestamp: str) -> str:
    """Return the short form of a timestamp, without the date if ``first`` has the same."""
    time = time_to_second(timestamp)
    date, _, time_of_day = time.partition(" ")
    return time_of_day if time_of_day and first.startswith(date) else time


def _delivery_cells(delivery: Json) -> list[str]:
    moments = ("delivered_at", "failed_at", "next_attempt_at")
    moment = next((delivery[name] for name in moments if delivery[name]), None)
    return [
        time_to_second(iso_string(delivery["created_at"])),
        delivery["type"],
        delivery["state"],
        str(delivery["attempts"]),
        time_to_second(iso_string(moment)) if moment else NONE,
        delivery["last_problem"] or NONE,
    ]


def time_to_second(timestamp: str) -> str:
    """Return a timestamp in short form: to the second, only the date at midnight."""
    to_the_second = re.sub(r"\.\d+", "", timestamp)
    short = re.sub(r"T00:00:00.*|(?<=T\d\d:\d\d):00", "", to_the_second)
    return short.replace("T", " ")


def short_number(value: float) -> str:
    """Return a number with six significant digits and separated thousands."""
    short = f"{value:.6g}"
    is_usual = value == 0 or MIN_FIXED_NUMBER <= abs(value) < MAX_FIXED_NUMBER
    return f"{float(short):,}".removesuffix(".0") if is_usual else short


def chance_text(probability: float) -> str:
    """Return a probability in words: ``12 %``, ``1 in 1,200``, less than ``1 in 1,000,000``."""
    if probability >= MIN_PERCENT:
        return f"{100 * probability:.2g} %" if probability < 1 else "100 %"
    if probability < MIN_PROBABILITY:
        return f"< 1 in {1 / MIN_PROBABILITY:,.0f}"
    return f"1 in {float(f'{1 / probability:.2g}'):,.0f}"
