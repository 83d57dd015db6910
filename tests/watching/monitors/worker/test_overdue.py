"""Events of points that are overdue."""

import itertools

from sqlalchemy import event

from app.core.database import db
from app.watching.monitors.queries.monitor_queries import get_monitor
from app.watching.monitors.settings.states import State
from app.watching.monitors.storage.stored_monitors import read_stored
from tests.delivery.deliveries import suspend_default
from tests.support.watching import open_overdue_events
from tests.watching.monitors.feeding import ACCOUNT, NAME, events, history, make, send


def test_an_overdue_monitor_gets_one_event_that_the_next_point_closes(now) -> None:
    make()
    send([11], [1.0])
    assert open_overdue_events() == 0
    now.move(hours=2)
    assert open_overdue_events() == 1
    assert open_overdue_events() == 0
    (opened,) = events()
    assert (opened.kind, opened.direction, opened.severity) == ("overdue", None, 0.0)
    assert (opened.start, opened.end) == ("2026-05-01T12:00:00Z", None)
    assert get_monitor(ACCOUNT, NAME).state == State.OVERDUE
    (closed,) = send([14], [1.0]).events
    assert (closed.id, closed.closed_as, closed.end) == (opened.id, "ended", "2026-05-01T13:00:00Z")
    now.move(hours=9)
    assert open_overdue_events() == 1
    assert len(events()) == 2


def test_a_suspended_account_s_monitor_is_overdue_once_it_is_resumed(now) -> None:
    make()
    send([11], [1.0])
    now.move(hours=2)
    suspend_default(db.engine)
    assert open_overdue_events() == 0
    suspend_default(db.engine, None)
    assert open_overdue_events() == 1


def test_a_late_point_does_not_close_it(now) -> None:
    make()
    send([11], [1.0])
    now.move(hours=2)
    open_overdue_events()
    assert send([5], [1.0]).events == []
    assert events()[0].end is None
    assert open_overdue_events() == 0


def test_an_overdue_monitor_keeps_the_event_that_the_detector_has_open(now) -> None:
    make(history=history(480))
    (opened,) = send([11], [60.0]).events
    now.move(hours=5)
    assert open_overdue_events() == 1
    appended = send([12], [60.0])
    assert appended.state == State.ANOMALOUS
    assert [happened.kind for happened in appended.events] == ["overdue"]
    assert {happened.id: happened.end for happened in events()}[opened.id] is None


def test_a_history_that_is_fed_opens_no_event_though_the_monitor_is_overdue() -> None:
    make()
    for first in range(-60, 0, 10):
        send(range(first, first + 10), [1.0] * 10)
        assert open_overdue_events() == 0
        assert get_monitor(ACCOUNT, NAME).state == State.OVERDUE
    assert events() == []


def test_a_monitor_that_has_caught_up_with_its_history_gets_an_event_again(now) -> None:
    make()
    send(range(-20, 0), [1.0] * 20)
    send(range(12), [1.0] * 12)
    now.move(hours=9)
    assert open_overdue_events() == 1


def test_a_point_that_arrives_while_its_monitor_is_marked_overdue_opens_no_event(now) -> None:
    make()
    send([11], [1.0])
    now.move(hours=2)
    engine, lent = db.engine, itertools.count(1)

    def change_meanwhile(*_connection) -> None:
        if next(lent) == 2:  # the first looks for monitors, the second reads the one found
            send([13], [1.0])

    event.listen(engine, "checkout", change_meanwhile)
    assert open_overdue_events() == 0
    event.remove(engine, "checkout", change_meanwhile)
    assert events() == []


def test_monitors_without_points_are_never_overdue(now) -> None:
    make()
    now.move(days=1000)
    assert open_overdue_events() == 0


def test_the_state_of_a_detector_is_read_only_to_judge() -> None:
    make()
    send([0], [1.0])
    assert read_stored(ACCOUNT, NAME).detector
    assert read_stored(ACCOUNT, NAME, with_detector=False).detector == b""
