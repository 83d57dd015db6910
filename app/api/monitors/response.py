"""Make response bodies from the records of monitors."""

import math
from collections.abc import Sequence

import numpy as np

from app.anomalies.results import SEVERITY_DECIMALS
from app.api.anomalies.response import round_probabilities
from app.api.responses.json import Json
from app.timeseries.numbers import without_negative_zero
from app.watching.feeds import Feed
from app.watching.monitors.settings.monitor_records import AppendResult, Monitor, Point
from app.watching.monitors.storage.messages import event_body


def monitor_body(monitor: Monitor, feed: Feed | None = None) -> Json:
    """Return the body of a monitor; ``feed`` is the origin of its points."""
    last = None if monitor.last_point is None else point_bodies([monitor.last_point])[0]
    return vars(monitor) | (vars(feed) if feed else {}) | {"last_point": last}


def appended_body(appended: AppendResult, timestamps: Sequence[str]) -> Json:
    return _verdict_columns(appended.points) | {
        "timestamps": timestamps,
        "state": appended.state,
        "reason": appended.reason,
        "events": [event_body(event) for event in appended.events],
    }


def point_bodies(points: Sequence[Point]) -> list[Json]:
    columns = _verdict_columns(points)
    verdicts = zip(*columns.values(), strict=True)
    return [
        {
            "cursor": point.index,
            "timestamp": point.timestamp,
            "value": without_negative_zero(point.value),
        }
        | dict(zip(columns, verdict, strict=True))
        for point, verdict in zip(points, verdicts, strict=True)
    ]


def _verdict_columns(points: Sequence[Point]) -> Json:
    """Return the verdicts of points as parallel arrays; null where a point has none."""
    p_values = round_probabilities(
        np.array([point.p_value for point in points], dtype=np.float64),
        np.array([point.is_anomaly for point in points], dtype=np.bool_),
    )
    return {
        "status": [point.status for point in points],
        "is_anomaly": [point.is_anomaly for point in points],
        "expected": [_number_or_null(point.expected) for point in points],
        "lower_bound": [_number_or_null(point.lower) for point in points],
        "upper_bound": [_number_or_null(point.upper) for point in points],
        "p_value": [None if math.isnan(value) else value for value in p_values.tolist()],
        "severity": [
            None
            if point.severity is None
            else without_negative_zero(round(point.severity, SEVERITY_DECIMALS))
            for point in points
        ],
    }


def _number_or_null(number: float | None) -> float | None:
    return None if number is None else without_negative_zero(number)
