"""The pages of monitors: what the list counts, what a monitor's page says, whose they are."""

import datetime as dt
import re
from dataclasses import replace

import pytest
from sqlalchemy import update

from app.core.database import utcnow
from app.core.units import short_number
from app.timeseries.calendar.frequency import Frequency
from app.watching.models.monitors import MonitorState
from app.watching.monitors import monitor_queries
from app.watching.monitors.monitor_records import MonitorQuality
from app.watching.monitors.monitor_settings import MonitorSettings
from app.watching.monitors.states import State
from app.web.dashboard import monitors as views
from app.web.dashboard.event_texts import event_texts, time_to_second
from app.web.dashboard.monitor_texts import (
    TABLE_POINTS,
    duration_of,
    example_timestamp,
    quality_text,
    shown_states,
)
from app.web.dashboard.number_texts import chance_text
from tests.support.keys import bearer
from tests.support.members import text_of
from tests.support.series import with_a_season

HOUR = dt.timedelta(hours=1)


def spoilt() -> list[float]:
    values = list(with_a_season(100, period=24))
    values[-1] += 500
    return values


def test_the_list_has_state_last_value_events_and_webhook_of_each(
    viewer, create_monitor_with_points
) -> None:
    create_monitor_with_points("bad", spoilt(), webhook="ops")
    create_monitor_with_points("calm", with_a_season(100, period=24), webhook="ops")
    create_monitor_with_points("empty")
    text = text_of(viewer.get("/account/monitors"))
    assert "All 3 1 with an open alert 1 anomalous 1 learning 1 normal" in text
    value = short_number(spoilt()[-1])
    hour = time_to_second(f"{utcnow():%Y-%m-%dT%H:00:00Z}")
    assert f"bad anomalous {value} {hour} 1 alert of 1 1 alert of 1 1 pending" in text
    assert " 0 0 nothing sent yet" in text
    assert "empty learning too few points yet: 0 of 48 – no point yet 0 0 none" in text


def test_the_list_can_be_of_one_state(viewer, create_monitor_with_points) -> None:
    create_monitor_with_points("bad", spoilt())
    create_monitor_with_points("empty")
    text = viewer.get("/account/monitors?state=anomalous").get_data(as_text=True)
    assert "/account/monitors/bad" in text
    assert "/account/monitors/empty" not in text
    assert "No monitor is overdue" in text_of(viewer.get("/account/monitors?state=overdue"))
    markup = viewer.get("/account/monitors?state=<b>").get_data(as_text=True)
    assert "<b>" not in markup


def test_a_long_list_has_pages(viewer, create_monitor_with_points, monkeypatch) -> None:
    monkeypatch.setattr(views, "LIST_ROWS", 2)
    for name in "abcde":
        create_monitor_with_points(name)
    pages = {
        "": ["a", "b", "after=b"],
        "?after=b": ["c", "d", "after=d"],
        "?after=d": ["e"],
        "?state=learning&after=b": ["c", "d", "state=learning&amp;after=d"],
    }
    for query, held in pages.items():
        text = viewer.get(f"/account/monitors{query}").get_data(as_text=True)
        for part in held:
            assert f"monitors/{part}" in text or part in text.replace("?after=", "after=")
        names = [name for name in "abcde" if f'/account/monitors/{name}"' in text]
        assert names == [part for part in held if len(part) == 1]
        assert ("Next</a>" in text) == (len(held) > 2)
        assert ("First</a>" in text) == bool(query)


def test_pages_lose_no_name_in_the_order_of_a_database_that_ignores_punctuation(
    viewer, create_monitor_with_points, monkeypatch
) -> None:
    ordered = ["a", "aa", "a-b", "a.c"]
    for name in ordered:
        create_monitor_with_points(name)
    states = monitor_queries.list_states
    monkeypatch.setattr(views, "LIST_ROWS", 2)
    monkeypatch.setattr(
        monitor_queries, "list_states", lambda *ids: {name: states(*ids)[name] for name in ordered}
    )
    query, shown = "", []
    while query is not None:
        text = viewer.get(f"/account/monitors{query}").get_data(as_text=True)
        shown += re.findall(r'href="/account/monitors/([a-c.-]+)"', text)
        query = (re.findall(r'href="/account/monitors(\?after=[^"]+)">Next', text) or [None])[0]
    assert sorted(shown) == sorted(ordered)


def test_an_account_without_monitors_is_told_how_to_make_one(viewer) -> None:
    text = text_of(viewer.get("/account/monitors"))
    assert "No monitor yet" in text
    assert "curl -X PUT http://localhost/monitors/cpu-load" in text
    ways = ("Watch Prometheus", "Paste a table", "Send points by a program")
    assert all(way in text for way in ways)


