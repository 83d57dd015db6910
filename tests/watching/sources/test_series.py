"""Series that appear and disappear, are too many, are duplicates, or cannot be learned."""

import json

import pytest
from sqlalchemy import select

from app.core.database import db
from app.watching.models.sources import SourceSeries
from app.watching.monitors.settings.states import State
from app.watching.sources.series import monitor_name
from app.watching.sources.source_reader import find_feeds
from tests.support.settings import change_settings
from tests.support.watching import delete_monitor
from tests.watching.monitors.feeding import ACCOUNT
from tests.watching.monitors.feeding import make as make_monitor
from tests.watching.sources.source_queries import (
    HISTORY,
    STEP,
    calm_value,
    events,
    fill_calm_query,
    first_step,
    labels,
    make_query,
    monitors,
    points,
    poll,
    query,
)

pytestmark = pytest.mark.usefixtures("each_database")
NOTICED = {
    "a raw counter": (lambda at: float(at % 86_400), "rate()"),
    "a scrape interval longer than step": (
        lambda at: calm_value(at // 300 * 300),
        "scrape interval",
    ),
    "a constant": (lambda _at: 0.0, "constant for half"),
}
STRANGE = {"path": 'a"b\\c\nd', "script": "<script>alert(1)</script>", "ü": "é" * 50}


def states():
    return {monitor.name: monitor.state for monitor in monitors()}


def test_a_vanished_series_is_absent_without_an_event_and_resumes_its_monitor(server, now) -> None:
    gone = []
    server.add_series(calm_value, pod="a")
    server.add_series(lambda at: None if gone and at >= gone[0] else calm_value(at), pod="b")
    make_query()
    poll(now, steps=1)
    a, b = (monitor_name("rate", {"pod": pod}) for pod in "ab")
    gone.append(first_step(now) + STEP)
    poll(now, steps=5)
    assert states() == {a: State.NORMAL, b: State.NORMAL}
    poll(now, steps=1)
    assert states() == {a: State.NORMAL, b: State.ABSENT}
    assert events(b) == []
    gone.clear()
    before = len(points(b))
    poll(now, steps=1)
    assert states() == {a: State.NORMAL, b: State.NORMAL}
    assert len(points(b)) == before + 1
    assert len(monitors()) == 2


def test_the_open_event_of_a_series_that_leaves_is_closed(server, now) -> None:
    faults, gone = [], []

    def value(at):
        if gone and at >= gone[0]:
            return None
        return 500.0 if faults and at >= faults[0] else calm_value(at)

    server.add_series(value)
    server.add_series(calm_value, pod="other")
    make_query()
    poll(now, steps=1)
    faults.append(first_step(now) + STEP)
    poll(now, steps=1)
    assert states()["rate"] == State.ANOMALOUS
    gone.append(first_step(now) + STEP)
    poll(now, steps=7)
    (event,) = events("rate")
    assert (states()["rate"], event.closed_as, event.is_alert) == (State.ABSENT, "absent", True)
    gone.clear()
    faults.clear()
    poll(now, steps=1)
    assert states()["rate"] != State.ABSENT
    assert events("rate")[0] == event  # the series that returns is another one


def test_a_series_absent_for_a_week_is_forgotten(server, now) -> None:
    gone = []
    server.add_series(calm_value, pod="a")
    server.add_series(lambda at: None if gone else calm_value(at), pod="b")
    make_query()
    poll()
    gone.append(1)
    now.move(days=6, hours=23)
    poll()
    assert len(monitors()) == 2
    now.move(hours=2)
    poll()
    assert labels() == [{"pod": "a"}]
    with db.engine.connect() as connection:
        assert len(connection.execute(select(SourceSeries.monitor_id)).all()) == 1


def test_a_series_that_comes_is_adopted_and_learns(server, now) -> None:
    server.add_series(calm_value, pod="a")
    make_query()
    poll()
    server.add_series(calm_value, pod="b")
    poll(now, steps=2)
    new = monitor_name("rate", {"pod": "b"})
    assert states()[new] == State.LEARNING
    assert len(points(new)) == 2


def test_ten_thousand_series_are_rejected_and_nothing_is_created(server, now) -> None:
    for number in range(10_000):
        server.add_series(lambda _at: 1.0, pod=str(number))
    make_query()
    poll()
    shown = query()
    assert (shown.state, shown.series, shown.monitors) == ("refused", 10_000, 0)
    assert "10,000 series, more than the 100 of its max_series" in shown.problem
    assert server.ranges() == []
    for series in list(server.series)[5:]:
        del server.series[series]
    now.move(seconds=299)
    poll()
    assert query().state == "refused"
    now.move(seconds=2)
    poll()
    assert (query().state, query().monitors) == ("live", 5)


def test_more_series_than_the_account_has_room_for_are_rejected(server, now, context) -> None:
    change_settings(context, monitors_per_account=3)
    for pod in "abcd":
        server.add_series(calm_value, pod=pod)
    make_query(history=20)
    poll()
    assert (query().state, monitors()) == ("refused", [])
    problem = (
        "the query returns 4 series, more than the {} that the account has room for; delete "
        "monitors, or ask the operator to raise MONITORS_PER_ACCOUNT"
    )
    assert query().problem == problem.format(3)
    make_monitor("other")
    change_settings(context, monitors_per_account=0)  # below the number of monitors
    now.move(hours=1)
    poll()
    assert query().problem == problem.format(0)
    delete_monitor(ACCOUNT, "other")
    change_settings(context, monitors_per_account=4)
    make_query(history=20)
    poll()
    assert len(monitors()) == 4


def test_new_series_beyond_max_series_are_noticed_and_not_watched(server, now) -> None:
    server.add_series(calm_value, pod="a")
    make_query(history=20, max_series=2)
    poll()
    for pod in "bcd":
        server.add_series(calm_value, pod=pod)
    poll(now, steps=1)
    assert query().monitors == 2
    assert any("more than max_series 2" in notice for notice in query().notices)


def test_pods_with_new_names_each_hour_are_noticed(server, now) -> None:
    server.add_series(calm_value, pod="first")
    make_query(history=20, max_series=6)
    poll()
    for number in range(4):
        server.add_series(calm_value, pod=str(number))
        poll(now, steps=1)
    assert any("aggregate by fewer labels" in notice for notice in query().notices)


def test_nan_and_infinity_are_missing_points(server, now) -> None:
    odd = ["NaN", "+Inf", "-Inf", "1e101"]
    server.add_series(lambda at: odd[at // STEP % 8 // 2] if at // STEP % 2 else calm_value(at))
    make_query()
    poll(now, steps=6)
    assert query().state == "live"
    read = points("rate")
    assert len(read) == (HISTORY + 6) // 2
    assert max(point.value for point in read) < 200


def test_series_that_had_ended_are_not_watched(server, now) -> None:
    end = first_step(now)
    server.add_series(lambda at: calm_value(at) if at <= end - 6 * STEP else None, pod="old")
    server.add_series(calm_value, pod="new")
    make_query(history=20)
    poll()
    assert labels() == [{"pod": "new"}]


@pytest.mark.parametrize(("value", "words"), NOTICED.values(), ids=NOTICED.keys())
def test_a_history_that_looks_wrong_is_noticed(server, now, value, words) -> None:
    server.add_series(value)
    make_query()
    poll()
    assert any(words in notice for notice in query().notices)
    poll(now, steps=1)
    assert any(words in notice for notice in query().notices)


def test_a_series_of_0_and_1_is_not_noticed(server, now) -> None:
    server.add_series(lambda at: float(at // STEP % 100 > 2))
    make_query()
    poll()
    assert list(query().notices) == []


def test_a_rate_gets_no_notice(server, now) -> None:
    fill_calm_query(server)
    assert list(query().notices) == []


def test_last_values_that_all_series_repeat_are_noticed(server, now) -> None:
    down = []
    for level in range(3):
        server.add_series(
            lambda at, n=level: calm_value(min(at, *down) if down else at) + n, n=str(level)
        )
    make_query(history=20)
    poll(now, steps=1)
    down += [first_step(now)] * 2
    poll(now, steps=3)
    assert any("still scraping" in notice for notice in query().notices)
    down.clear()
    poll(now, steps=3)
    assert not any("still scraping" in notice for notice in query().notices)


def test_no_series_histograms_warnings_and_short_steps_are_noticed(server, now) -> None:
    server.extra = {"warnings": ["partial response"]}
    make_query(step=20)
    poll()
    notices = " ".join(query().notices)
    assert "returns no series" in notices
    assert "below 30 s" in notices
    server.histograms = True
    now.move(seconds=30)
    poll()
    notices = " ".join(query().notices)
    assert "histogram_quantile" in notices
    assert notices.count("the source warns: partial response") == 1


def test_labels_of_any_kind_are_kept_as_they_are_and_names_are_plain(server, now) -> None:
    server.add_series(calm_value, **STRANGE)
    make_query(history=20)
    poll(now, steps=1)
    ((name, feed),) = find_feeds(1).items()
    assert feed.labels == STRANGE
    assert name.isascii()
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789.-")
    assert len(points(name)) == 21


def test_series_with_too_many_labels_are_not_watched(server, now) -> None:
    server.add_series(calm_value, **{f"l{number}": "x" for number in range(31)})
    server.add_series(calm_value, long="x" * 5_000)
    server.add_series(calm_value, fine="x")
    make_query(history=20)
    poll(now, steps=1)
    assert labels() == [{"fine": "x"}]
    assert any("30 labels" in notice for notice in query().notices)


def test_a_monitor_of_the_same_name_is_left_as_it_is(server, now) -> None:
    make_monitor("rate")
    server.add_series(calm_value)
    make_query(history=20)
    poll(now, steps=1)
    (monitor,) = monitors()
    assert (monitor.fed_by, monitor.points) == (None, 0)
    assert any("'rate'" in notice for notice in query().notices)


def test_names_of_series_are_stable_and_differ() -> None:
    name = monitor_name("q" * 40, json.loads('{"b": "2", "a": "1"}'))
    assert name == monitor_name("q" * 40, {"a": "1", "b": "2"})
    assert name != monitor_name("q" * 40, {"a": "2", "b": "1"})
    assert len(monitor_name("q" * 40, {"a": "x" * 500})) <= 100
    assert monitor_name("q", {"__name__": "up"}) == "q"
