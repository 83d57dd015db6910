"""Queries on the dashboard: added, changed and muted by forms."""

import datetime as dt
import re

import pytest

from app.core.database import base, utcnow
from app.watching.monitors.queries.monitor_queries import list_monitors
from app.watching.sources import query_registry
from app.watching.sources.source_reader import get_query, get_source
from app.web.dashboard.texts import format_time
from tests.support.fake_prometheus import FakePrometheus, error
from tests.support.keys import ACTOR
from tests.support.members import Browser, text_of
from tests.watching.sources.source_queries import calm_value, poll_due
from tests.web.dashboard.sources.source_pages import (
    BAD_LABEL,
    NAME,
    QUERY,
    SOURCE_SETTINGS,
    add_query,
    add_source,
)

WRONG_QUERIES = {
    "name": "Rate!",
    "query": " ",
    "step": "7",
    "max_series": "many",
    "alert_severity": "nan",
    "alert_min_deviation": "-1",
    "false_alarm_rate": "1e999",
    "direction": "sideways",
}


@pytest.fixture
def settings() -> dict[str, object]:
    return SOURCE_SETTINGS


def test_a_query_is_added_watched_and_shown_in_words(admin: Browser, prod: FakePrometheus) -> None:
    prod.add_series(lambda at: float(at % 600), service=BAD_LABEL)
    done = add_query(admin, alert_severity="60", alert_min_deviation="2.5", history="30")
    assert done.location == "/account/sources/prod/queries/rate?done=query-created"
    assert "If it waits longer, no worker runs." in text_of(admin.get(done.location))
    poll_due()
    page = admin.get(done.location)
    text = text_of(page)
    for part in ("Live", "Read to", "1 monitor", "severity 60 or more, 2.5 or more from expected"):
        assert part in text
    source_list = admin.get("/account/sources")
    assert "Live" in text_of(source_list)
    assert "<script>alert" not in page.text + source_list.text


def test_the_pages_of_a_query_show_its_open_alerts_and_when_it_was_polled(
    admin: Browser, prod: FakePrometheus, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = utcnow()
    prod.add_series(
        lambda at: 500.0 if at > began.timestamp() else calm_value(at), service=BAD_LABEL
    )
    add_query(admin, history="310")
    poll_due()
    path = "/account/sources/prod/queries/rate"
    assert "Open events None." in text_of(admin.get(path))
    later = began + dt.timedelta(minutes=3)
    monkeypatch.setattr(base, "now", lambda _zone: later)
    poll_due()
    page = admin.get(path)
    text = text_of(page)
    assert re.search(r"Open events rate: service=.* Spike alert since .* from expected, open", text)
    assert f"Last poll {format_time(later)}" in text
    assert "Last attempt" not in text
    assert "<script>alert" not in page.text
    (monitor,) = list_monitors(1)
    assert f'href="/account/monitors/{monitor.name}"' in page.text
    for path in ("/account/sources", "/account/sources/prod"):
        assert "Live 1 open alert" in text_of(admin.get(path))


def test_the_page_of_a_query_shows_its_limit(admin: Browser, prod: FakePrometheus) -> None:
    add_query(admin)
    path = "/account/sources/prod/queries/rate"
    assert "Limit none" in text_of(admin.get(path))
    admin.post(f"{path}/change", QUERY | {"lower": "10", "horizon": "500", "probability": "0.8"})
    assert "Limit below 10, 500 steps (8 h 20 min) ahead at 80 %" in text_of(admin.get(path))


def test_a_query_that_fails_or_is_rejected_says_why_in_the_list(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.add_series(lambda _at: 1.0, pod="a")
    prod.add_series(lambda _at: 1.0, pod="b")
    add_query(admin, max_series="1")
    poll_due()
    text = text_of(admin.get("/account/sources"))
    assert "Nothing is watched: the query returns 2 series, more than the 1" in text
    add_query(admin, name="down")
    prod.behave = error(503, "unavailable", "starting up")
    poll_due()
    assert "unavailable: starting up" in text_of(admin.get("/account/sources"))


def test_a_query_without_a_series_is_not_shown_as_healthy(
    admin: Browser, prod: FakePrometheus
) -> None:
    add_query(admin)
    poll_due()
    for path in ("/account/sources", "/account/sources/prod", "/account/sources/prod/queries/rate"):
        page = admin.get(path)
        assert "Live, but returns no series" in text_of(page)
        assert 'class="state live"' not in page.text
    text = text_of(page)
    assert "does the server scrape them?" in text
    assert "them?." not in text


@pytest.mark.parametrize(("points", "is_short"), [(100, True), (290, False), (400, False)])
def test_a_query_with_a_short_history_says_how_much_of_it_there_is(
    admin: Browser, prod: FakePrometheus, points: int, is_short: bool
) -> None:
    started = int(utcnow().timestamp()) // 60 * 60 - (points + 1) * 60
    prod.add_series(lambda at: calm_value(at) if at > started else None, service="shop")
    add_query(admin, history="310")
    poll_due()
    text = text_of(admin.get("/account/sources/prod/queries/rate"))
    assert bool(re.search(r"The server had (9\d|10\d) of the 310 points", text)) is is_short
    assert ("points of history" in text) is is_short


@pytest.mark.parametrize(("field", "value"), WRONG_QUERIES.items())
def test_errors_of_a_query_are_beside_their_field(
    admin: Browser, prod: FakePrometheus, field: str, value: str
) -> None:
    page = add_query(admin, **{field: value})
    assert page.status_code == 400
    assert f'id="{field}-error"' in page.text
    assert get_source(1, NAME).queries == {}


def test_a_changed_query_stays_muted_and_what_it_has_learned_cannot_change(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.add_series(lambda at: float(at % 600))
    add_query(admin, history="30")
    poll_due()
    path = "/account/sources/prod/queries/rate"
    assert admin.post(f"{path}/mute", {"mute": "24h"}).status_code == 303
    muted = get_query(1, NAME, "rate").settings.muted_until
    assert muted is not None
    assert dt.timedelta(hours=23) < muted - utcnow() < dt.timedelta(hours=25)
    assert "Muted until" in text_of(admin.get(path))
    assert admin.post(f"{path}/change", QUERY | {"alert_severity": "70"}).status_code == 303
    settings = get_query(1, NAME, "rate").settings
    assert (settings.alert_severity, settings.muted_until) == (70, muted)
    fixed = admin.post(f"{path}/change", QUERY | {"step": "300"})
    assert fixed.status_code == 400
    assert 'id="step-error"' in fixed.text
    admin.post(f"{path}/mute", {"mute": "now"})
    assert get_query(1, NAME, "rate").settings.muted_until is None


@pytest.mark.parametrize(
    ("path", "form", "changes"),
    [
        ("mute", {"mute": "24h"}, {"alert_severity": 90.0}),
        ("change", QUERY, {"muted_until": dt.datetime(2099, 1, 1, tzinfo=dt.UTC)}),
    ],
)
def test_a_form_keeps_what_another_member_changes_meanwhile(
    admin: Browser,
    prod: FakePrometheus,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    form: dict[str, str],
    changes: dict[str, object],
) -> None:
    add_query(admin)
    write = query_registry.change_query

    def change_and_write(*arguments) -> None:
        write(ACTOR, 1, NAME, "rate", changes)
        write(*arguments)

    monkeypatch.setattr(query_registry, "change_query", change_and_write)
    done = admin.post(f"/account/sources/prod/queries/rate/{path}", form)
    assert done.status_code == 303
    settings = get_query(1, NAME, "rate").settings
    assert {name: getattr(settings, name) for name in changes} == changes


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"mute": "forever"}, "mute"),
        ({"mute": "date"}, "mute_date"),
        ({"mute": "date", "mute_date": "2020-01-31"}, "mute_date"),
    ],
)
def test_a_mute_that_is_wrong_says_so(
    admin: Browser, prod: FakePrometheus, form: dict[str, str], field: str
) -> None:
    add_query(admin)
    page = admin.post("/account/sources/prod/queries/rate/mute", form)
    assert page.status_code == 400
    assert f'id="{field}-error"' in page.text


