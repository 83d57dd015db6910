"""The pages of monitors: the counts of the list, the texts of a page, access."""

import datetime as dt
import re

import pytest
from sqlalchemy import update

from app.core.database import utcnow
from app.core.text import short_number, short_timestamp
from app.watching.models.monitors import MonitorState
from app.watching.monitors.queries import monitor_queries
from app.web.dashboard.monitors import pages
from app.web.dashboard.monitors.texts import TABLE_POINTS
from tests.support.keys import bearer
from tests.support.members import text_of
from tests.support.series import with_a_season

HOUR = dt.timedelta(hours=1)


def spoilt_values() -> list[float]:
    values = list(with_a_season(100, period=24))
    values[-1] += 500
    return values


def test_the_list_has_state_last_value_events_and_webhook_of_each(
    viewer, create_monitor_with_points
) -> None:
    create_monitor_with_points("bad", spoilt_values(), webhook="ops")
    create_monitor_with_points("calm", with_a_season(100, period=24), webhook="ops")
    create_monitor_with_points("empty")
    text = text_of(viewer.get("/account/monitors"))
    assert "All 3 1 with an open alert 1 anomalous 1 learning 1 normal" in text
    value = short_number(spoilt_values()[-1])
    hour = short_timestamp(f"{utcnow():%Y-%m-%dT%H:00:00Z}")
    assert f"bad anomalous {value} {hour} 1 alert of 1 1 alert of 1 1 pending" in text
    assert " 0 0 nothing sent yet" in text
    assert "empty learning too few points yet: 0 of 48 – no point yet 0 0 none" in text


def test_the_list_can_be_of_one_state(viewer, create_monitor_with_points) -> None:
    create_monitor_with_points("bad", spoilt_values())
    create_monitor_with_points("empty")
    text = viewer.get("/account/monitors?state=anomalous").get_data(as_text=True)
    assert "/account/monitors/bad" in text
    assert "/account/monitors/empty" not in text
    assert "No monitor is overdue" in text_of(viewer.get("/account/monitors?state=overdue"))
    markup = viewer.get("/account/monitors?state=<b>").get_data(as_text=True)
    assert "<b>" not in markup


def test_a_long_list_has_pages(viewer, create_monitor_with_points, monkeypatch) -> None:
    monkeypatch.setattr(pages, "LIST_ROWS", 2)
    for name in "abcde":
        create_monitor_with_points(name)
    parts_of_page = {
        "": ["a", "b", "after=b"],
        "?after=b": ["c", "d", "after=d"],
        "?after=d": ["e"],
        "?state=learning&after=b": ["c", "d", "state=learning&amp;after=d"],
    }
    for query, held in parts_of_page.items():
        text = viewer.get(f"/account/monitors{query}").get_data(as_text=True)
        for part in held:
            assert f"monitors/{part}" in text or part in text.replace("?after=", "after=")
        names = [name for name in "abcde" if f'/account/monitors/{name}"' in text]
        assert names == [part for part in held if len(part) == 1]
        assert ("Next</a>" in text) == (len(held) > 2)
        assert ("First</a>" in text) == bool(query)


def test_paging_loses_no_name_if_the_database_ignores_punctuation(
    viewer, create_monitor_with_points, monkeypatch
) -> None:
    ordered = ["a", "aa", "a-b", "a.c"]
    for name in ordered:
        create_monitor_with_points(name)
    states = monitor_queries.list_states
    monkeypatch.setattr(pages, "LIST_ROWS", 2)
    monkeypatch.setattr(
        monitor_queries, "list_states", lambda *ids: {name: states(*ids)[name] for name in ordered}
    )
    query, shown = "", []
    while query is not None:
        text = viewer.get(f"/account/monitors{query}").get_data(as_text=True)
        shown += re.findall(r'href="/account/monitors/([a-c.-]+)"', text)
        query = (re.findall(r'href="/account/monitors(\?after=[^"]+)">Next', text) or [None])[0]
    assert sorted(shown) == sorted(ordered)