def test_a_monitors_page_says_all_without_a_script(viewer, create_monitor_with_points) -> None:
    values = spoilt()
    create_monitor_with_points("bad", values, webhook="ops")
    page = viewer.get("/account/monitors/bad")
    text = text_of(page)
    hour = time_to_second(f"{utcnow():%Y-%m-%dT%H:00:00Z}")
    assert "bad anomalous" in text
    event = viewer.get("/account/monitors/bad/chart").get_json()["events"][0]
    away = short_number(float(f"{event['deviation']:.3g}"))
    facts = f"severity {event['severity']:.0f}, {away} from expected, open"
    assert f"Spike alert since {hour} {facts}" in text
    for fact in (
        "Interval every hour",
        "False alarm rate 1 in 1,000 points",
        "points inside the band, without incidents 99.9 % are; mean error",
        "Direction both",
        "Alerts severity 50 or more",
        "Muted no",
        "Stored 100 points",
        "Webhook ops",
        f"{hour} {short_number(values[-1])}",
        "event.opened pending 0",
    ):
        assert fact in text
    # A point has a severity of its own: beside it the event's is read as a contradiction.
    assert text.count("severity") == len(("the threshold", "the event"))
    assert "flagged" in text
    rows = page.get_data(as_text=True).count('<tr><th scope="row">')
    assert rows == TABLE_POINTS + 1  # that of the message


def test_the_page_of_a_monitor_names_all_thresholds_of_its_alerts(
    viewer, create_monitor_with_points
) -> None:
    create_monitor_with_points(
        "strict", spoilt(), alert_severity=0, alert_min_relative=0.5, alert_for=3
    )
    text = text_of(viewer.get("/account/monitors/strict"))
    assert "Alerts 50 % or more from expected, 3 steps or more Limit" in text


def test_events_that_are_not_sent_lack_the_mark_of_an_alert(
    viewer, create_monitor_with_points
) -> None:
    create_monitor_with_points("bad", spoilt(), alert_min_deviation=1e6, alert_severity=62.5)
    page = viewer.get("/account/monitors/bad")
    assert "Alerts severity 62.5 or more, 1,000,000 or more from expected" in text_of(page)
    assert "Spike since" in text_of(page)
    assert "<mark>" not in page.get_data(as_text=True)
    listed = text_of(viewer.get("/account/monitors"))
    assert "1 1 none" in listed
    assert "alert" not in listed


def test_a_muted_monitor_says_until_when(viewer, create_monitor_with_points) -> None:
    create_monitor_with_points("bad", spoilt(), muted_until="2099-12-31T22:00:00Z")
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
    why = "its points are older than the monitor, no event is opened about that"
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
    create_monitor_with_points("bad", spoilt(), false_alarm_rate=0.01)

    def by_key(path):
        return client.get(f"/monitors/bad{path}", headers=bearer(key)).get_json()

    response = viewer.get("/account/monitors/bad/chart")
    assert response.headers["Cache-Control"] == "no-store"
    assert response.get_json() == {
        "false_alarm_rate": 0.01,
        "points": by_key("/points?order=desc&limit=300")["points"][::-1],
        "events": by_key("/events?order=desc&limit=100")["events"],
    }


