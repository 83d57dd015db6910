"""The series of queries: their monitors' names, their history, and likely mistakes."""

import datetime as dt
import hashlib
import json
import re
from collections.abc import Collection, Sequence

import numpy as np

from app.timeseries.calendar.axes import SecondAxis
from app.timeseries.calendar.fit import Calendar
from app.timeseries.calendar.timestamps import ParsedTimestamps, TimeArray
from app.timeseries.series import Series
from app.timeseries.types import FloatArray, IntArray
from app.timeseries.words import count_of
from app.watching.models.sources import METRIC_LABEL
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.sources.source_records import Labels
from app.watching.sources.steps import ENDED_AFTER_STEPS

# Labels that say where a series was scraped, not what it measures.
_LOCATION_LABELS = {"job", "instance"}
_MAX_HINT_LENGTH = 35
MAX_SERIES_LABELS = 30
MAX_LABEL_BYTES = 4_096
# Fractions of a series' steps above which it counts as repeating, or as constant.
_REPEATING_FRACTION, _CONSTANT_FRACTION = 0.6, 0.5
# With this fraction of its steps a history counts as complete: points may be missing.
_MIN_HISTORY_FRACTION = 0.9
_MIN_NOTICE_POINTS = 20  # of a history that may show a mistake in the query


def labels_json(labels: Labels) -> str:
    """Return labels as JSON, the same for the same labels."""
    return json.dumps(labels, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def has_too_many_labels(labels: Labels) -> bool:
    return len(labels) > MAX_SERIES_LABELS or len(labels_json(labels).encode()) > MAX_LABEL_BYTES


def monitor_name(query: str, labels: Labels) -> str:
    """Return the name of a series' monitor.

    It consists of the query's name, some labels and a digest of all; without labels, of the first.
    """
    shown = {name: value for name, value in labels.items() if name != METRIC_LABEL}
    if not shown:
        return query
    digest = hashlib.sha256(labels_json(labels).encode()).hexdigest()[:10]
    values = (value for name, value in sorted(shown.items()) if name not in _LOCATION_LABELS)
    hint = re.sub("[^a-z0-9]+", "-", "-".join(values).lower()).strip("-")[:_MAX_HINT_LENGTH]
    return ".".join(filter(None, (query, hint.strip("-"), digest)))


def utc_timestamps(seconds: IntArray) -> ParsedTimestamps:
    return ParsedTimestamps(_times(seconds), "Z")


def unix_seconds(timestamp: str) -> float:
    return dt.datetime.fromisoformat(timestamp).timestamp()


def has_ended(values: FloatArray) -> bool:
    """Return whether a series has no value in the newest steps of its history."""
    return bool(np.isnan(values[-ENDED_AFTER_STEPS:]).all())


def learning_history(
    values: FloatArray, end: int, step: int, settings: MonitorSettings
) -> Series | None:
    """Return a history to learn from, which ends at the last value; None without one.

    ``values``, shape (n,), are ``step`` seconds apart and NaN where a point is missing; the last is
    at the Unix time ``end``.
    """
    present = np.flatnonzero(~np.isnan(values))
    if not len(present):
        return None
    last = end - step * (len(values) - 1 - int(present[-1]))
    axis = SecondAxis()
    position = int(axis.positions(_times(np.array([last])))[0])
    periods = axis.periods(step)
    calendar = Calendar(settings.data_frequency, settings.step, periods, axis, step, position)
    return Series(values[present[0] : present[-1] + 1], calendar, "Z")


def _times(seconds: IntArray) -> TimeArray:
    return np.asarray(seconds, dtype=np.int64).astype("datetime64[s]")


def history_notices(histories: Collection[FloatArray]) -> list[str]:
    """Return likely mistakes that the histories of a query show; NaN is a missing point."""
    present = [values[~np.isnan(values)] for values in histories]
    candidates = [
        values
        for values in present
        # ``up`` is meant to be constant.
        if len(values) >= _MIN_NOTICE_POINTS and {*np.unique(values)} != {0.0, 1.0}
    ]
    if not candidates:
        return []
    notices = []
    if 2 * sum(map(_is_counter, candidates)) > len(candidates):
        notices.append("the values only grow, except at resets: query their rate() instead")
    constants = sum(map(_is_constant, candidates))
    varying = [values for values in candidates if not _is_constant(values)]
    repeating = [np.mean(values[1:] == values[:-1]) for values in varying]
    if repeating and np.mean(repeating) >= _REPEATING_FRACTION:
        notices.append(
            "most values repeat the one before: is the scrape interval longer than step?"
        )
    if constants:
        verb = "is" if constants == 1 else "are"
        notices.append(
            f"{count_of(constants, 'series')} {verb} constant for half of the time or more: replay "
            "the query to see what would be alerts, and filter or aggregate if these are too many"
        )
    return notices


def is_short_history(points: int, steps: int) -> bool:
    """Return whether a history of ``points`` has too few for its ``steps``."""
    return points < _MIN_HISTORY_FRACTION * steps


def short_history_notices(histories: Collection[FloatArray], steps: int) -> list[str]:
    """Return the notice that the longest history has fewer than ``steps`` points, if it has."""
    longest = max((int(np.sum(~np.isnan(values))) for values in histories), default=steps)
    if not is_short_history(longest, steps):
        return []
    return [
        f"the server had {longest:,} of the {steps:,} points of history: patterns that are longer "
        "than these are learned as points arrive"
    ]


def is_stale(histories: Sequence[FloatArray]) -> bool:
    """Return whether each of several series has had one value in all steps, at least three."""
    return len(histories) > 1 and all(
        len(history) > 2 and bool((history == history[0]).all()) for history in histories
    )


def _is_counter(values: FloatArray) -> bool:
    """Return whether values look like a counter: they grow, and are reset to nearly nothing."""
    moves = np.diff(values)
    falls = np.flatnonzero(moves < 0)
    is_reset = values[falls + 1] <= 0.1 * values[falls]
    return bool((moves > 0).any() and is_reset.all() and len(falls) <= 0.01 * len(moves) + 1)


def _is_constant(values: FloatArray) -> bool:
    _, counts = np.unique(values, return_counts=True)
    return bool(counts.max() >= _CONSTANT_FRACTION * len(values))