def test_labels_of_a_query_are_set_and_kept_by_its_form(
    admin: Browser, prod: FakePrometheus
) -> None:
    add_query(admin, labels="team=shop")
    assert get_query(1, NAME, "rate").settings.labels == {"team": "shop"}
    assert "team=shop" in text_of(admin.get("/account/sources/prod/queries/rate"))
    page = admin.get("/account/sources/prod/queries/rate/change")
    assert ">\nteam=shop</textarea>" in page.text


def chosen_webhook(admin: Browser, path: str) -> str:
    page = admin.get(f"/account/{path}").text
    options = re.search(r'<select id="webhook".*?</select>', page, re.DOTALL)
    assert options
    return (re.findall(r'value="([^"]*)" selected', options[0]) or [""])[0]


def test_the_only_webhook_is_chosen_where_something_new_is_made(
    admin: Browser, prod: FakePrometheus
) -> None:
    form = {"format": "text", "url": "https://hooks.example.com/T0"}
    for name, chosen in (("", ""), ("ops", "ops"), ("sales", "")):
        if name:
            admin.post("/account/webhooks", form | {"name": name})
        for path in ("new-monitor", "sources/prod/new-query"):
            assert chosen_webhook(admin, path) == chosen


def test_a_webhook_used_by_a_query_is_not_deleted_and_the_error_names_the_query(
    admin: Browser, prod: FakePrometheus
) -> None:
    form = {"name": "ops", "format": "text", "url": "https://hooks.example.com/T0"}
    admin.post("/account/webhooks", form)
    add_query(admin, webhook="ops")
    rejected = admin.post("/account/webhooks/ops/delete")
    assert rejected.status_code == 409
    remedy = "give the queries, and the monitors without a query, another webhook or none first."
    assert f"ops gets the alerts of prod/rate: {remedy}" in text_of(rejected)


def test_no_webhook_is_chosen_beside_an_alertmanager(admin: Browser, prod: FakePrometheus) -> None:
    form = {"name": "ops", "format": "text", "url": "https://hooks.example.com/T0"}
    admin.post("/account/webhooks", form)
    add_source(admin, prod, name="paged", alertmanagers="https://alerts.example.com")
    assert chosen_webhook(admin, "sources/paged/new-query") == ""