def test_the_chart_gets_the_forecast_of_a_monitor_with_a_limit(
    viewer, create_monitor_with_points
) -> None:
    create_monitor_with_points(
        "disk", [40.0 + place for place in range(40)], limit={"upper": 95.5, "horizon": 30}
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


def test_an_event_ahead_of_time_says_when_and_how_probable() -> None:
    event = {
        "kind": "limit_ahead",
        "direction": "up",
        "start": "2026-11-22T22:00:00Z",
        "peak_timestamp": "2026-11-22T22:00:00Z",
        "reached_at": "2026-11-23T01:00:00Z",
        "end": None,
        "severity": 84.4,
        "deviation": None,
        "closed_as": None,
        "is_alert": True,
    }
    words = event_texts(event)
    assert words["name"] == "Limit ahead up"
    assert words["facts"] == "expected 2026-11-23 01:00Z, probability 84 %, open"


def test_an_event_with_a_peak_of_its_own_says_when_it_was() -> None:
    event = {
        "kind": "level_shift",
        "direction": "up",
        "start": "2026-11-22T22:00:00Z",
        "peak_timestamp": "2026-11-22T23:30:00Z",
        "reached_at": None,
        "end": "2026-11-23T01:00:00Z",
        "severity": 70.4,
        "deviation": 12.3456,
        "closed_as": "new_level",
        "is_alert": True,
    }
    words = event_texts(event)
    assert words["name"] == "Level shift up"
    assert words["time"] == "2026-11-22 22:00Z – 2026-11-23 01:00Z"
    assert words["facts"] == "peak 23:30Z, severity 70, 12.3 from expected, ended as the new level"


def test_a_monitor_at_the_end_of_the_calendar_is_never_overdue(
    viewer, client, key, create_monitor_with_points
) -> None:
    create_monitor_with_points("far-future")
    points = {"timestamps": ["9999-12-31T23:00:00Z"], "values": [1.0]}
    client.post("/monitors/far-future/points", json=points, headers=bearer(key))
    assert "Overdue from never" in text_of(viewer.get("/account/monitors/far-future"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (92.61641, "92.6164"),
        (1_234_567.8, "1,234,570"),
        (-0.00012345678, "-0.000123457"),
        (1e-5, "1e-05"),
        (1e10, "10,000,000,000"),
        (2.5e15, "2.5e+15"),
    ],
)
def test_numbers_are_short(value, text) -> None:
    assert short_number(value) == text


@pytest.mark.parametrize(
    ("timestamp", "text"),
    [
        ("2026-11-22T00:00:00Z", "2026-11-22 00:00Z"),
        ("2026-11-22T16:30:00", "2026-11-22 16:30"),
        ("2026-11-22T16:30:05+02:00", "2026-11-22 16:30:05+02:00"),
        ("2026-11-22T16:30:00+02:00", "2026-11-22 16:30+02:00"),
        ("2026-11-22T16:30:15.250Z", "2026-11-22 16:30:15Z"),
    ],
)
def test_times_are_short(timestamp, text) -> None:
    assert time_to_second(timestamp) == text


@pytest.mark.parametrize("suffix", ["", "Z", "+02:00"])
def test_midnight_is_left_out_only_where_steps_are_days(suffix) -> None:
    assert time_to_second(f"2026-11-22T00:00:00{suffix}", has_days=True) == "2026-11-22"
    assert time_to_second(f"2026-11-22T06:00:00{suffix}", True) == f"2026-11-22 06:00{suffix}"
    of_frequencies = {frequency: MonitorSettings(frequency).has_days for frequency in Frequency}
    assert [name for name, has_days in of_frequencies.items() if not has_days] == [
        Frequency.SECONDS,
        Frequency.MINUTES,
        Frequency.HOURS,
    ]


def test_a_monitor_is_not_normal_beside_an_open_event_about_its_limit() -> None:
    assert shown_states([State.NORMAL], None) == ["normal"]
    assert shown_states([State.NORMAL], "limit_ahead") == ["limit_ahead"]
    assert shown_states([State.ANOMALOUS], "limit_reached") == ["anomalous", "limit_reached"]


def test_the_share_of_a_few_points_inside_the_band_is_no_percentage() -> None:
    quality = MonitorQuality(
        judged=7, inside=2 / 7, promised=0.999, mean_error=3.0, seasonal_error=None,
        seasonal_period=None,
    )  # fmt: skip
    assert quality_text(quality) == (
        "2 of 7 points inside the band, without incidents 99.9 % are; mean error 3"
    )
    many = replace(quality, judged=700)
    assert quality_text(many).startswith("200 of 700 points (28.57 %) inside the band, ")


@pytest.mark.parametrize(
    ("frequency", "step", "steps", "text"),
    [
        (Frequency.MINUTES, 5, 500, "1 d 17 h"),
        (Frequency.SECONDS, 30, 3, "1 min 30 s"),
        (Frequency.HOURS, 1, 48, "2 d"),
        (Frequency.HOURS, 1, 1, "1 h"),
        (Frequency.DAILY, 1, 72, "72 days"),
        (Frequency.QUARTERLY, 1, 4, "4 quarters"),
    ],
)
def test_the_horizon_of_a_limit_is_a_time(frequency, step, steps, text) -> None:
    settings = MonitorSettings(frequency, step)
    assert duration_of(settings, steps) == text


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (1.0, "100 %"),
        (0.123, "12 %"),
        (0.01, "1 %"),
        (0.00083, "1 in 1,200"),
        (1.1e-30, "< 1 in 1,000,000"),
        (0.0, "< 1 in 1,000,000"),
    ],
)
def test_a_chance_is_told_in_words(probability, text) -> None:
    assert chance_text(probability) == text


@pytest.mark.parametrize(
    ("frequency", "step", "timestamp"),
    [
        (Frequency.MINUTES, 5, "2026-11-25T10:45:00Z"),
        (Frequency.HOURS, 1, "2026-11-25T10:00:00Z"),
        (Frequency.DAILY, 1, "2026-11-25T00:00:00Z"),
        (Frequency.WEEKLY, 1, "2026-11-23T00:00:00Z"),
        (Frequency.MONTHLY, 1, "2026-11-01T00:00:00Z"),
        (Frequency.QUARTERLY, 1, "2026-10-01T00:00:00Z"),
        (Frequency.YEARLY, 1, "2026-01-01T00:00:00Z"),
    ],
)
def test_the_example_of_a_first_point_is_at_a_round_time(frequency, step, timestamp) -> None:
    settings = MonitorSettings(data_frequency=frequency, step=step)
    now = dt.datetime(2026, 11, 25, 10, 47, 3, tzinfo=dt.UTC)
    assert example_timestamp(settings, now) == timestamp