def test_an_account_without_monitors_sees_how_to_make_one(viewer) -> None:
    text = text_of(viewer.get("/account/monitors"))
    assert "No monitor yet" in text
    assert "curl -X PUT http://localhost/monitors/cpu-load" in text
    ways = ("Watch Prometheus", "Paste a table", "Send points by a program")
    assert all(way in text for way in ways)


def test_a_monitors_page_says_all_without_a_script(viewer, create_monitor_with_points) -> None:
    values = spoilt_values()
    create_monitor_with_points("bad", values, webhook="ops")
    page = viewer.get("/account/monitors/bad")
    text = text_of(page)
    hour = short_timestamp(f"{utcnow():%Y-%m-%dT%H:00:00Z}")
    assert "bad anomalous" in text
    event = viewer.get("/account/monitors/bad/chart").get_json()["events"][0]
    away = short_number(float(f"{event['deviation']:.3g}"))
    facts = f"severity {event['severity']:.0f}, {away} from expected, open"
    assert f"Spike alert since {hour} {facts}" in text
    for fact in (
        "Interval every hour",
        "False alarm rate 1 in 1,000 points",
        "points inside the band, 99.9 % expected without incidents; mean error",
        "Direction both",
        "Alerts severity 50 or more",
        "Muted no",
        "Stored 100 points",
        "Webhook ops",
        f"{hour} {short_number(values[-1])}",
        "event.opened pending 0",
    ):
        assert fact in text
    # A point has its own severity: beside it, the event's would seem a contradiction.
    assert text.count("severity") == 2  # of the threshold and of the event
    assert "flagged" in text
    assert "Upper By chance Verdict" in text
    rows = page.get_data(as_text=True).count('<tr><th scope="row">')
    assert rows == TABLE_POINTS + 1  # the row of the message


def test_the_page_of_a_monitor_names_all_thresholds_of_its_alerts(
    viewer, create_monitor_with_points
) -> None:
    create_monitor_with_points(
        "strict", spoilt_values(), alert_severity=0, alert_min_relative=0.5, alert_for=3
    )
    text = text_of(viewer.get("/account/monitors/strict"))
    assert "Alerts 50 % or more from expected, 3 steps or more Limit" in text


def test_events_that_are_not_sent_lack_the_mark_of_an_alert(
    viewer, create_monitor_with_points
) -> None:
    create_monitor_with_points("bad", spoilt_values(), alert_min_deviation=1e6, alert_severity=62.5)
    page = viewer.get("/account/monitors/bad")
    assert "Alerts severity 62.5 or more, 1,000,000 or more from expected" in text_of(page)
    assert "Spike since" in text_of(page)
    assert "<mark>" not in page.get_data(as_text=True)
    list_text = text_of(viewer.get("/account/monitors"))
    assert "1 1 none" in list_text
    assert "alert" not in list_text


def test_a_muted_monitor_says_until_when(viewer, create_monitor_with_points) -> None:
    create_monitor_with_points("bad", spoilt_values(), muted_until="2099-12-31T22:00:00Z")
    assert "anomalous muted until 2099-12-31 22:00Z" in text_of(viewer.get("/account/monitors"))
    text = text_of(viewer.get("/account/monitors/bad"))
    assert "Muted until 2099-12-31 22:00Z" in text
    assert "Spike since" in text
    create_monitor_with_points("loud", muted_until="2026-01-01T00:00:00Z")
    assert "Muted no" in text_of(viewer.get("/account/monitors/loud"))


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("new", "too few points yet: 0 of 48"),
        ("gap", "after a gap of more than two seasons"),
        ("changed", "the series has changed for good"),
    ],
)
def test_a_monitor_that_learns_says_why(
    viewer, create_monitor_with_points, engine, reason, words
) -> None:
    create_monitor_with_points("young", alert_severity=0)
    with engine.begin() as connection:
        connection.execute(update(MonitorState).values(learning_reason=reason))
    assert f"young learning {words}" in text_of(viewer.get("/account/monitors"))
    text = text_of(viewer.get("/account/monitors/young"))
    assert words in text
    assert "Alerts every event" in text


