"""Monitors in words for a page, identical to what its scripts write."""

import re
from collections.abc import Sequence
from typing import Any

from app.api.declaration import Json
from app.monitors.records import OVERDUE

NONE = "–"
CLOSINGS = {None: "open", "ended": "ended", "new_level": "ended as the new level"}
SIDED = ("burst", "level_shift")
"""Kinds of events whose name does not include the direction."""
LARGE, SMALL = 1e9, 1e-4  # bounds beyond which numbers have an exponent
SHORTEST_PROBABILITY = 0.001


def monitor_words(
    monitor: Json, points: Sequence[Json], events: Sequence[Json], deliveries: Sequence[Json]
) -> dict[str, Any]:
    """Return the content of ``monitor_view.html``.

    Args:
        monitor: The response of the endpoint of a monitor.
        points: The points as returned by their endpoint, newest first.
        events: The events as returned by their endpoint, newest first.
        deliveries: The deliveries as returned by their endpoint.
    """
    step, overdue_at = monitor["step"], monitor["overdue_at"]
    return {
        "name": monitor["name"],
        "state": monitor["state"],
        "frequency": monitor["data_frequency"] + (f", {step} a step" if step > 1 else ""),
        "rate": f"1 in {1 / monitor['false_alarm_rate']:,.6g} points",
        "direction": monitor["direction"],
        "points": f"{monitor['points']:,} point{'' if monitor['points'] == 1 else 's'}",
        "created": short_time(monitor["created_at"]),
        "overdue": short_time(overdue_at)
        if overdue_at
        else ("never" if monitor["points"] else "after the first point"),
        "webhook": monitor["webhook_url"] or "none: nothing is sent",
        "has_webhook": monitor["webhook_url"] is not None,
        "rows": [_point_cells(point) for point in points],
        "events": sorted(map(_event_words, events), key=lambda event: not event["is_open"]),
        "deliveries": [_delivery_cells(delivery) for delivery in deliveries],
    }


def _point_cells(point: Json) -> list[str]:
    names = ("value", "lower_bound", "expected", "upper_bound")
    p_value = point["p_value"]
    flagged = point["is_anomaly"] and f"flagged, severity {point['severity']:.0f}"
    return [
        short_time(point["timestamp"]),
        *(NONE if point[name] is None else short_number(point[name]) for name in names),
        NONE if p_value is None else _short_probability(p_value),
        flagged or str(point["status"]),
    ]


def _event_words(event: Json) -> dict[str, Any]:
    kind, start, end = event["kind"], short_time(event["start"]), event["end"]
    name = "flat stretch" if kind == "flat" else kind.replace("_", " ")
    side = f" {event['direction']}" if kind in SIDED else ""
    severity = "" if kind == OVERDUE else f"severity {event['severity']:.0f}, "
    time = f"since {start}" if end is None else start
    if end not in (None, event["start"]):
        time = f"{start} – {short_time(end)}"
    return {
        "kind": kind,
        "name": f"{name.capitalize()}{side}",
        "time": time,
        "facts": severity + CLOSINGS[event["closed_as"]],
        "is_open": end is None,
    }


def _delivery_cells(delivery: Json) -> list[str]:
    moments = ("delivered_at", "failed_at", "next_attempt_at")
    then = next((delivery[name] for name in moments if delivery[name]), None)
    return [
        short_time(delivery["created_at"]),
        delivery["type"],
        delivery["state"],
        str(delivery["attempts"]),
        short_time(then) if then else NONE,
        delivery["last_problem"] or NONE,
    ]


def short_time(timestamp: str) -> str:
    """Return a timestamp in short form: to the second, only the date at midnight."""
    to_the_second = re.sub(r"\.\d+", "", timestamp)
    return re.sub(r"T00:00:00|(?<=T\d\d:\d\d):00", "", to_the_second).replace("T", " ")


def short_number(value: float) -> str:
    """Return a number with six significant digits and separated thousands."""
    short = f"{value:.6g}"
    is_usual = value == 0 or SMALL <= abs(value) < LARGE
    return f"{float(short):,}".removesuffix(".0") if is_usual else short


def _short_probability(p: float) -> str:
    return f"{p:.3g}" if p == 0 or p >= SHORTEST_PROBABILITY else f"{p:.1e}"
