"""The event under way: what it is called, and when and how it closes."""

from collections.abc import Iterable

import pytest

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.events import EventUnderWay, Shown
from app.anomalies.streaming.verdict import Closing, EventNews, Stage

QUIET = [0.1, -0.3, 0.2, 0.0, 0.1]


def point(away: float, flagged: bool = False, severity: float = 0.0) -> Shown:
    return Shown(flagged, severity, away, away, 0.0)


def happens(first: Shown, others: Iterable[Shown]) -> list[EventNews]:
    event = EventUnderWay(first)
    news = [event.open()]
    for each in others:
        if not event.is_open:
            break
        news.append(event.follow(each))
    return news


def points(*aways: float) -> list[Shown]:
    return [point(away) for away in aways]


@pytest.mark.parametrize(
    ("size", "kind", "direction"),
    [(8.0, EventKind.SPIKE, Direction.UP), (-8.0, EventKind.DIP, Direction.DOWN)],
)
def test_one_flagged_point_is_a_spike_or_a_dip_that_ends_after_five_quiet_points(
    size: float, kind: EventKind, direction: Direction
) -> None:
    news = happens(point(size, True, 60.0), points(*QUIET))
    assert [each.stage for each in news] == [Stage.OPENED, *[Stage.CONTINUES] * 4, Stage.CLOSED]
    assert {(each.kind, each.direction, each.severity) for each in news} == {
        (kind, direction, 60.0)
    }
    last = news[-1]
    assert (last.closing, last.started, last.peak, last.ended) == (Closing.ENDED, 5, 5, 5)


def test_a_run_is_a_dip_at_first_then_a_level_shift_and_closes_as_the_new_level() -> None:
    news = happens(point(-5.0, True, 40.0), points(*[-5.0, -4.0, -6.0] * 20))
    kinds = [each.kind for each in news]
    assert kinds[:12] == [EventKind.DIP] * 12
    assert set(kinds[12:]) == {EventKind.LEVEL_SHIFT}
    assert news[-1].closing is Closing.NEW_LEVEL
    assert len(news) == 30


@pytest.mark.parametrize("length", [3, 10, 20])
def test_a_run_that_comes_back_was_a_dip_however_long_it_lasted(length: int) -> None:
    back = Shown(True, 50.0, 4.0, 0.0, 0.0)
    news = happens(point(-5.0, True), [*points(*[-5.0] * (length - 1)), back, *points(*QUIET)])
    assert (news[-1].kind, news[-1].closing) == (EventKind.DIP, Closing.ENDED)
    assert news[-1].ended == len(QUIET)
    assert len(news) == length + 1 + 5


def test_points_that_look_quiet_by_chance_do_not_end_a_run() -> None:
    news = happens(point(5.0, True), points(*[5.0, 4.0, 1.0] * 40))
    assert news[-1].closing is Closing.NEW_LEVEL


def test_flagged_points_on_both_sides_are_a_burst() -> None:
    assert happens(point(6.0, True), [point(-6.0, True)])[-1].kind is EventKind.BURST


def test_the_third_time_out_there_makes_a_burst() -> None:
    spike = point(6.0, True)
    news = happens(spike, [*points(0.0), spike, *points(0.0), spike])
    kinds = [each.kind for each in news]
    assert kinds == [*[EventKind.SPIKE] * 4, EventKind.BURST]


def test_home_of_a_series_that_wanders_is_its_forecast() -> None:
    news = happens(
        Shown(True, 50.0, 6.0, 36.0, 30.0), [Shown(False, 0.0, 0.0, 30.2, 30.0)] * len(QUIET)
    )
    assert (news[-1].kind, news[-1].closing) == (EventKind.SPIKE, Closing.ENDED)


def test_a_point_that_comes_back_to_the_level_is_no_level_of_its_own() -> None:
    news = happens(Shown(True, 50.0, 5.0, 0.2, -4.0), points(*QUIET))
    assert (news[-1].kind, news[-1].closing) == (EventKind.SPIKE, Closing.ENDED)


def test_a_run_that_opens_without_a_flag_goes_on_while_it_is_improbable() -> None:
    loud = Shown(False, 10.0, 0.1, 0.1, 1.0, run=EventKind.BURST, is_loud=True)
    event = EventUnderWay(loud)
    assert event.open().kind is EventKind.BURST
    assert all(event.follow(loud).stage is Stage.CONTINUES for _ in range(20))
    assert [event.follow(each).stage for each in points(*QUIET)][-1] is Stage.CLOSED


def test_a_new_level_is_home_and_how_far_points_are_from_it() -> None:
    event = EventUnderWay(Shown(True, 50.0, -6.0, 8.0, 9.0))
    for _ in range(20):
        event.follow(Shown(False, 0.0, 0.0, 9.0, 9.0))
    assert event.level == pytest.approx(9.0, abs=0.2)


def test_a_stuck_sensor_is_flat_until_the_value_is_the_normal_one() -> None:
    stuck = Shown(False, 0.0, 0.1, 2.0, 1.0, is_stuck=True)
    event = EventUnderWay(stuck)
    assert event.open().kind is EventKind.FLAT
    for _ in range(60):
        assert event.follow(stuck).kind is EventKind.FLAT
    last = event.follow(Shown(False, 0.0, 0.1, 2.0, 1.0), stuck_is_normal=True)
    assert (last.kind, last.closing) == (EventKind.FLAT, Closing.NEW_LEVEL)


def test_a_flagged_point_never_closes_an_event() -> None:
    news = happens(point(5.0, True), [point(5.0, True)] * 60)
    assert {each.stage for each in news[1:]} == {Stage.CONTINUES}


def test_missing_points_count_as_time() -> None:
    event = EventUnderWay(point(5.0, True))
    event.pass_by(10)
    news = event.follow(point(0.0))
    assert (news.started, news.peak) == (11, 11)


def test_the_gravest_point_is_told() -> None:
    news = happens(point(5.0, True, 40.0), [point(9.0, True, 90.0), *points(0.0)])
    assert (news[-1].severity, news[-1].peak) == (90.0, 1)


def test_an_event_is_beyond_doubt_from_the_first_such_point_on() -> None:
    event = EventUnderWay(point(5.0, True))
    assert not event.is_beyond_doubt
    event.follow(Shown(True, 80.0, 9.0, 9.0, 1.0, is_beyond_doubt=True))
    event.follow(point(0.0))
    assert event.is_beyond_doubt
