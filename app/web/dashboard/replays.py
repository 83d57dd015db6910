"""What the settings of a query would have sent in the last days: words, and series as SVG."""

import datetime as dt
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.anomalies.results import SEVERITY_DECIMALS
from app.timeseries.types import FloatArray, IntArray
from app.watching.monitors.records import EventRecord, Point
from app.watching.sources.replays import QueryReplay, SeriesReplay
from app.web.dashboard.monitor_texts import event_texts, rounded_number
from app.web.dashboard.previews import series_title
from app.web.dashboard.times import count_of

MAX_CHARTS, MAX_ALERTS = 8, 5
"""Series that are drawn, and alerts that are listed of each."""
MAX_COLUMNS = 600
"""Points of a line: more would not be seen."""
HEIGHT, PADDING = 60.0, 0.1


@dataclass(frozen=True)
class Mark:
    """An alert in a chart: where it begins, and how wide it is."""

    x: float
    width: float


@dataclass(frozen=True)
class ReplayChart:
    """A series with its band: paths in SVG, marks of alerts, and these in words."""

    title: str
    least: str
    largest: str
    width: int
    line: str
    band: str
    marks: Sequence[Mark]
    alerts: Sequence[dict[str, Any]]
    others: int


@dataclass(frozen=True)
class ReplayPage:
    """A replay as the form of a query shows it.

    ``events`` are the severity, deviation, relative deviation and steps of each event, from which
    the page counts the alerts again when a threshold is changed.
    """

    alerts: int
    days: int
    replayed: int
    series: int
    charts: Sequence[ReplayChart]
    events: Sequence[tuple[float, float | None, float | None, int]]

    @property
    def sentence(self) -> str:
        """How often these settings would have alerted."""
        return f"Would have alerted {times(self.alerts)} in {count_of(self.days, 'day')}"


def times(count: int) -> str:
    """Return a number of times in words."""
    return "once" if count == 1 else f"{count:,} times" if count else "never"


def replay_page(replay: QueryReplay, days: int, step: int, query: str) -> ReplayPage:
    """Return a replay of ``days`` with a ``step`` in seconds; a series without labels is ``query``.

    Series with alerts come first.
    """
    ordered = sorted(replay.replayed, key=lambda replayed: -len(replayed.replay.alerts))
    return ReplayPage(
        replay.alerts,
        days,
        len(replay.replayed),
        replay.series,
        [_chart(replayed, replay.start, step, query) for replayed in ordered[:MAX_CHARTS]],
        [
            thresholds
            for replayed in replay.replayed
            for thresholds in _thresholds(replayed.replay.events, replayed.replay.points, step)
        ],
    )


def _thresholds(
    events: Sequence[EventRecord], points: Sequence[Point], step: int
) -> Iterator[tuple[float, float | None, float | None, int]]:
    """Yield what each event reached: severity, deviation, that relative to expected, and steps."""
    expected_at = {point.timestamp: point.expected for point in points}
    for event in events:
        yield _reached(event, expected_at.get(event.peak_timestamp), points[-1].timestamp, step)


def _reached(
    event: EventRecord, expected: float | None, newest: str, step: int
) -> tuple[float, float | None, float | None, int]:
    relative = None
    if event.deviation is not None and expected:
        relative = event.deviation / abs(expected)
    last = event.end or newest
    steps = round((_seconds(last) - _seconds(event.start)) / step) + 1
    return round(event.severity, SEVERITY_DECIMALS), event.deviation, relative, steps


def _seconds(timestamp: str) -> float:
    return dt.datetime.fromisoformat(timestamp).timestamp()


def _chart(replayed: SeriesReplay, start: int, step: int, query: str) -> ReplayChart:
    points = replayed.replay.points
    places = [round((_seconds(point.timestamp) - start) / step) for point in points]
    values = np.array([point.value for point in points], dtype=np.float64)
    low, high = (
        np.array([getattr(point, name) for point in points], dtype=np.float64)
        for name in ("lower", "upper")
    )
    kept = _shown_columns(values)
    width = max(1, places[-1] if places else 1)
    least, largest = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    alerts = replayed.replay.alerts
    ends = [event.end or points[-1].timestamp for event in alerts]
    marks = [
        Mark((_seconds(event.start) - start) / step - 0.5, _steps(event.start, end, step))
        for event, end in zip(alerts, ends, strict=True)
    ]
    x = np.array(places)[kept] if places else np.zeros(0, dtype=np.int64)
    heights = _Heights(least, largest)
    return ReplayChart(
        series_title(replayed.labels) or query,
        rounded_number(least),
        rounded_number(largest),
        width,
        _line(x, heights.of(values[kept])),
        _band(x, heights.of(low[kept]), heights.of(high[kept])),
        marks,
        [event_texts(vars(event)) for event in alerts[:MAX_ALERTS]],
        max(0, len(alerts) - MAX_ALERTS),
    )


def _steps(start: str, end: str, step: int) -> float:
    return (_seconds(end) - _seconds(start)) / step + 1


@dataclass(frozen=True)
class _Heights:
    """Heights in the chart for values from ``least`` to ``largest``; those beyond are clipped."""

    least: float
    largest: float

    def of(self, values: FloatArray) -> FloatArray:
        half = self.largest / 2 - self.least / 2  # the whole of two large values may be infinite
        if half <= 0:
            shares = np.where(np.isnan(values), np.nan, 0.5)
        else:
            shares = (values / 2 - self.least / 2) / half
        room = 1 + 2 * PADDING
        clipped: FloatArray = np.clip((1 + PADDING - shares) / room, 0, 1) * HEIGHT
        return clipped


def _shown_columns(values: FloatArray) -> IntArray:
    """Return the indices of the points to draw: of neighbours the one farthest from the median."""
    count = len(values)
    if count <= MAX_COLUMNS:
        return np.arange(count)
    distance = np.abs(values / 2 - float(np.median(values)) / 2)
    edges = np.linspace(0, count, MAX_COLUMNS + 1).astype(np.int64)
    return np.array(
        [low + int(np.argmax(distance[low:high])) for low, high in itertools.pairwise(edges)]
    )


def _line(x: IntArray, y: FloatArray) -> str:
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return (
        "M" + "L".join(f"{x_position} {height:.1f}" for x_position, height in pairs)
        if len(x)
        else ""
    )


def _band(x: IntArray, low: FloatArray, high: FloatArray) -> str:
    """Return the area between the bounds, of the points that have them."""
    has_band = ~(np.isnan(low) | np.isnan(high))
    if not has_band.any():
        return ""
    x, low, high = x[has_band], low[has_band], high[has_band]
    return f"{_line(x, high)}L{_line(x[::-1], low[::-1])[1:]}z"
