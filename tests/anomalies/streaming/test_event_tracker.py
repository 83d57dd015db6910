"""The open event: its kind, and when and how it closes."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from app.anomalies.results import (
    MIN_LEVEL_POINTS,
    CloseReason,
    Direction,
    EventKind,
    EventUpdate,
    Stage,
)
from app.anomalies.streaming.event_tracker import EventPoint, EventTracker
from app.anomalies.streaming.forecaster import ForecastStep

QUIET = [0.1, -0.3, 0.2, 0.0, 0.1]


def point(value: float, flagged: bool = False, severity: float = 0.0, **step: float) -> EventPoint:
    """Return a point in a band of half-width 3, by default around a level of 0."""
    forecast = ForecastStep(value=value, last_drift=value)._replace(**step)
    return EventPoint(forecast, 3.0, severity, is_anomaly=flagged)


def points_at(*values: float) -> list[EventPoint]:
    return [point(value) for value in values]


STUCK = replace(point(0.5), is_stuck=True)


def event_updates(first: EventPoint, others: Iterable[EventPoint]) -> list[EventUpdate]:
    """Return the updates of the event that a point opens, until it closes."""
    event, opened = EventTracker.opened_by(first)
    updates = [opened]
    for other in others:
        if not event.is_open:
            break
        event.advance(1)
        updates.append(event.add_point(other))
    return updates


def shift_without_a_flag() -> EventPoint:
    return replace(point(5.0, last_drift=2.0), joint_kind=EventKind.LEVEL_SHIFT)


@pytest.mark.parametrize(
    ("size", "kind", "direction"),
    [(8.0, EventKind.SPIKE, Direction.UP), (-8.0, EventKind.DIP, Direction.DOWN)],
)
def test_one_flagged_point_is_a_spike_or_dip_until_five_points_are_quiet(
    size: float, kind: EventKind, direction: Direction
) -> None:
    updates = event_updates(point(size, True, 60.0), points_at(*QUIET))
    assert [update.stage for update in updates] == [
        Stage.OPENED,
        *[Stage.CONTINUES] * 4,
        Stage.CLOSED,
    ]
    assert {(update.kind, update.direction, update.severity) for update in updates} == {
        (kind, direction, 60.0)
    }
    last = updates[-1]
    assert (
        last.close_reason,
        last.steps_since_start,
        last.steps_since_peak,
        last.steps_since_end,
    ) == (CloseReason.ENDED, 5, 5, 5)


def test_a_run_is_a_dip_then_a_level_shift_and_closes_as_a_new_level() -> None:
    updates = event_updates(point(-5.0, True, 40.0), points_at(*[-5.0, -4.0, -6.0] * 20))
    kinds = [update.kind for update in updates]
    assert kinds[: MIN_LEVEL_POINTS - 1] == [EventKind.DIP] * (MIN_LEVEL_POINTS - 1)
    assert set(kinds[MIN_LEVEL_POINTS - 1 :]) == {EventKind.LEVEL_SHIFT}
    assert kinds[11] is EventKind.LEVEL_SHIFT
    assert updates[-1].close_reason is CloseReason.NEW_LEVEL
    assert len(updates) == 30


@pytest.mark.parametrize("length", [3, 10, 20])
def test_a_run_that_returns_is_a_dip_however_long_it_lasted(length: int) -> None:
    updates = event_updates(point(-5.0, True), points_at(*[-5.0] * (length - 1), *QUIET * 4))
    assert (updates[-1].kind, updates[-1].close_reason) == (EventKind.DIP, CloseReason.ENDED)
    assert updates[-1].steps_since_end == len(QUIET)
    assert len(updates) == length + 5


def test_a_flagged_point_on_the_way_back_is_not_a_burst() -> None:
    back = point(0.2, True, expected=-5.0)
    updates = event_updates(point(-5.0, True), [*points_at(*[-5.0] * 12), back, *points_at(*QUIET)])
    assert (updates[-1].kind, updates[-1].close_reason) == (EventKind.DIP, CloseReason.ENDED)


@pytest.mark.parametrize("quiet_by_chance", [1, 2])
def test_points_that_look_quiet_by_chance_do_not_end_a_run(quiet_by_chance: int) -> None:
    cycle = [5.0, 4.0, 6.0, 5.5, *[1.0] * quiet_by_chance]
    updates = event_updates(point(5.0, True), points_at(*cycle * 40))
    assert updates[-1].close_reason is CloseReason.NEW_LEVEL
    assert updates[-1].kind is EventKind.LEVEL_SHIFT


def test_a_small_lasting_distance_is_a_level_and_does_not_end_the_event() -> None:
    updates = event_updates(point(20.0, True), points_at(*[4.0] * 60))
    assert (updates[-1].kind, updates[-1].close_reason) == (
        EventKind.LEVEL_SHIFT,
        CloseReason.NEW_LEVEL,
    )


def test_a_new_level_after_a_spike_is_reported_as_a_level_shift() -> None:
    updates = event_updates(point(40.0, True), points_at(0.1, -0.2, 0.1, *[20.0] * 40))
    kinds = [update.kind for update in updates]
    assert kinds.index(EventKind.LEVEL_SHIFT) <= 4 + 12
    assert (updates[-1].kind, updates[-1].close_reason) == (
        EventKind.LEVEL_SHIFT,
        CloseReason.NEW_LEVEL,
    )


def test_a_level_on_the_other_side_of_a_spike_continues_the_event() -> None:
    flagged = [point(-20.0, True)]
    updates = event_updates(
        point(40.0, True), [*points_at(0.0), *flagged * 3, *points_at(*[-20.0] * 60)]
    )
    assert updates[-1].close_reason is CloseReason.NEW_LEVEL
    assert updates[-1].direction is Direction.DOWN


def test_flagged_points_on_both_sides_are_a_burst() -> None:
    assert event_updates(point(6.0, True), [point(-6.0, True)])[-1].kind is EventKind.BURST


def test_three_separate_excursions_are_a_burst() -> None:
    spike = point(6.0, True)
    updates = event_updates(spike, [*points_at(0.0), spike, *points_at(0.0), spike])
    kinds = [update.kind for update in updates]
    assert kinds == [*[EventKind.SPIKE] * 4, EventKind.BURST]


def test_the_baseline_of_a_random_walk_is_its_forecast() -> None:
    first = point(36.0, True, expected=30.0)
    later = point(30.2, expected=30.0)
    updates = event_updates(first, [later] * len(QUIET))
    assert (updates[-1].kind, updates[-1].close_reason) == (EventKind.SPIKE, CloseReason.ENDED)


def test_a_run_without_a_flag_is_reported_by_its_kind_immediately() -> None:
    burst = replace(point(1.0), joint_kind=EventKind.BURST)
    assert EventTracker.opened_by(burst)[1].kind is EventKind.BURST
    level = replace(point(1.0), joint_kind=EventKind.LEVEL_SHIFT, has_left_level=True)
    _, opened = EventTracker.opened_by(level)
    assert (opened.kind, opened.direction) == (EventKind.LEVEL_SHIFT, Direction.UP)


def test_a_joint_event_starts_from_the_slow_level_on_the_side_of_the_drift() -> None:
    step = point(8.0, expected=9.0, level=10.0, last_drift=-2.0)
    event, opened = EventTracker.opened_by(replace(step, joint_kind=EventKind.LEVEL_SHIFT))
    assert opened.direction is Direction.DOWN
    assert (event.baseline, event.level) == (10.0, 8.0)


def test_the_level_of_an_event_follows_its_points() -> None:
    event, _ = EventTracker.opened_by(point(30.0, True))
    for _ in range(25):
        event.add_point(point(19.0))
    assert event.level == pytest.approx(19.0, abs=1.0)


def test_a_stuck_value_is_flat_until_it_is_normal() -> None:
    event, opened = EventTracker.opened_by(STUCK)
    assert opened.kind is EventKind.FLAT
    for _ in range(250):
        update = event.add_point(STUCK)
        assert (update.kind, update.stage) == (EventKind.FLAT, Stage.CONTINUES)
    last = event.add_point(point(0.5), is_stuck_normal=True)
    assert (last.kind, last.close_reason) == (EventKind.FLAT, CloseReason.NEW_LEVEL)


@pytest.mark.parametrize("away", [0.5, 20.0])
@pytest.mark.parametrize("length", [20, 200])
def test_a_stuck_run_ends_when_the_series_moves_around_its_old_level(
    away: float, length: int
) -> None:
    stuck = replace(point(away), is_stuck=True)
    updates = event_updates(point(away, True), [*[stuck] * length, *points_at(*QUIET * 2)])
    assert (updates[-1].kind, updates[-1].close_reason) == (EventKind.FLAT, CloseReason.ENDED)
    assert len(updates) == 1 + length + len(QUIET)


def test_a_stuck_run_followed_by_another_level_is_a_new_level() -> None:
    updates = event_updates(STUCK, [*[STUCK] * 20, *points_at(*[20.0, 21.0, 19.0] * 40)])
    assert updates[-1].close_reason is CloseReason.NEW_LEVEL


def test_a_flagged_point_never_closes_an_event() -> None:
    updates = event_updates(point(5.0, True), [point(5.0, True)] * 150)
    assert {update.stage for update in updates[1:]} == {Stage.CONTINUES}


def test_an_event_of_a_hundred_points_becomes_normal() -> None:
    restless = points_at(*[9.0, -9.0] * 60)
    updates = event_updates(point(9.0, True), restless)
    assert updates[-1].close_reason is CloseReason.NEW_LEVEL
    assert len(updates) == 101


def test_missing_points_count_as_time() -> None:
    event, _ = EventTracker.opened_by(point(5.0, True))
    event.advance(11)  # ten of them are missing
    update = event.add_point(point(0.0))
    assert (update.steps_since_start, update.steps_since_peak) == (11, 11)


def test_the_peak_of_a_level_is_on_its_side_whatever_returns_from_it() -> None:
    updates = event_updates(
        point(9.0, True, 40.0), [*points_at(*[8.0] * 15), point(0.0, True, 90.0)]
    )
    assert (updates[-1].direction, updates[-1].steps_since_peak) == (Direction.UP, 16)


def test_the_direction_of_a_burst_is_that_of_its_peak() -> None:
    updates = event_updates(point(6.0, True), [point(-9.0, True), point(5.0, True)])
    assert (updates[-1].kind, updates[-1].direction, updates[-1].steps_since_peak) == (
        EventKind.BURST,
        Direction.DOWN,
        1,
    )


def test_an_event_that_moves_to_the_other_side_moves_its_peak_there() -> None:
    flagged = [point(-20.0, True)] * 3
    updates = event_updates(
        point(40.0, True), [*points_at(0.0), *flagged, *points_at(*[-20.0] * 10, -25.0, -20.0)]
    )
    assert (updates[-1].kind, updates[-1].direction) == (EventKind.LEVEL_SHIFT, Direction.DOWN)
    assert updates[-1].steps_since_peak == 1


def test_the_peak_of_a_level_shift_is_its_flagged_point() -> None:
    updates = event_updates(point(6.0, True), points_at(*[7.0] * 14))
    assert (updates[-1].kind, updates[-1].direction) == (EventKind.LEVEL_SHIFT, Direction.UP)
    assert updates[-1].steps_since_peak == 14


def test_the_peak_stays_a_flagged_spike_if_later_points_are_in_the_band() -> None:
    updates = event_updates(point(6.0, True), points_at(*[-2.9] * 20))
    assert {(update.kind, update.direction) for update in updates} == {
        (EventKind.SPIKE, Direction.UP)
    }
    assert updates[-1].steps_since_peak == len(updates) - 1


def test_a_flagged_point_becomes_the_peak_of_a_run_that_had_none() -> None:
    run = replace(shift_without_a_flag(), has_left_level=True)
    updates = event_updates(run, [point(4.0, True), *points_at(4.5)])
    assert updates[-1].steps_since_peak == 1


def test_a_run_of_few_points_is_not_called_a_level_shift() -> None:
    run = shift_without_a_flag()
    assert event_updates(run, [])[0].kind is EventKind.SPIKE
    assert event_updates(replace(run, has_left_level=True), [])[0].kind is EventKind.LEVEL_SHIFT


def test_an_event_has_the_severity_of_its_most_severe_point() -> None:
    updates = event_updates(point(5.0, True, 40.0), [point(9.0, True, 90.0), *points_at(0.0)])
    assert (updates[-1].severity, updates[-1].steps_since_peak) == (90.0, 1)


def test_a_level_shift_that_returns_as_a_dip_keeps_its_severity() -> None:
    flagged = replace(point(-5.0, True, 8.0), joint_severity=59.3)
    shifted = replace(point(-5.0, severity=6.0), joint_severity=55.0)
    updates = event_updates(flagged, [*[shifted] * 20, *points_at(*QUIET * 4)])
    named = [update.kind for update in updates].index(EventKind.LEVEL_SHIFT)
    assert {update.severity for update in updates[:named]} == {8.0}
    assert {update.severity for update in updates[named:]} == {59.3}
    assert (updates[-1].kind, updates[-1].close_reason) == (EventKind.DIP, CloseReason.ENDED)


def test_a_new_fit_changes_only_the_units() -> None:
    event, _ = EventTracker.opened_by(point(8.0, True))
    event.add_point(point(8.0))
    event.convert(100.0, 10.0)
    assert event.level == pytest.approx(180.0)
    updates = [event.add_point(replace(point(100 + 10 * offset), width=30.0)) for offset in QUIET]
    assert (updates[-1].kind, updates[-1].close_reason) == (EventKind.SPIKE, CloseReason.ENDED)
