"""The alerts that a query's settings would have sent in the last days, in words and as SVG."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.core.text import short_number
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS
from app.timeseries.types import FloatArray, IntArray
from app.timeseries.words import count_of
from app.watching.monitors.settings.monitor_records import EventRecord
from app.watching.sources.backfill import NO_SERIES
from app.watching.sources.query_replay import (
    DEFAULT_DAYS,
    EventMeasures,
    JudgedSteps,
    QueryReplay,
    SeriesReplay,
)
from app.watching.sources.series import is_short_history, unix_seconds
from app.watching.sources.source_records import QuerySettings
from app.web.dashboard.monitors.event_texts import EventTexts, ShownBand, band_text, event_texts
from app.web.dashboard.monitors.texts import needed_points
from app.web.dashboard.sources.previews import series_title
from app.web.dashboard.sources.texts import format_seconds

_MAX_DRAWN_SERIES, _MAX_LISTED_ALERTS = 8, 5  # the alerts are those of each series
MAX_CHART_COLUMNS = 600  # points of a line: about one for each pixel
_HEIGHT = 60.0
_PADDING_FRACTION = 0.1  # of the height, above and below
# If this fraction of the days is judged, a replay counts as complete: points may be missing.
_MIN_JUDGED_FRACTION = 0.9


@dataclass(frozen=True)
class Mark:
    """An alert in a chart: where it begins, and how wide it is."""

    x: float
    width: float


@dataclass(frozen=True)
class ReplayChart:
    """A series with its band: paths in SVG, marks of alerts, and these in words.

    ``at_end`` says which values could be an alert after it, None if it has no band.
    """

    title: str
    minimum: str
    maximum: str
    width: int
    line: str
    band: str
    marks: Sequence[Mark]
    alerts: Sequence[EventTexts]
    other_alert_count: int
    at_end: str | None


@dataclass(frozen=True)
class ReplayPage:
    """A replay as the form of a query shows it.

    ``needed_count`` is how many points a series learns from first. ``events`` are the severity,
    deviation, relative deviation and steps of each event, from which the page counts the alerts
    again when a threshold is changed. ``period`` is what was judged in words, None if nothing was.
    ``learned`` says in a sentence what was learned before.
    """

    alert_count: int
    needed_count: int
    period: str | None
    replayed_count: int
    series_count: int
    charts: Sequence[ReplayChart]
    events: Sequence[EventMeasures]
    learned: str

    @property
    def sentence(self) -> str:
        """How often these settings would have alerted."""
        if not self.series_count:
            return f"Nothing was judged: {NO_SERIES}"
        if self.period is None:
            too_few = "Nothing was judged: the series have too few points to learn from"
            return f"{too_few}, which takes {self.needed_count}"
        return f"Would have alerted {times_text(self.alert_count)} in {self.period}"


def times_text(count: int) -> str:
    """Return ``never``, ``once`` or ``5 times``."""
    if count == 0:
        return "never"
    return "once" if count == 1 else f"{count:,} times"


def replay_page(replay: QueryReplay, settings: QuerySettings, query: str) -> ReplayPage:
    """Return a replay with the settings of its query; a series without labels is ``query``.

    Series with alerts come first.
    """
    step = settings.step
    ordered = sorted(replay.results, key=lambda replayed: -replayed.alerts)
    return ReplayPage(
        replay.alerts,
        needed_points(Frequency.SECONDS, step),
        _judged_period(replay.results, step),
        replay.replayed,
        replay.series,
        [
            _replay_chart(replayed, int(replay.start.timestamp()), settings, query)
            for replayed in ordered[:_MAX_DRAWN_SERIES]
        ],
        [measures for replayed in replay.results for measures in replayed.measures],
        _learning_text(replay),
    )


def _learning_text(replay: QueryReplay) -> str:
    learned = max((series.learned_count for series in replay.results), default=0)
    if not learned:
        return (
            "There was no history before to learn from: the first points were learned, those after "
            "them were judged as live points are."
        )
    if is_short_history(learned, replay.history_steps):
        is_whole = all(series.points == series.verdict_count for series in replay.results)
        more = "" if is_whole else " and the first points of these days"
        return (
            f"Of the {replay.history_steps:,} points of history before, the server has "
            f"{learned:,}. Each has learned those{more}, and was judged as live points are."
        )
    return "Each has learned the history before, and was judged as live points are."


def _judged_period(replayed: Sequence[SeriesReplay], step: int) -> str | None:
    """Return for how long the series were judged, None if not at all."""
    judged = max((series.verdict_count for series in replayed), default=0)
    if judged * step >= _MIN_JUDGED_FRACTION * DEFAULT_DAYS * DAY_SECONDS:
        return count_of(DEFAULT_DAYS, "day")
    seconds = judged * step
    if seconds > 2 * HOUR_SECONDS:
        seconds -= seconds % HOUR_SECONDS
    return f"the {format_seconds(seconds)} that could be judged" if judged else None


def _replay_chart(
    replayed: SeriesReplay, start: int, settings: QuerySettings, query: str
) -> ReplayChart:
    judged, values, step = replayed.judged, replayed.judged.values, settings.step
    indices = np.rint((judged.times - start) / step).astype(np.int64)
    is_kept = _drawn_indices(values)
    width = max(1, int(indices[-1]) if len(indices) else 1)
    minimum, maximum = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    alerts = [event for event in replayed.events if event.is_alert]
    marks = [_alert_mark(event, start, int(judged.times[-1]), step) for event in alerts]
    x = indices[is_kept]
    line, low, high = (
        _heights(column[is_kept], minimum, maximum)
        for column in (values, judged.lower, judged.upper)
    )
    return ReplayChart(
        series_title(replayed.labels) or query,
        short_number(minimum, 3),
        short_number(maximum, 3),
        width,
        _line_path(x, line),
        _band_path(x, low, high),
        marks,
        [event_texts(vars(event)) for event in alerts[:_MAX_LISTED_ALERTS]],
        max(0, replayed.alerts - _MAX_LISTED_ALERTS),
        _end_text(judged, settings),
    )


def _end_text(judged: JudgedSteps, settings: QuerySettings) -> str | None:
    has_band = ~np.isnan(judged.lower)
    if not has_band.any():
        return None
    lower, expected, upper = (
        float(column[has_band][-1]) for column in (judged.lower, judged.expected, judged.upper)
    )
    values = judged.values[has_band]
    band = ShownBand(lower, expected, upper, len(values), float(values.min()), float(values.max()))
    return band_text(settings, band)


def _alert_mark(event: EventRecord, start: int, newest: int, step: int) -> Mark:
    started = unix_seconds(event.start)
    ended = unix_seconds(event.end) if event.end else newest
    return Mark((started - start) / step - 0.5, (ended - started) / step + 1)


def _heights(values: FloatArray, minimum: float, maximum: float) -> FloatArray:
    """Return the heights of values in the chart; those outside of its range are clipped."""
    span = maximum - minimum
    flat = np.where(np.isnan(values), np.nan, 0.5)
    fractions = (values - minimum) / span if span > 0 else flat
    room = 1 + 2 * _PADDING_FRACTION
    return np.clip((1 + _PADDING_FRACTION - fractions) / room, 0, 1) * _HEIGHT


def _drawn_indices(values: FloatArray) -> IntArray:
    """Return the indices of the points to draw: of each group the one farthest from the median."""
    count = len(values)
    if count <= MAX_CHART_COLUMNS:
        return np.arange(count)
    distance = np.abs(values - np.median(values))
    edges = np.linspace(0, count, MAX_CHART_COLUMNS + 1).astype(np.int64)
    return np.array(
        [low + int(np.argmax(distance[low:high])) for low, high in itertools.pairwise(edges)]
    )


def _band_path(x: IntArray, low: FloatArray, high: FloatArray) -> str:
    """Return the area between the bounds, without points that have none."""
    has_band = ~(np.isnan(low) | np.isnan(high))
    if not has_band.any():
        return ""
    shown = x[has_band]
    lower_edge = _line_path(shown[::-1], low[has_band][::-1])
    return f"{_line_path(shown, high[has_band])}L{lower_edge[1:]}z"


def _line_path(x: IntArray, y: FloatArray) -> str:
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return "M" + "L".join(f"{column} {height:.1f}" for column, height in pairs) if len(x) else ""
