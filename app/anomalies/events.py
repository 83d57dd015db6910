"""Group flagged points, level shifts and flat runs into events, one per incident.

Every flagged point is in exactly one event. An event may have no flagged point: the points around a
level shift are judged by the level on their own side, and a flat run may lie within the band.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.anomalies.results import (
    AnomalousSegment,
    ChangePoint,
    Direction,
    Event,
    EventKind,
    severity_of,
)
from app.timeseries.types import BoolArray, FloatArray

# The largest distance between flagged points of one event.
_MAX_GAP_POINTS = 3
# The least number of points of a burst.
_MIN_BURST_POINTS = 6
# Flagged points at most this close to a change point belong to the level shift.
_MAX_SHIFT_GAP_POINTS = 6


@dataclass(frozen=True)
class ScoredPoints:
    """The judged points of a series; arrays of shape (n,).

    ``scaled_residual`` is the residual in units of the noise, ``improbability`` -log10 of the
    probability of one as large.
    """

    scaled_residual: FloatArray
    improbability: FloatArray
    is_anomaly: BoolArray


class _EventSpan(NamedTuple):
    start: int
    end: int
    kind: EventKind | None = None
    direction: Direction | None = None
    improbability: float = 0.0


def find_events(
    judged: ScoredPoints,
    direction: Direction,
    changes: Sequence[ChangePoint] = (),
    segments: Sequence[AnomalousSegment] = (),
) -> tuple[Event, ...]:
    """Return the events, oldest first, without overlap.

    Args:
        judged: The points, flagged on the sides of ``direction``.
        direction: Events in the other direction are left out; a flat run has the direction of its
            deviation from the expected values, a burst that of its furthest point.
        changes: The changes of the level.
        segments: The segments that are anomalous as a whole.
    """
    spans = [
        _EventSpan(
            point.index,
            point.index,
            EventKind.LEVEL_SHIFT,
            Direction.UP if point.after > point.before else Direction.DOWN,
            _improbability(point.p_value),
        )
        for point in changes
    ]
    spans += [
        _EventSpan(
            segment.start,
            segment.end,
            segment.kind,
            _segment_direction(judged, segment),
            _improbability(segment.p_value),
        )
        for segment in segments
    ]
    spans = [span for span in spans if direction.has_side(span.direction is Direction.UP)]
    spans += [_EventSpan(index, index) for index in np.flatnonzero(judged.is_anomaly).tolist()]
    return tuple(_make_event(judged, span) for span in _merge_spans(spans))


def _segment_direction(judged: ScoredPoints, segment: AnomalousSegment) -> Direction:
    inside = slice(segment.start, segment.end + 1)
    is_up = segment.kind is EventKind.SPIKE
    if segment.kind is EventKind.FLAT:
        is_up = bool(np.median(judged.scaled_residual[inside]) > 0)
    elif segment.kind is EventKind.BURST:
        scaled_residual = np.where(judged.is_anomaly[inside], judged.scaled_residual[inside], 0.0)
        is_up = bool(scaled_residual[np.argmax(np.abs(scaled_residual))] > 0)
    return Direction.UP if is_up else Direction.DOWN


def _merge_spans(spans: list[_EventSpan]) -> list[_EventSpan]:
    merged: list[_EventSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        last = merged[-1] if merged else None
        if last and span.start - last.end <= _max_gap(last, span):
            named = max(last, span, key=lambda span: (span.kind is not None, span.improbability))
            merged[-1] = named._replace(start=last.start, end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _max_gap(first: _EventSpan, second: _EventSpan) -> int:
    if first.kind and second.kind:
        return 0
    is_shift = EventKind.LEVEL_SHIFT in (first.kind, second.kind)
    return _MAX_SHIFT_GAP_POINTS if is_shift else _MAX_GAP_POINTS


def _make_event(judged: ScoredPoints, span: _EventSpan) -> Event:
    start, end = span.start, span.end
    part = slice(start, end + 1)
    residual = judged.scaled_residual[part]
    is_below = np.signbit(residual)
    inside = np.where(judged.is_anomaly[part], judged.improbability[part], 0.0)
    # A burst has both sides; any other event is described by a point on its own.
    own = None if span.kind is EventKind.BURST else span.direction
    is_own = is_below == (own is Direction.DOWN) if own else np.ones_like(is_below)
    # The most improbable point; without a flagged one that of the largest deviation.
    peak = int(np.lexsort((np.abs(residual), inside, is_own))[-1])
    direction = own or (Direction.DOWN if is_below[peak] else Direction.UP)
    is_burst = end - start + 1 >= _MIN_BURST_POINTS
    side = EventKind.DIP if is_below[peak] else EventKind.SPIKE
    kind = span.kind or (EventKind.BURST if is_burst else side)
    largest = max(span.improbability, float(inside.max()))
    return Event(start, end, kind, direction, start + peak, severity_of(largest))


def _improbability(p_value: float) -> float:
    return -math.log10(max(p_value, sys.float_info.min))