def test_a_monitor_of_an_old_history_says_why_it_is_overdue(viewer, client, key) -> None:
    start = utcnow().replace(minute=0, second=0, microsecond=0) - 60 * HOUR
    series = {
        "timestamps": [f"{start + i * HOUR:%Y-%m-%dT%H:%M:%SZ}" for i in range(50)],
        "values": [float(i % 24) for i in range(50)],
    }
    body = {"data_frequency": "Hours", "series": [series]}
    assert client.put("/monitors/late", json=body, headers=bearer(key)).status_code == 201
    why = "its points are older than the monitor, so no overdue event is opened"
    assert f"late overdue {why}" in text_of(viewer.get("/account/monitors"))
    assert why in text_of(viewer.get("/account/monitors/late"))


def test_a_monitor_without_points_says_so(viewer, create_monitor_with_points) -> None:
    create_monitor_with_points("empty")
    page = viewer.get("/account/monitors/empty")
    assert "No point yet" in text_of(page)
    assert "Overdue from after the first point" in text_of(page)
    assert "Webhook deliveries" not in text_of(page)


def test_the_chart_has_the_points_and_events_that_a_key_gets(
    viewer, client, key, create_monitor_with_points
) -> None:
    create_monitor_with_points("bad", spoilt_values(), false_alarm_rate=0.01)

    def get_by_key(path):
        return client.get(f"/monitors/bad{path}", headers=bearer(key)).get_json()

    response = viewer.get("/account/monitors/bad/chart")
    assert response.headers["Cache-Control"] == "no-store"
    assert response.get_json() == {
        "false_alarm_rate": 0.01,
        "points": get_by_key("/points?order=desc&limit=300")["points"][::-1],
        "events": get_by_key("/events?order=desc&limit=100")["events"],
    }


def test_the_chart_gets_the_forecast_of_a_monitor_with_a_limit(
    viewer, create_monitor_with_points
) -> None:
    create_monitor_with_points(
        "disk", [40.0 + index for index in range(40)], limit={"upper": 95.5, "horizon": 30}
    )
    page = viewer.get("/account/monitors/disk")
    assert 'data-forecast="/account/monitors/disk/forecast"' in page.text
    assert "Limit above 95.5, 30 steps (1 d 6 h) ahead at 80 %" in text_of(page)
    drawn = viewer.get("/account/monitors/disk/forecast").get_json()
    assert len(drawn["median"]) == 30
    assert drawn["reached"]["upper"]["p50"] == drawn["forecast_timestamps"][16]
    create_monitor_with_points("calm", [1.0] * 40)
    assert 'data-forecast=""' in viewer.get("/account/monitors/calm").text
    assert viewer.get("/account/monitors/calm/forecast").get_json() == {}


def test_a_monitor_with_too_few_points_has_a_chart_without_a_forecast(
    viewer, create_monitor_with_points
) -> None:
    create_monitor_with_points("young", [1.0, 2.0], limit={"upper": 95})
    drawn = viewer.get("/account/monitors/young/forecast")
    assert (drawn.status_code, "median" in drawn.get_json()) == (200, False)


def test_a_monitor_at_the_end_of_the_calendar_is_never_overdue(
    viewer, client, key, create_monitor_with_points
) -> None:
    create_monitor_with_points("far-future")
    points = {"timestamps": ["9999-12-31T23:00:00Z"], "values": [1.0]}
    client.post("/monitors/far-future/points", json=points, headers=bearer(key))
    assert "Overdue from never" in text_of(viewer.get("/account/monitors/far-future"))
