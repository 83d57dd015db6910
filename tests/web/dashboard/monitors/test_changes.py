"""The forms for monitors: create, mute, delete, search; monitors of queries are read-only."""

import datetime as dt
from dataclasses import replace

import pytest
from flask import Flask

from app.anomalies.results import Direction
from app.core.database import utcnow
from app.timeseries.calendar.frequency import Frequency
from app.watching.feeds import Feed
from app.watching.monitors import monitor_registry
from app.watching.monitors.queries import monitor_queries
from app.watching.monitors.settings.errors import NoSuchMonitorError
from app.watching.monitors.settings.limits import Limit
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.sources import source_reader
from tests.support.keys import ACTOR, bearer
from tests.support.members import Browser, text_of
from tests.support.watching import create_fed_monitor, put_monitor

FORM = {"name": "cpu", "data_frequency": "Minutes", "step": "5", "alert_severity": "60"}
MARKUP = '<script>alert(1)</script> "it\'s"'
WRONG = {
    "name": "Cpu!",
    "data_frequency": "Fortnights",
    "step": "0",
    "alert_severity": "101",
    "alert_min_deviation": "-1",
    "false_alarm_rate": "x",
    "direction": "sideways",
}
LIMIT = {"upper": "95", "lower": "", "horizon": "48", "probability": "0.9"}
CHANGES = {
    "alert_severity": "70",
    "alert_min_deviation": "2.5",
    "direction": "up",
    "webhook": "ops",
    "false_alarm_rate": "0.01",
}


def get(name: str = "cpu"):
    return monitor_queries.get_monitor(1, name)


@pytest.fixture(autouse=True)
def context(app: Flask):
    with app.app_context():
        yield


@pytest.fixture
def fed_monitor(monkeypatch: pytest.MonkeyPatch) -> str:
    """A monitor that a query feeds, with untrusted labels."""
    settings = MonitorSettings(Frequency.MINUTES, 5, 0.001, Direction.BOTH)
    create_fed_monitor(
        1, "rate.shop", settings,
        fed_by="rate",
        history=None,
        learn=bytes,
        webhook_id=None,
        record_series=lambda *_: None,
    )  # fmt: skip
    feed = {"rate.shop": Feed("prod", "rate", {"service": "shop", "path": MARKUP})}
    monkeypatch.setattr(
        source_reader,
        "find_feeds",
        lambda _id, name=None: feed if name in (None, "rate.shop") else {},
    )
    return "rate.shop"


def test_a_monitor_is_created_and_its_page_says_how_to_append(admin: Browser) -> None:
    done = admin.post("/account/new-monitor", FORM)
    assert done.location == "/account/monitors/cpu?done=monitor-created"
    settings = get().settings
    assert (settings.data_frequency, settings.step, settings.alert_severity) == ("Minutes", 5, 60)
    text = text_of(admin.get(done.location))
    assert "Monitor created" in text
    assert "curl -X POST http://localhost/monitors/cpu/points" in text


@pytest.mark.parametrize(("field", "value"), WRONG.items())
def test_errors_of_a_new_monitor_are_beside_their_field(
    admin: Browser, field: str, value: str
) -> None:
    page = admin.post("/account/new-monitor", FORM | {field: value})
    assert page.status_code == 400
    assert f'id="{field}-error"' in page.text
    assert monitor_queries.list_states(1) == {}


def test_a_limit_is_set_changed_and_removed_by_the_form(admin: Browser) -> None:
    admin.post("/account/new-monitor", FORM | LIMIT)
    assert get().settings.limit == Limit(upper=95, lower=None, horizon=48, probability=0.9)
    page = admin.get("/account/monitors/cpu").text
    assert 'name="upper" type="number" value="95"' in page
    assert 'name="probability" type="number" value="0.9"' in page
    admin.post("/account/monitors/cpu/mute", {"mute": "1h"})
    assert get().settings.limit is not None
    admin.post("/account/monitors/cpu/settings", CHANGES | {"webhook": ""} | LIMIT | {"upper": ""})
    assert get().settings.limit is None
    assert 'name="horizon" type="number" value="72"' in admin.get("/account/monitors/cpu").text


