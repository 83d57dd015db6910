"""Appended points: the verdict of each, the same for any batches."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from app.anomalies.results import Direction
from app.core.database import db
from app.watching.monitors.queries.monitor_queries import get_monitor
from app.watching.monitors.settings.errors import PointErrors
from app.watching.monitors.settings.monitor_records import EventRecord, Point, PointStatus
from app.watching.monitors.settings.states import State
from app.watching.monitors.storage.stored_monitors import read_stored
from tests.watching.monitors.feeding import (
    ACCOUNT,
    NAME,
    are_all_judged,
    events,
    history,
    make,
    points,
    send,
    send_in_batches,
    statuses,
    waves,
)

SENT_POINTS = st.lists(
    st.tuples(st.integers(0, 110), st.sampled_from([9.5, 10.0, 10.5, 40.0])),
    min_size=1,
    max_size=60,
)


def test_another_value_for_a_point_changes_nothing() -> None:
    make()
    send(range(60), waves(60))
    before = read_stored(ACCOUNT, NAME)
    conflict = send([59], [-5.0]).points[0]
    assert conflict.status == PointStatus.CONFLICT
    assert conflict.value == waves(60)[-1]
    assert read_stored(ACCOUNT, NAME) == before
    assert points()[-1].value == waves(60)[-1]


def test_a_point_older_than_the_newest_is_stored_without_a_verdict() -> None:
    make()
    send([0, 1, 5], [1.0, 2.0, 3.0])
    learned = read_stored(ACCOUNT, NAME).detector
    assert learned
    late = send([3, -2], [7.0, 8.0])
    assert statuses(late) == ["late", "late"]
    assert [late.points[0].expected, late.points[0].p_value] == [None, None]
    assert [point.value for point in points()] == [8.0, 1.0, 2.0, 7.0, 3.0]
    assert read_stored(ACCOUNT, NAME).detector == learned
    assert statuses(send([3], [7.0])) == ["duplicate"]
    assert get_monitor(ACCOUNT, "cpu").last_point.value == 3.0


def test_too_many_gaps_for_one_request_are_rejected_at_the_first_beyond() -> None:
    make(history=history(240))
    positions = list(range(48, 48 * 200, 48))
    with pytest.raises(PointErrors) as caught:
        send(positions, [10.0] * len(positions))
    (defect,) = caught.value.defects
    assert "another request" in defect.issue
    sent = positions[: defect.entry]
    assert are_all_judged(send(sent, [10.0] * len(sent)))
    rest = positions[defect.entry :]
    assert are_all_judged(send(rest, [10.0] * len(rest)))


def test_an_event_opens_once_keeps_its_peak_and_closes_with_the_same_id() -> None:
    make(history=history(480))
    opened = send([0], [20.0])
    assert opened.state == State.ANOMALOUS
    (event,) = opened.events
    assert (event.start, event.end, event.closed_as) == ("2026-05-01T00:00:00Z", None, None)
    assert event.direction == "up"
    worse = send([1], [40.0])
    assert (worse.events, worse.state) == ([], State.ANOMALOUS)
    (known,) = events()
    assert (known.id, known.cursor) == (event.id, event.cursor)
    assert known.severity >= event.severity
    closed = send(range(2, 200), waves(200)[2:])
    ended = [changed for changed in closed.events if changed.id == event.id]
    assert len(ended) == 1
    assert ended[0].closed_as == "ended"
    assert ended[0].cursor > event.cursor
    assert ended[0].end == "2026-05-01T01:00:00Z"
    assert ended[0] in events()


def test_a_gap_of_more_than_two_seasons_closes_an_open_event() -> None:
    make(history=history(480))
    (opened,) = send([0], [40.0]).events
    (closed,) = send([100], [10.0]).events
    assert (closed.id, closed.closed_as) == (opened.id, "ended")
    assert closed.end == "2026-05-01T00:00:00Z"
    assert get_monitor(ACCOUNT, "cpu").state != State.ANOMALOUS


def test_points_are_overdue_two_steps_after_the_next_was_due(now) -> None:
    make()
    send([11], [1.0])
    assert get_monitor(ACCOUNT, "cpu").state == State.LEARNING
    now.at = dt.datetime(2026, 5, 1, 13, 59, 59, tzinfo=dt.UTC)
    assert get_monitor(ACCOUNT, "cpu").state == State.LEARNING
    now.move(seconds=1)
    assert get_monitor(ACCOUNT, "cpu").state == State.OVERDUE
    assert send([13], [1.0]).state == State.LEARNING


def test_without_an_offset_lateness_is_judged_by_arrival(now):
    make()
    send([100], [1.0], suffix="")
    due = get_monitor(ACCOUNT, "cpu").overdue_at
    assert due == now.at + dt.timedelta(hours=3)
    make("old")
    send([-100], [1.0], name="old", suffix="")
    due = get_monitor(ACCOUNT, "old").overdue_at
    assert due == dt.datetime(2026, 4, 26, 20, tzinfo=dt.UTC) + dt.timedelta(hours=15)


def stored_rows(name: str) -> tuple[Sequence[Point], list[EventRecord]]:
    """Return all that is stored, without moments of opening and closing, which batches share."""
    changed = [
        replace(event, id=0, cursor=0, opened_at=None, closed_at=None) for event in events(name)
    ]
    return points(name), changed


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sent=SENT_POINTS, cuts=st.lists(st.integers(1, 59), max_size=4), number=st.uuids())
def test_batches_are_judged_as_points_one_by_one(sent, cuts, number) -> None:
    single, many = f"one-{number}", f"many-{number}"
    for name in (single, many):
        make(name, history=history(72))
    singly = [point.status for point in send_in_batches(sent, range(1, len(sent)), single)]
    assert [point.status for point in send_in_batches(sent, cuts, many)] == singly
    assert stored_rows(single) == stored_rows(many)
    ours, theirs = (read_stored(ACCOUNT, name) for name in (single, many))
    assert ours.detector == theirs.detector
    assert (ours.point_count, ours.event_count) == (theirs.point_count, theirs.event_count)


@pytest.mark.parametrize("table", ["monitor_points", "monitor_events"])
def test_an_append_that_dies_half_way_leaves_nothing_and_can_be_repeated(table: str) -> None:
    make(history=history(480))
    before = read_stored(ACCOUNT, NAME)
    with db.engine.begin() as connection:
        connection.exec_driver_sql(
            f"CREATE TRIGGER reject AFTER INSERT ON {table} BEGIN SELECT RAISE(ABORT, ''); END"
        )
    with pytest.raises(IntegrityError):
        send([0, 1], [40.0, 41.0])
    with db.engine.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER reject")
    assert read_stored(ACCOUNT, NAME) == before
    assert (len(points()), events()) == (480, [])
    assert statuses(send([0, 1], [40.0, 41.0])) == ["judged", "judged"]
    assert statuses(send([0, 1], [40.0, 41.0])) == ["duplicate", "duplicate"]
    assert len(events()) == 1


def test_another_rate_and_direction_count_from_the_next_point_on() -> None:
    make(history=history(480))
    assert send([0], [5.0]).points[0].is_anomaly
    learned = make(direction=Direction.UP).monitor
    assert learned.points == 481
    assert not send([1], [5.0]).points[0].is_anomaly
    narrow = send([2], waves(3)[-1:]).points[0]
    make(direction=Direction.UP, false_alarm_rate=0.1)
    wide = send([3], waves(4)[-1:]).points[0]
    assert wide.upper - wide.expected < narrow.upper - narrow.expected


def test_no_number_of_a_verdict_is_lost_on_the_way_through_the_database() -> None:
    make(history=history(240))
    response = send(range(24), waves(24))
    read = points()[-24:]
    assert read == response.points
    assert np.isfinite([point.p_value for point in read]).all()
