"""Flagged points become events: their kinds, ends, peaks and directions."""

import numpy as np
import pytest

from app.anomalies.events import find_events
from app.anomalies.results import AnomalousSegment, ChangePoint, Direction, EventKind, severity_of

FLAT = AnomalousSegment(20, 40, EventKind.FLAT, 1e-6)


def events_of_residuals(residuals, n=60, limit=3.0):
    scaled = np.zeros(n)
    scaled[list(residuals)] = list(residuals.values())
    return scaled, np.abs(scaled), np.abs(scaled) > limit


def kinds(events):
    return [(event.start, event.end, event.kind) for event in events]


def test_a_high_point_is_a_spike_and_a_low_one_a_dip() -> None:
    events = find_events(*events_of_residuals({10: 8, 40: -9}), Direction.BOTH, ())
    assert kinds(events) == [(10, 10, EventKind.SPIKE), (40, 40, EventKind.DIP)]
    assert [event.direction for event in events] == [Direction.UP, Direction.DOWN]


def test_points_close_together_are_one_event_whose_peak_is_the_furthest_out() -> None:
    (event,) = find_events(*events_of_residuals({10: 5, 12: 9, 13: 4}), Direction.BOTH, ())
    assert (event.start, event.end, event.peak) == (10, 13, 12)
    assert event.severity == severity_of(9)


def test_a_long_window_is_a_burst() -> None:
    (event,) = find_events(
        *events_of_residuals({i: 5 * (-1) ** i for i in range(10, 20)}), Direction.BOTH, ()
    )
    assert (event.start, event.end, event.kind) == (10, 19, EventKind.BURST)


def test_a_level_shift_is_one_event_with_the_points_that_settle() -> None:
    change = ChangePoint(30, 0.0, 5.0, 1e-9)
    (event,) = find_events(*events_of_residuals({29: 4, 33: -5}), Direction.BOTH, (), (change,))
    assert (event.start, event.end, event.kind) == (29, 33, EventKind.LEVEL_SHIFT)
    assert event.direction is Direction.UP


def test_the_peak_of_a_level_shift_is_on_its_side_despite_severer_points() -> None:
    change = ChangePoint(30, 0.0, 5.0, 1e-9)
    (event,) = find_events(*events_of_residuals({29: 4, 33: -5}), Direction.BOTH, (), (change,))
    assert (event.direction, event.peak) == (Direction.UP, 29)


def test_the_direction_of_a_burst_is_that_of_its_most_improbable_point() -> None:
    residuals = events_of_residuals({20: 6, 22: -8, 24: 7})
    residuals[1][20] = 9.0  # its own side has a shorter tail
    segment = AnomalousSegment(20, 28, EventKind.BURST, 1e-6)
    (event,) = find_events(*residuals, Direction.BOTH, segments=(segment,))
    assert (event.direction, event.peak) == (Direction.UP, 20)


def test_a_flat_run_needs_no_flagged_point() -> None:
    (event,) = find_events(*events_of_residuals({}), Direction.BOTH, segments=(FLAT,))
    assert (event.start, event.end, event.kind) == (20, 40, EventKind.FLAT)
    assert event.severity == pytest.approx(severity_of(6))


def test_overlapping_events_are_one_of_the_less_probable_kind() -> None:
    change = ChangePoint(25, 0.0, 5.0, 1e-3)
    (event,) = find_events(*events_of_residuals({41: 6}), Direction.BOTH, (FLAT,), (change,))
    assert (event.start, event.end, event.kind) == (20, 41, EventKind.FLAT)


@pytest.mark.parametrize("direction", [Direction.UP, Direction.DOWN])
def test_events_of_the_other_direction_are_not_listed(direction) -> None:
    changes = (ChangePoint(15, 0.0, 5.0, 1e-9), ChangePoint(45, 5.0, 0.0, 1e-9))
    events = find_events(*events_of_residuals({}), direction, (), changes)
    assert [event.direction for event in events] == [direction]


def test_a_segment_is_one_event_with_its_points_even_if_none_is_flagged() -> None:
    dip = AnomalousSegment(20, 30, EventKind.DIP, 1e-8)
    events = find_events(*events_of_residuals({25: -6, 32: -4}), Direction.BOTH, segments=(dip,))
    assert kinds(events) == [(20, 32, EventKind.DIP)]
    assert kinds(find_events(*events_of_residuals({}), Direction.DOWN, segments=(dip,))) == [
        (20, 30, EventKind.DIP)
    ]
    assert find_events(*events_of_residuals({}), Direction.UP, segments=(dip,)) == ()


def test_a_burst_has_the_direction_of_its_furthest_point() -> None:
    burst = AnomalousSegment(20, 30, EventKind.BURST, 1e-8)
    (event,) = find_events(*events_of_residuals({22: 5, 25: -6}), Direction.BOTH, segments=(burst,))
    assert (event.kind, event.direction, event.peak) == (EventKind.BURST, Direction.DOWN, 25)