@pytest.mark.parametrize(
    ("field", "value"), {"upper": "x", "lower": "95", "horizon": "1001", "probability": "1"}.items()
)
def test_errors_of_a_limit_are_beside_their_field(admin: Browser, field: str, value: str) -> None:
    page = admin.post("/account/new-monitor", FORM | LIMIT | {field: value})
    assert page.status_code == 400
    assert f'id="{field}-error"' in page.text


def test_a_new_monitor_never_replaces_one(admin: Browser, monkeypatch) -> None:
    admin.post("/account/new-monitor", FORM)
    monkeypatch.setattr(monitor_registry, "learn_detector", None)  # the name is looked up before
    second = admin.post("/account/new-monitor", FORM | {"step": "1"})
    assert second.status_code == 400
    assert 'id="name-error"' in second.text
    assert get().settings.step == 5


def test_a_name_that_is_taken_meanwhile_is_an_error_of_the_form(admin: Browser, monkeypatch):
    learn = monitor_registry.learn_detector

    def put_another(settings, *arguments) -> bytes | None:
        monkeypatch.setattr(monitor_registry, "learn_detector", learn)
        put_monitor(1, "cpu", replace(settings, data_frequency=Frequency.HOURS), None, bytes)
        return learn(settings, *arguments)

    monkeypatch.setattr(monitor_registry, "learn_detector", put_another)
    page = admin.post("/account/new-monitor", FORM)
    assert page.status_code == 400
    assert 'id="name-error"' in page.text
    assert get().settings.data_frequency == Frequency.HOURS


def test_a_mute_changes_nothing_else(admin: Browser, client, key) -> None:
    client.put("/webhooks/ops", json={"url": "https://a.example/ops"}, headers=bearer(key))
    body = {"data_frequency": "Hours", "alert_severity": 70, "webhook": "ops"}
    client.put("/monitors/cpu", json=body, headers=bearer(key))
    before = get()
    assert admin.post("/account/monitors/cpu/mute", {"mute": "1h"}).status_code == 303
    muted = get()
    assert muted.settings.muted_until - utcnow() <= dt.timedelta(hours=1)
    assert muted.settings.webhook == "ops"
    assert muted.settings.alert_severity == 70
    assert "Muted until" in text_of(admin.get("/account/monitors/cpu"))
    admin.post("/account/monitors/cpu/mute", {"mute": "now"})
    assert get() == before


def test_a_change_of_settings_keeps_the_grid_the_points_and_the_mute(
    admin: Browser, client, key
) -> None:
    client.put("/webhooks/ops", json={"url": "https://a.example/ops"}, headers=bearer(key))
    body = {"data_frequency": "Hours", "step": 2, "muted_until": "2099-01-01T00:00:00Z"}
    client.put("/monitors/cpu", json=body, headers=bearer(key))
    points = {"timestamps": ["2026-11-22T00:00:00Z"], "values": [1.0]}
    client.post("/monitors/cpu/points", json=points, headers=bearer(key))
    before = get()
    done = admin.post("/account/monitors/cpu/settings", CHANGES)
    assert done.location == "/account/monitors/cpu?done=monitor-changed"
    page = admin.get(done.location)
    assert "Settings saved." in text_of(page)
    assert 'name="alert_severity" type="number" value="70"' in page.text
    changed = get()
    assert (changed.settings.webhook, changed.points) == ("ops", 1)
    assert changed.settings == replace(
        before.settings,
        webhook="ops",
        alert_severity=70,
        alert_min_deviation=2.5,
        direction=Direction.UP,
        false_alarm_rate=0.01,
    )


@pytest.fixture
def change_meanwhile(monkeypatch: pytest.MonkeyPatch):
    """Let another writer change the monitor just before the next form."""
    write = monitor_registry.change_monitor

    def change(**changes) -> None:
        def change_and_write(*arguments) -> None:
            write(ACTOR, 1, "cpu", changes)
            write(*arguments)

        monkeypatch.setattr(monitor_registry, "change_monitor", change_and_write)

    return change


def test_a_mute_keeps_what_another_member_changes_meanwhile(
    admin: Browser, client, key, change_meanwhile
) -> None:
    client.put("/webhooks/ops", json={"url": "https://a.example/ops"}, headers=bearer(key))
    admin.post("/account/new-monitor", FORM)
    change_meanwhile(alert_severity=90.0, webhook="ops", limit=Limit(upper=95))
    assert admin.post("/account/monitors/cpu/mute", {"mute": "1h"}).status_code == 303
    settings = get().settings
    assert (settings.alert_severity, settings.webhook, settings.limit) == (90, "ops", Limit(95))
    assert settings.muted_until is not None


