"""The open event: its kind, and when and how it closes."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from app.anomalies.results import MIN_LEVEL_POINTS, Direction, EventKind
from app.anomalies.streaming.event_tracker import EventTracker
from app.anomalies.streaming.events import CloseReason, EventPoint, EventUpdate, Stage

QUIET = [0.1, -0.3, 0.2, 0.0, 0.1]


def point(away: float, flagged: bool = False, severity: float = 0.0) -> EventPoint:
    """Return a point so far from a level of 0, in a band of half-width 3."""
    return EventPoint(flagged, severity, away, 0.0, 0.0, away, 3.0)


def points(*aways: float) -> list[EventPoint]:
    return [point(away) for away in aways]


STUCK = replace(point(0.5), is_stuck=True)


def happens(first: EventPoint, others: Iterable[EventPoint]) -> list[EventUpdate]:
    event, opened = EventTracker.opened_by(first)
    news = [opened]
    for shown in others:
        if not event.is_open:
            break
        news.append(event.add_point(shown))
    return news


@pytest.mark.parametrize(
    ("size", "kind", "direction"),
    [(8.0, EventKind.SPIKE, Direction.UP), (-8.0, EventKind.DIP, Direction.DOWN)],
)
def test_one_flagged_point_is_a_spike_or_a_dip_that_ends_after_five_quiet_points(
    size: float, kind: EventKind, direction: Direction
) -> None:
    news = happens(point(size, True, 60.0), points(*QUIET))
    assert [update.stage for update in news] == [Stage.OPENED, *[Stage.CONTINUES] * 4, Stage.CLOSED]
    assert {(update.kind, update.direction, update.severity) for update in news} == {
        (kind, direction, 60.0)
    }
    last = news[-1]
    assert (
        last.close_reason,
        last.steps_since_start,
        last.steps_since_peak,
        last.steps_since_end,
    ) == (CloseReason.ENDED, 5, 5, 5)


def test_a_run_is_a_dip_at_first_then_a_level_shift_and_closes_as_the_new_level() -> None:
    news = happens(point(-5.0, True, 40.0), points(*[-5.0, -4.0, -6.0] * 20))
    kinds = [update.kind for update in news]
    assert kinds[: MIN_LEVEL_POINTS - 1] == [EventKind.DIP] * (MIN_LEVEL_POINTS - 1)
    assert set(kinds[MIN_LEVEL_POINTS - 1 :]) == {EventKind.LEVEL_SHIFT}
    assert MIN_LEVEL_POINTS <= 12
    assert news[-1].close_reason is CloseReason.NEW_LEVEL
    assert len(news) == 30


@pytest.mark.parametrize("length", [3, 10, 20])
def test_a_run_that_comes_back_was_a_dip_however_long_it_lasted(length: int) -> None:
    news = happens(point(-5.0, True), points(*[-5.0] * (length - 1), *QUIET * 4))
    assert (news[-1].kind, news[-1].close_reason) == (EventKind.DIP, CloseReason.ENDED)
    assert news[-1].steps_since_end == len(QUIET)
    assert len(news) == length + 5


def test_a_flagged_point_on_the_way_back_is_not_a_burst() -> None:
    back = replace(point(0.2, True), expected=-5.0)
    news = happens(point(-5.0, True), [*points(*[-5.0] * 12), back, *points(*QUIET)])
    assert (news[-1].kind, news[-1].close_reason) == (EventKind.DIP, CloseReason.ENDED)


@pytest.mark.parametrize("quiet_by_chance", [1, 2])
def test_points_that_look_quiet_by_chance_do_not_end_a_run(quiet_by_chance: int) -> None:
    cycle = [5.0, 4.0, 6.0, 5.5, *[1.0] * quiet_by_chance]
    news = happens(point(5.0, True), points(*cycle * 40))
    assert news[-1].close_reason is CloseReason.NEW_LEVEL
    assert news[-1].kind is EventKind.LEVEL_SHIFT


def test_a_small_distance_that_lasts_is_a_level_and_not_the_end() -> None:
    news = happens(point(20.0, True), points(*[4.0] * 60))
    assert (news[-1].kind, news[-1].close_reason) == (EventKind.LEVEL_SHIFT, CloseReason.NEW_LEVEL)


def test_a_level_begins_after_a_spike_and_is_reported_as_a_level() -> None:
    news = happens(point(40.0, True), points(0.1, -0.2, 0.1, *[20.0] * 40))
    kinds = [update.kind for update in news]
    assert kinds.index(EventKind.LEVEL_SHIFT) <= 4 + 12
    assert (news[-1].kind, news[-1].close_reason) == (EventKind.LEVEL_SHIFT, CloseReason.NEW_LEVEL)


def test_a_level_on_the_other_side_of_a_spike_is_not_the_end() -> None:
    flagged = [point(-20.0, True)]
    news = happens(point(40.0, True), [*points(0.0), *flagged * 3, *points(*[-20.0] * 60)])
    assert news[-1].close_reason is CloseReason.NEW_LEVEL
    assert news[-1].direction is Direction.DOWN


def test_flagged_points_on_both_sides_are_a_burst() -> None:
    assert happens(point(6.0, True), [point(-6.0, True)])[-1].kind is EventKind.BURST


def test_the_third_time_out_there_again_makes_a_burst() -> None:
    spike = point(6.0, True)
    news = happens(spike, [*points(0.0), spike, *points(0.0), spike])
    kinds = [update.kind for update in news]
    assert kinds == [*[EventKind.SPIKE] * 4, EventKind.BURST]


def test_home_of_a_series_that_wanders_is_its_forecast() -> None:
    first = EventPoint(True, 50.0, 36.0, 30.0, 0.0, 0.0, 3.0)
    later = EventPoint(False, 0.0, 30.2, 30.0, 0.0, 0.0, 3.0)
    news = happens(first, [later] * len(QUIET))
    assert (news[-1].kind, news[-1].close_reason) == (EventKind.SPIKE, CloseReason.ENDED)


def test_a_run_without_a_flag_is_reported_by_its_kind_immediately() -> None:
    burst = replace(point(1.0), joint_kind=EventKind.BURST)
    assert EventTracker.opened_by(burst)[1].kind is EventKind.BURST
    level = replace(point(1.0), joint_kind=EventKind.LEVEL_SHIFT, has_left_level=True)
    _, news = EventTracker.opened_by(level)
    assert (news.kind, news.direction) == (EventKind.LEVEL_SHIFT, Direction.UP)


def test_home_of_a_run_is_the_slow_level_and_its_side_that_of_the_drift() -> None:
    shown = EventPoint(False, 0.0, 8.0, 9.0, 10.0, -2.0, 3.0, joint_kind=EventKind.LEVEL_SHIFT)
    event, news = EventTracker.opened_by(shown)
    assert news.direction is Direction.DOWN
    assert (event.baseline, event.level) == (10.0, 8.0)


def test_the_level_follows_the_points_out_there() -> None:
    event, _ = EventTracker.opened_by(point(30.0, True))
    for _ in range(25):
        event.add_point(point(19.0))
    assert event.level == pytest.approx(19.0, abs=1.0)


def test_a_stuck_value_is_flat_until_it_is_the_normal_one() -> None:
    event, news = EventTracker.opened_by(STUCK)
    assert news.kind is EventKind.FLAT
    for _ in range(250):
        news = event.add_point(STUCK)
        assert (news.kind, news.stage) == (EventKind.FLAT, Stage.CONTINUES)
    last = event.add_point(point(0.5), is_stuck_normal=True)
    assert (last.kind, last.close_reason) == (EventKind.FLAT, CloseReason.NEW_LEVEL)


@pytest.mark.parametrize("away", [0.5, 20.0])
@pytest.mark.parametrize("length", [20, 200])
def test_a_stuck_value_that_moves_again_where_it_was_has_ended(away: float, length: int) -> None:
    stuck = replace(point(away), is_stuck=True)
    news = happens(point(away, True), [*[stuck] * length, *points(*QUIET * 2)])
    assert (news[-1].kind, news[-1].close_reason) == (EventKind.FLAT, CloseReason.ENDED)
    assert len(news) == 1 + length + len(QUIET)


def test_a_stuck_value_that_moves_on_elsewhere_is_a_new_level() -> None:
    news = happens(STUCK, [*[STUCK] * 20, *points(*[20.0, 21.0, 19.0] * 40)])
    assert news[-1].close_reason is CloseReason.NEW_LEVEL


def test_a_flagged_point_never_closes_an_event() -> None:
    news = happens(point(5.0, True), [point(5.0, True)] * 150)
    assert {update.stage for update in news[1:]} == {Stage.CONTINUES}


def test_an_event_of_a_hundred_points_is_the_new_normal() -> None:
    restless = points(*[9.0, -9.0] * 60)
    news = happens(point(9.0, True), restless)
    assert news[-1].close_reason is CloseReason.NEW_LEVEL
    assert len(news) == 101


def test_missing_points_count_as_time() -> None:
    event, _ = EventTracker.opened_by(point(5.0, True))
    event.advance(10)
    news = event.add_point(point(0.0))
    assert (news.steps_since_start, news.steps_since_peak) == (11, 11)


def test_the_peak_of_a_level_is_on_its_side_even_if_the_way_back_is_graver() -> None:
    news = happens(point(9.0, True, 40.0), [*points(*[8.0] * 15), point(0.0, True, 90.0)])
    assert (news[-1].direction, news[-1].steps_since_peak) == (Direction.UP, 16)


def test_the_direction_of_a_burst_is_that_of_its_peak() -> None:
    news = happens(point(6.0, True), [point(-9.0, True), point(5.0, True)])
    assert (news[-1].kind, news[-1].direction, news[-1].steps_since_peak) == (
        EventKind.BURST,
        Direction.DOWN,
        1,
    )


def test_an_event_that_moves_to_the_other_side_moves_its_peak_there() -> None:
    flagged = [point(-20.0, True)] * 3
    news = happens(
        point(40.0, True), [*points(0.0), *flagged, *points(*[-20.0] * 10, -25.0, -20.0)]
    )
    assert (news[-1].kind, news[-1].direction) == (EventKind.LEVEL_SHIFT, Direction.DOWN)
    assert news[-1].steps_since_peak == 1


def test_a_level_shift_names_a_flagged_peak_and_no_later_point_within_the_band() -> None:
    news = happens(point(6.0, True), points(*[7.0] * 14))
    assert (news[-1].kind, news[-1].direction) == (EventKind.LEVEL_SHIFT, Direction.UP)
    assert news[-1].steps_since_peak == 14


def test_a_flagged_spike_stays_the_peak_where_the_series_ends_lower_within_the_band() -> None:
    news = happens(point(6.0, True), points(*[-2.9] * 20))
    assert {(update.kind, update.direction) for update in news} == {(EventKind.SPIKE, Direction.UP)}
    assert news[-1].steps_since_peak == len(news) - 1


def test_a_flagged_point_becomes_the_peak_of_a_run_that_had_none() -> None:
    run = replace(point(5.0), drift=2.0, joint_kind=EventKind.LEVEL_SHIFT, has_left_level=True)
    news = happens(run, [point(4.0, True), *points(4.5)])
    assert news[-1].steps_since_peak == 1


def test_a_run_of_few_points_is_not_called_a_level_shift() -> None:
    run = replace(point(5.0), drift=2.0, joint_kind=EventKind.LEVEL_SHIFT)
    assert happens(run, [])[0].kind is EventKind.SPIKE
    assert happens(replace(run, has_left_level=True), [])[0].kind is EventKind.LEVEL_SHIFT


def test_an_event_has_the_severity_of_its_worst_point() -> None:
    news = happens(point(5.0, True, 40.0), [point(9.0, True, 90.0), *points(0.0)])
    assert (news[-1].severity, news[-1].steps_since_peak) == (90.0, 1)


def test_a_new_fit_changes_only_the_units() -> None:
    event, _ = EventTracker.opened_by(point(8.0, True))
    event.add_point(point(8.0))
    event.move(100.0, 10.0)
    assert event.level == pytest.approx(180.0)
    news = [event.add_point(replace(point(100 + 10 * away), width=30.0)) for away in QUIET]
    assert (news[-1].kind, news[-1].close_reason) == (EventKind.SPIKE, CloseReason.ENDED)
