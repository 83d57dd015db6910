"""Events and bands of monitors in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.anomalies.results import CloseReason, Direction, EventKind, event_name
from app.api.responses.json import Json
from app.core.text import short_number, short_timestamp
from app.timeseries.words import count_of
from app.watching.monitors.settings.monitor_records import (
    LIMIT_KINDS,
    MonitorCloseReason,
    MonitorEventKind,
    PointStatus,
)
from app.watching.monitors.settings.monitor_settings import AlertSettings

_CLOSING_TEXTS = {
    None: "open",
    CloseReason.ENDED: "ended",
    CloseReason.NEW_LEVEL: "ended as the new level",
    MonitorCloseReason.ABSENT: "ended as the series was no longer returned",
    MonitorCloseReason.REACHED: "ended as the limit was reached",
}


@dataclass(frozen=True)
class EventTexts:
    """An event as pages show it; ``start`` and ``end`` are its timestamps, ``time`` is in words."""

    kind: str
    name: str
    time: str
    facts: str
    start: str
    end: str | None
    is_alert: bool


def event_texts(event: Json, has_days: bool = False) -> EventTexts:
    """Return the texts of an event as returned by its endpoint.

    ``has_days``: its monitor's steps are days or longer.
    """
    start = short_timestamp(event["start"], has_days)
    end = event["end"]
    kind, peak = event["kind"], event["peak_timestamp"]
    name = "flat run" if kind == EventKind.FLAT else event_name(kind, event["direction"])
    if kind in LIMIT_KINDS:
        name += f" {event['direction']}"
    facts = []
    has_peak = kind not in (EventKind.FLAT, MonitorEventKind.OVERDUE)
    if has_peak and peak != event["start"]:
        facts.append(f"peak {_time_beside(start, short_timestamp(peak, has_days))}")
    if event["reached_at"] is not None:
        reached_at = short_timestamp(event["reached_at"], has_days)
        facts.append(f"expected {_time_beside(start, reached_at)}")
    if kind == MonitorEventKind.LIMIT_AHEAD:
        facts.append(f"probability {event['severity']:.0f} %")
    elif kind != MonitorEventKind.OVERDUE:
        facts.append(f"severity {event['severity']:.0f}")
    if event["deviation"] is not None:
        facts.append(f"{short_number(event['deviation'], 3)} from expected")
    time = f"since {start}" if end is None else start
    if end not in (None, event["start"]):
        time = f"{start} – {_time_beside(start, short_timestamp(end, has_days))}"
    return EventTexts(
        kind=kind,
        name=name.capitalize(),
        time=time,
        facts=", ".join([*facts, _CLOSING_TEXTS[event["closed_as"]]]),
        start=event["start"],
        end=end,
        is_alert=event["is_alert"],
    )


def _time_beside(first: str, time: str) -> str:
    """Return ``time`` without its date if ``first`` has the same date."""
    date, _, time_of_day = time.partition(" ")
    return time_of_day if time_of_day and first.startswith(date) else time


class ShownBand(NamedTuple):
    """The newest band of a series, and the number and the range of its judged values."""

    lower: float
    expected: float
    upper: float
    values: int
    smallest: float
    largest: float


def points_band_text(settings: AlertSettings, points: Sequence[Json]) -> str | None:
    """Return `band_text` of points as returned by their endpoint, newest first."""
    judged = [
        point
        for point in points
        if point["status"] == PointStatus.JUDGED and point["lower_bound"] is not None
    ]
    if not judged:
        return None
    values = [point["value"] for point in judged]
    bounds = (judged[0]["lower_bound"], judged[0]["expected"], judged[0]["upper_bound"])
    return band_text(settings, ShownBand(*bounds, len(values), min(values), max(values)))


def band_text(settings: AlertSettings, band: ShownBand) -> str:
    """Return the values beyond which a single one could be an alert, and the range of past values.

    An alert is outside of the band and as far from the expected value as the thresholds require.
    """
    distance = max(settings.alert_min_deviation, settings.alert_min_relative * abs(band.expected))
    upper = short_number(max(band.upper, band.expected + distance), 3)
    lower = min(band.lower, band.expected - distance)
    sides = []
    is_low_possible = lower > 0 or band.smallest < 0
    if settings.direction != Direction.DOWN:
        sides.append(f"above {upper}")
    if settings.direction != Direction.UP and is_low_possible:
        sides.append(f"below {short_number(lower, 3)}")
    if not sides:
        return "No single value can be an alert: none is below 0, to which the band reaches."
    text = f"At the newest step a single value can be an alert {' or '.join(sides)}"
    if settings.direction == Direction.BOTH and not is_low_possible:
        text += "; low values cannot"
    between = f"between {short_number(band.smallest, 3)} and {short_number(band.largest, 3)}"
    return f"{text}. Judged: {count_of(band.values, 'value')} {between}."