def test_the_form_of_settings_keeps_a_mute_and_a_step_set_meanwhile(
    admin: Browser, change_meanwhile
) -> None:
    admin.post("/account/new-monitor", FORM)
    until = utcnow().replace(microsecond=0) + dt.timedelta(hours=1)
    change_meanwhile(muted_until=until, step=10)
    done = admin.post("/account/monitors/cpu/settings", CHANGES | {"webhook": ""})
    assert done.status_code == 303
    settings = get().settings
    assert (settings.muted_until, settings.step, settings.alert_severity) == (until, 10, 70)


@pytest.mark.parametrize(
    ("field", "value"),
    {
        "alert_severity": "101",
        "false_alarm_rate": "x",
        "direction": "sideways",
        "webhook": "gone",
    }.items(),
)
def test_wrong_settings_are_reported_beside_their_field_and_change_nothing(
    admin: Browser, field: str, value: str
) -> None:
    admin.post("/account/new-monitor", FORM)
    before = get()
    sent = CHANGES | {"webhook": "", field: value}
    page = admin.post("/account/monitors/cpu/settings", sent)
    assert page.status_code == 400
    assert f'id="{field}-error"' in page.text
    assert get() == before


def test_a_mute_that_is_wrong_says_so_on_the_page(admin: Browser) -> None:
    admin.post("/account/new-monitor", FORM)
    page = admin.post("/account/monitors/cpu/mute", {"mute": "date", "mute_date": "2020-01-01"})
    assert page.status_code == 400
    assert 'id="mute_date-error"' in page.text


def test_a_monitor_is_deleted_after_saying_what_is_lost(admin: Browser) -> None:
    admin.post("/account/new-monitor", FORM)
    assert "0 points" in text_of(admin.get("/account/monitors/cpu/delete"))
    done = admin.post("/account/monitors/cpu/delete")
    assert "Monitor deleted." in text_of(admin.get(done.location))
    with pytest.raises(NoSuchMonitorError):
        get()


def test_a_monitor_of_a_query_is_changed_with_the_query(admin: Browser, fed_monitor: str) -> None:
    page = admin.get(f"/account/monitors/{fed_monitor}")
    assert "open the query rate" in text_of(page)
    assert "/mute" not in page.text
    for path in ("mute", "settings", "delete"):
        rejected = admin.post(f"/account/monitors/{fed_monitor}/{path}", {"mute": "1h"})
        assert rejected.status_code == 409
        assert "The monitor is fed by the query &#39;rate&#39;" in text_of(rejected)


def test_a_series_is_shown_by_its_labels_and_found_by_them(
    admin: Browser, fed_monitor: str
) -> None:
    admin.post("/account/new-monitor", FORM)
    monitor_list = admin.get("/account/monitors")
    assert "rate: service=shop, path=&lt;script&gt;" in monitor_list.text
    page = admin.get(f"/account/monitors/{fed_monitor}")
    assert "service=shop" in text_of(page)
    assert "<script>alert" not in monitor_list.text + page.text
    for text, names in {"SERVICE=sh": [fed_monitor], "cpu": ["cpu"], MARKUP: [fed_monitor]}.items():
        response = admin.get("/account/monitors", query_string={"find": text}).text
        assert [
            name for name in ("cpu", fed_monitor) if f'data-monitor="{name}"' in response
        ] == names
    nothing = admin.get("/account/monitors?find=nowhere&state=learning")
    assert "No monitor is learning and has this name or label" in text_of(nothing)


def test_an_overdue_monitor_still_says_that_it_is_anomalous(
    admin: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.post("/account/new-monitor", FORM)
    states = {"cpu": ("overdue", "anomalous")}
    monkeypatch.setattr(monitor_queries, "list_states", lambda _id: states)
    assert "1 anomalous 1 overdue" in text_of(admin.get("/account/monitors"))
    for state in ("anomalous", "overdue"):
        assert 'data-monitor="cpu"' in admin.get(f"/account/monitors?state={state}").text
