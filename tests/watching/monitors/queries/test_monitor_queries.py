"""Lists of monitors, pages of points and events, and their retention."""

import pytest

from app.watching.monitors.queries.monitor_queries import (
    get_monitor,
    list_monitors,
    list_states,
    read_points,
)
from app.watching.monitors.settings.monitor_records import Page
from tests.watching.monitors.feeding import (
    ACCOUNT,
    NAME,
    events,
    history,
    make,
    other_account,
    points,
    send,
    waves,
)


@pytest.fixture
def settings():
    return {"monitor_points_kept": 60, "monitor_events_kept": 3}


def append_outages(first, count) -> None:
    """Append short outages, each its own event, with calm between them."""
    for start in range(first, first + 20 * count, 20):
        values = waves(start + 20)[start:]
        send(range(start, start + 20), [60.0, *values[1:]])


def test_monitors_are_listed_by_name_only_those_of_the_account() -> None:
    other_account()
    for name, account in (("b", 1), ("a", 1), ("a", 2)):
        make(name, account)
    send([0], [5.0], "b")
    monitors = list_monitors(ACCOUNT)
    assert [monitor.name for monitor in monitors] == ["a", "b"]
    assert monitors[1] == get_monitor(ACCOUNT, "b")
    assert monitors[1].last_point.value == 5.0
    assert list_monitors(ACCOUNT, ["b", "c"]) == monitors[1:]
    assert list_monitors(3) == []


def test_the_states_of_all_are_those_of_each(now) -> None:
    other_account()
    make("b", history=history(96))
    make("theirs", account=2)
    make("a", history=history(96))
    make("c")
    make("d", history=history(96))
    send([0], [400.0], "a")
    send([9], [10.0], "b")
    send([9], [10.0], "d")
    now.move(hours=6)
    send([15], [10.0], "d")
    states = list_states(ACCOUNT)
    assert list(states) == ["a", "b", "c", "d"]
    assert states == {monitor.name: monitor.states for monitor in list_monitors(ACCOUNT)}
    assert states["a"] == ("overdue", "anomalous")
    assert ("learning",) in states.values()


def test_a_reader_of_all_points_continues_after_the_last_cursor() -> None:
    make()
    send([0, 1], [1.0, 2.0])
    assert read_points(ACCOUNT, NAME, 1, 10, False) == Page([], None)
    send([2], [3.0])
    assert [item.value for item in read_points(ACCOUNT, NAME, 1, 10, False).items] == [3.0]


def test_the_newest_points_are_kept_and_counted_exactly() -> None:
    make()
    for start in range(0, 130, 13):
        send(range(start, start + 13), waves(13))
        kept = [point.index for point in points()]
        assert kept == list(range(max(0, start + 13 - 60), start + 13))
        assert get_monitor(ACCOUNT, NAME).points == len(kept)


def test_more_points_than_are_kept_in_one_append_leave_the_newest() -> None:
    make()
    assert len(send(range(200), waves(200)).points) == 200
    assert [point.index for point in points()] == list(range(140, 200))
    assert get_monitor(ACCOUNT, NAME).points == 60


def test_a_late_point_older_than_all_that_are_kept_is_not_kept() -> None:
    make()
    send(range(60), waves(60))
    assert send([-1], [1.0]).points[0].status == "late"
    assert [point.index for point in points()] == list(range(60))
    assert get_monitor(ACCOUNT, NAME).points == 60


def test_the_newest_events_are_kept_and_an_open_one_among_them() -> None:
    make(history=history(480))
    append_outages(0, 6)
    over = events()
    assert len(over) == 3
    assert all(event.closed_as for event in over)
    opened = send([120], [900.0]).events[-1]
    assert [event.id for event in events()] == [*(event.id for event in over[1:]), opened.id]
