"""Group flagged points, level shifts and flat runs into events, one per incident.

Every flagged point is in exactly one event. An event may have no flagged point: the points around a
level shift are judged by the level on their own side, and a flat run may lie within the band.
"""

import math
import sys
from collections.abc import Sequence
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

_MAX_GAP_POINTS = 3  # between flagged points of one event
_MIN_BURST_POINTS = 6
# Flagged points at most this close to a change point belong to the level shift.
_MAX_SHIFT_GAP_POINTS = 6


class _EventSpan(NamedTuple):
    start: int
    end: int
    kind: EventKind | None = None
    is_up: bool | None = None
    evidence: float = 0.0


def find_events(
    scaled_residual: FloatArray,
    evidence: FloatArray,
    is_anomaly: BoolArray,
    direction: Direction,
    segments: Sequence[AnomalousSegment],
    changes: Sequence[ChangePoint] = (),
) -> tuple[Event, ...]:
    """Return the events of a series of shape (n,), oldest first, without overlap.

    Args:
        scaled_residual: In units of the noise, shape (n,).
        evidence: -log10 of the probability of a residual as large, shape (n,).
        is_anomaly: Whether a point is flagged on the sides of ``direction``, shape (n,).
        direction: Events in the other direction are left out. A flat run's direction is the side of
            the expected values where it is; a burst's direction is the side of its peak.
        segments: The segments that are anomalous as a whole.
        changes: The changes of the level.
    """
    spans = []
    for change in changes:
        is_up, shift = change.after > change.before, EventKind.LEVEL_SHIFT
        shift_evidence = _evidence_of(change.p_value)
        spans.append(_EventSpan(change.index, change.index, shift, is_up, shift_evidence))
    for segment in segments:
        start, end, kind = segment.start, segment.end, segment.kind
        inside = slice(start, end + 1)
        is_up = _is_segment_up(kind, scaled_residual[inside], is_anomaly[inside])
        spans.append(_EventSpan(start, end, kind, is_up, _evidence_of(segment.p_value)))
    spans = [span for span in spans if direction.has_side(bool(span.is_up))]
    spans += [_EventSpan(index, index) for index in np.flatnonzero(is_anomaly).tolist()]
    flagged = np.where(is_anomaly, evidence, 0.0)
    return tuple(_make_event(span, scaled_residual, flagged) for span in _merge_spans(spans))


def _is_segment_up(kind: EventKind, residual: FloatArray, is_anomaly: BoolArray) -> bool:
    if kind is EventKind.FLAT:
        return bool(np.median(residual) > 0)
    if kind is EventKind.BURST:
        flagged = np.where(is_anomaly, residual, 0.0)
        return bool(flagged[np.argmax(np.abs(flagged))] > 0)
    return kind is EventKind.SPIKE


def _merge_spans(spans: list[_EventSpan]) -> list[_EventSpan]:
    merged: list[_EventSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        last = merged[-1] if merged else None
        if last and span.start - last.end <= _max_gap(last, span):
            dominant = max(last, span, key=lambda span: (span.kind is not None, span.evidence))
            merged[-1] = dominant._replace(start=last.start, end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _max_gap(first: _EventSpan, second: _EventSpan) -> int:
    if first.kind and second.kind:
        return 0
    is_shift = EventKind.LEVEL_SHIFT in (first.kind, second.kind)
    return _MAX_SHIFT_GAP_POINTS if is_shift else _MAX_GAP_POINTS


def _make_event(span: _EventSpan, scaled_residual: FloatArray, flagged: FloatArray) -> Event:
    """Return the event of a span; ``flagged`` is the evidence of flagged points, else 0."""
    inside = slice(span.start, span.end + 1)
    residual, evidence = scaled_residual[inside], flagged[inside]
    is_below = np.signbit(residual)
    # A burst has both sides; any other event by a point on its own side.
    is_up = None if span.kind is EventKind.BURST else span.is_up
    is_own = np.ones_like(is_below) if is_up is None else is_below != is_up
    # The most improbable point, or the one that deviates most if none is flagged.
    peak = int(np.lexsort((np.abs(residual), evidence, is_own))[-1])
    is_peak_up = not is_below[peak]
    is_burst = len(residual) >= _MIN_BURST_POINTS
    side = EventKind.SPIKE if is_peak_up else EventKind.DIP
    return Event(
        start=span.start,
        end=span.end,
        kind=span.kind or (EventKind.BURST if is_burst else side),
        direction=Direction.UP if (is_peak_up if is_up is None else is_up) else Direction.DOWN,
        peak=span.start + peak,
        severity=severity_of(max(span.evidence, float(evidence.max()))),
    )


def _evidence_of(p_value: float) -> float:
    return -math.log10(max(p_value, sys.float_info.min))
