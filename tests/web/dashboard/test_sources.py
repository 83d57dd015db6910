"""Sources and queries on the dashboard: added, tried, changed, muted and deleted by forms."""

import datetime as dt
import gzip
import html
import ipaddress
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from cryptography.fernet import Fernet
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.compute.errors import EngineBusyError
from app.compute.jobs import EXTENSION, InProcessEngine, Job, run_job
from app.core.database import db
from app.identity.accounts.audit import AuditEvent
from app.watching.monitors import clock
from app.watching.sources import trials
from app.watching.sources.models import SourceRow
from app.watching.sources.reading import get_query, get_source
from app.watching.sources.records import SourceOrder
from app.watching.sources.responses import SourceResponse
from app.watching.sources.secrets import decrypt
from tests.support.keys import ACTOR
from tests.support.members import Browser, sign_in, text_of
from tests.support.prometheus import FakePrometheus, Handler, error, fake_prometheus, respond
from tests.support.watching import notify_alertmanagers, put_query, put_source
from tests.watching.sources.asking import ORDER, poll_due

KEY = Fernet.generate_key().decode()
TOKEN = "s3cret-token"
NAME = "prod"
BAD_LABEL = '<script>alert(1)</script> "it\'s"\n{{7*7}}'
QUERY = {"name": "rate", "query": "rate(x[5m])", "step": "60", "max_series": "100"}


@pytest.fixture
def settings() -> dict[str, object]:
    allowed = (ipaddress.ip_network("127.0.0.0/8"),)
    return {"source_allowed_networks": allowed, "secrets_key": (KEY,)}


@pytest.fixture
def server(app: Flask) -> Iterator[FakePrometheus]:
    with fake_prometheus(lambda: clock.current_time().timestamp()) as fake, app.app_context():
        yield fake


@pytest.fixture
def prod(server: FakePrometheus) -> FakePrometheus:
    """The server, as the source ``prod``."""
    put_source(ACTOR, 1, NAME, SourceOrder(server.url, None, None, []))
    return server


def added(admin: Browser, server: FakePrometheus, **more: str):
    form = {"name": NAME, "url": server.url, "credentials": "none"}
    return admin.post("/account/new-source", form | more)


def query_added(admin: Browser, **more: str):
    return admin.post("/account/sources/prod/new-query", QUERY | more)


def test_without_a_source_there_is_one_sentence_and_a_button(
    admin: Browser, viewer: Browser
) -> None:
    page = admin.get("/account/sources")
    assert "A source is a server with Prometheus’ API" in text_of(page)
    assert 'href="/account/new-source"' in page.text
    seen = viewer.get("/account/sources")
    assert "Ask an admin of this account to add one" in text_of(seen)
    assert "new-source" not in seen.text


@pytest.mark.parametrize("settings", [{"sources_per_account": 0}])
def test_an_installation_without_sources_says_whom_to_ask(admin: Browser) -> None:
    page = admin.get("/account/sources")
    assert "raise SOURCES_PER_ACCOUNT" in text_of(page)
    assert "new-source" not in page.text


def test_a_source_that_is_added_is_tried_at_once(admin: Browser, server: FakePrometheus) -> None:
    done = added(admin, server)
    assert done.location == "/account/sources/prod/try?done=source-created"
    assert done.status_code == 307  # the browser sends the form on, with its token
    said = text_of(admin.post(done.location))
    assert "The source is saved." in said
    assert "It responds: version 2.42.0; its clock agrees with ours." in said
    assert server.url in text_of(admin.get("/account/sources"))


def test_a_source_that_cannot_be_read_says_why(admin: Browser, prod: FakePrometheus) -> None:
    prod.behave = error(422, "bad_data", BAD_LABEL)
    page = admin.post("/account/sources/prod/try")
    assert page.status_code == 200
    assert "It cannot be read: bad_data: &lt;script&gt;" in page.text
    assert "<script>alert" not in page.text


def test_an_alertmanager_that_accepts_no_alerts_is_shown_with_its_reason(
    admin: Browser, server: FakePrometheus
) -> None:
    put_source(ACTOR, 1, NAME, SourceOrder(server.url, None, None, ["http://127.0.0.1:1"]))
    assert "accepts no alerts" not in text_of(admin.get("/account/sources/prod"))
    notify_alertmanagers()
    for path in ("", "/prod"):
        shown = text_of(admin.get(f"/account/sources{path}"))
        assert "accepts no alerts since" in shown
        assert "annot connect to the host" in shown


def test_no_page_that_is_only_read_sends_traffic(admin: Browser, prod: FakePrometheus) -> None:
    assert admin.get("/account/sources/prod/try").status_code == 405
    for path in ("", "/prod", "/prod/change", "/prod/new-query?do=try&query=up"):
        assert admin.get(f"/account/sources{path}").status_code == 200
    assert prod.requests == []


@pytest.mark.parametrize("path", ["prod/try", "prod/new-query"])
def test_nothing_is_tried_for_another_site_or_without_the_token(
    admin: Browser, prod: FakePrometheus, path: str
) -> None:
    form = QUERY | {"do": "try"}
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert admin.post(f"/account/sources/{path}", form, headers=elsewhere).status_code == 403
    assert admin.client.post(f"/account/sources/{path}", data=form).status_code == 403
    assert prod.requests == []


def test_what_a_source_returns_is_parsed_by_an_engine_process(
    app: Flask, admin: Browser, prod: FakePrometheus
) -> None:
    asked: list[str] = []

    def run(job: Job, received: SourceResponse, *arguments: Any) -> Any:
        asked.append(job.function)
        if bomb is not None:
            received = received._replace(body=bomb, is_gzip=True)
        return run_job(job, received, *arguments)

    bomb = None
    app.extensions[EXTENSION] = InProcessEngine(run)
    prod.has(lambda _at: 1.0, service="checkout")
    assert "1 series" in text_of(query_added(admin, do="try"))
    bomb = gzip.compress(b"{}," * 20_000_000)
    page = query_added(admin, do="try")
    assert "It cannot be read: returned more than 8 MiB" in text_of(page)
    assert asked == ["app.watching.sources.responses:preview_matrix"] * 2


def test_an_engine_that_is_busy_is_said_in_the_form_which_keeps_what_was_typed(
    app: Flask, admin: Browser, prod: FakePrometheus
) -> None:
    def refuse(_job: Job, *_arguments: Any) -> None:
        raise EngineBusyError(2.0)

    app.extensions[EXTENSION] = InProcessEngine(refuse)
    prod.has(lambda _at: 1.0)
    page = query_added(admin, do="try")
    assert "too many previews are waiting" in text_of(page)
    assert 'value="rate"' in page.text


def test_all_requests_of_a_trial_together_end_after_its_seconds(
    admin: Browser, prod: FakePrometheus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "TRIAL_SECONDS", 1.0)
    prod.has(lambda _at: 1.0)
    has_ended = threading.Event()

    def slowly(handler: Handler) -> None:
        has_ended.wait(0.4)
        path, _, form = prod.requests[-1]
        data = {"status": "success", "data": prod.data(path, form)}
        respond(handler, json.dumps(data).encode())

    prod.behave = slowly
    began = time.monotonic()
    page = query_added(admin, do="try")
    assert time.monotonic() - began < 5
    has_ended.set()
    assert "no complete response within 1 s" in text_of(page)


def test_credentials_are_stored_sent_and_never_shown(
    admin: Browser, server: FakePrometheus
) -> None:
    added(admin, server, credentials="bearer", token=TOKEN)
    with Session(db.engine) as session:
        row = session.scalars(select(SourceRow)).one()
    assert decrypt(row.credentials, [KEY]).secret == TOKEN
    admin.post("/account/sources/prod/try")
    assert server.requests[-1][1]["Authorization"] == f"Bearer {TOKEN}"
    wrong = added(admin, server, name="other", credentials="bearer", token=TOKEN, url="nowhere")
    assert wrong.status_code == 400
    pages = [wrong, *map(admin.get, ("/account/sources/prod", "/account/sources/prod/change"))]
    assert not [page for page in pages if TOKEN in page.text]
    with Session(db.engine) as session:
        trail = session.scalars(select(AuditEvent.detail)).all()
    assert not [detail for detail in trail if TOKEN in detail]


def test_a_source_keeps_its_credentials_unless_it_moves(
    admin: Browser, server: FakePrometheus
) -> None:
    added(admin, server, credentials="bearer", token=TOKEN)
    path, form = "/account/sources/prod/change", {"credentials": "kept", "tenant": "team-a"}
    assert 'value="kept" selected' in admin.get(path).text
    assert admin.post(path, form | {"url": f"{server.url}/prefix"}).status_code == 307
    assert get_source(1, NAME).authorization == "bearer"
    moved = admin.post(path, form | {"url": "http://127.0.0.1:1"})
    assert moved.status_code == 400
    assert "The stored credentials are for another server" in text_of(moved)
    assert get_source(1, NAME).url == f"{server.url}/prefix"
    assert admin.post(path, form | {"url": server.url, "credentials": "none"}).status_code == 307
    assert get_source(1, NAME).authorization is None


WRONG_SOURCES = {
    "name": {"name": "Prod!"},
    "url": {"url": "ftp://example.com"},
    "credentials": {"credentials": "cookie"},
    "token": {"credentials": "bearer"},
    "username": {"credentials": "basic", "username": "a:b", "password": TOKEN},
    "password": {"credentials": "basic", "username": "a", "password": "n\u0007l"},
    "alertmanagers": {"alertmanagers": "http://127.0.0.1:9093\nhttp://10.0.0.1"},
    "tenant": {"tenant": "x" * 151},
}


@pytest.mark.parametrize(("field", "more"), WRONG_SOURCES.items(), ids=WRONG_SOURCES.keys())
def test_what_is_wrong_with_a_source_is_beside_its_field_and_nothing_is_stored(
    admin: Browser, server: FakePrometheus, field: str, more: dict[str, str]
) -> None:
    page = added(admin, server, **more)
    assert page.status_code == 400
    assert f'id="{field}-error"' in page.text
    assert TOKEN not in page.text
    with Session(db.engine) as session:
        assert session.scalars(select(SourceRow)).all() == []


def test_a_new_source_or_query_never_replaces_one(admin: Browser, prod: FakePrometheus) -> None:
    query_added(admin)
    for again in (added(admin, prod, url="http://127.0.0.1:1"), query_added(admin, query="up")):
        assert again.status_code == 400
        assert 'id="name-error"' in again.text
    assert get_source(1, NAME).url == prod.url
    assert get_query(1, NAME, "rate").settings.query == "rate(x[5m])"


def test_a_query_is_tried_with_a_picture_of_the_last_day_and_nothing_is_stored(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.has(lambda at: at % 3600 / 36, service="checkout")
    gap_ends = clock.current_time().timestamp() - 3600
    prod.has(lambda at: None if at < gap_ends and at % 7200 < 3600 else 5, service=BAD_LABEL)
    page = query_added(admin, do="try")
    assert page.status_code == 200
    assert "2 series , each a monitor" in text_of(page)
    assert re.search(r"service=checkout \d\S* to 9\d", text_of(page))
    assert page.text.count('<path d="M') == 2
    assert "service=&lt;script&gt;alert(1)" in page.text
    assert "<script>alert" not in page.text
    assert 'value="rate"' in page.text
    assert get_source(1, NAME).queries == {}
    start, end = prod.ranges()[-1]
    assert end - start == pytest.approx(86_400, abs=600)


def test_a_query_with_10_000_series_says_so_and_reads_none(
    admin: Browser, prod: FakePrometheus
) -> None:
    for number in range(10_000):
        prod.has(lambda _at: 1.0, pod=f"p-{number}")
    page = query_added(admin, do="try")
    assert "10,000 series: more than the 100 allowed" in text_of(page)
    assert prod.ranges() == []
    assert len(page.data) < 20_000


def test_a_query_that_the_server_refuses_says_why(admin: Browser, prod: FakePrometheus) -> None:
    prod.behave = error(400, "bad_data", "parse error: unexpected end of input")
    assert "bad_data: parse error: unexpected end of input" in text_of(query_added(admin, do="try"))


def test_no_more_than_some_trials_take_threads_from_others(
    admin: Browser, prod: FakePrometheus, monkeypatch: pytest.MonkeyPatch
) -> None:
    for others in ({1}, {2, 3}):  # the account's own, and as many as there may be
        monkeypatch.setattr(trials, "_trying", others)
        assert "others are being tried" in text_of(query_added(admin, do="try"))
    monkeypatch.setattr(trials, "_trying", {2})
    prod.has(lambda _at: 1.0)
    assert "1 series" in text_of(query_added(admin, do="try"))


def test_a_query_is_added_watched_and_shown_in_words(admin: Browser, prod: FakePrometheus) -> None:
    prod.has(lambda at: float(at % 600), service=BAD_LABEL)
    done = query_added(admin, alert_severity="60", alert_min_deviation="2.5", history="30")
    assert done.location == "/account/sources/prod/queries/rate?done=query-created"
    assert "If it waits longer, no worker runs." in text_of(admin.get(done.location))
    poll_due()
    page = admin.get(done.location)
    said = text_of(page)
    for part in ("Live", "Read to", "1 monitor", "severity 60 or more, 2.5 or more from expected"):
        assert part in said
    listed = admin.get("/account/sources")
    assert "Live" in text_of(listed)
    assert "<script>alert" not in page.text + listed.text


def test_a_query_that_fails_or_is_refused_says_why_in_the_list(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.has(lambda _at: 1.0, pod="a")
    prod.has(lambda _at: 1.0, pod="b")
    query_added(admin, max_series="1")
    poll_due()
    said = text_of(admin.get("/account/sources"))
    assert "Nothing is watched: the query returns 2 series, more than the 1" in said
    query_added(admin, name="down")
    prod.behave = error(503, "unavailable", "starting up")
    poll_due()
    assert "unavailable: starting up" in text_of(admin.get("/account/sources"))


def test_a_query_without_a_series_is_not_shown_as_healthy(
    admin: Browser, prod: FakePrometheus
) -> None:
    query_added(admin)
    poll_due()
    for path in ("/account/sources", "/account/sources/prod", "/account/sources/prod/queries/rate"):
        page = admin.get(path)
        assert "Live, but returns no series" in text_of(page)
        assert 'class="state live"' not in page.text
    said = text_of(page)
    assert "does the server scrape them?" in said
    assert "them?." not in said


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


@pytest.mark.parametrize(("field", "value"), WRONG_QUERIES.items())
def test_what_is_wrong_with_a_query_is_beside_its_field(
    admin: Browser, prod: FakePrometheus, field: str, value: str
) -> None:
    page = query_added(admin, **{field: value})
    assert page.status_code == 400
    assert f'id="{field}-error"' in page.text
    assert get_source(1, NAME).queries == {}


def test_a_changed_query_stays_muted_and_what_it_has_learned_cannot_change(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.has(lambda at: float(at % 600))
    query_added(admin, history="30")
    poll_due()
    path = "/account/sources/prod/queries/rate"
    assert admin.post(f"{path}/mute", {"mute": "24h"}).status_code == 303
    muted = get_query(1, NAME, "rate").settings.muted_until
    assert muted is not None
    assert dt.timedelta(hours=23) < muted - clock.current_time() < dt.timedelta(hours=25)
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
    query_added(admin)
    page = admin.post("/account/sources/prod/queries/rate/mute", form)
    assert page.status_code == 400
    assert f'id="{field}-error"' in page.text


def test_what_is_deleted_is_counted_first(admin: Browser, prod: FakePrometheus) -> None:
    prod.has(lambda at: float(at % 600))
    query_added(admin, history="30")
    poll_due()
    assert "1 query and 1 monitor" in text_of(admin.get("/account/sources/prod/delete"))
    path = "/account/sources/prod/queries/rate/delete"
    assert "1 monitor" in text_of(admin.get(path))
    done = admin.post(path)
    assert "The query is deleted" in text_of(admin.get(done.location))
    done = admin.post("/account/sources/prod/delete")
    assert "The source is deleted" in text_of(admin.get(done.location))
    assert admin.get("/account/sources/prod").status_code == 404


def test_the_audit_trail_names_the_member(admin: Browser, server: FakePrometheus) -> None:
    added(admin, server)
    query_added(admin)
    admin.post("/account/sources/prod/queries/rate/mute", {"mute": "1h"})
    said = text_of(admin.get("/account/audit"))
    for part in ("Source created", "Query created", "prod/rate: muted_until", "ada@example.com"):
        assert part in said


def test_a_viewer_sees_and_changes_nothing(viewer: Browser, prod: FakePrometheus) -> None:
    put_query(ACTOR, 1, NAME, "rate", ORDER)
    for path in ("", "/prod", "/prod/queries/rate"):
        page = viewer.get(f"/account/sources{path}")
        assert page.status_code == 200
        assert "<form" not in page.text.split("<main")[1].split("</nav>")[1].split("</form>", 1)[1]
    assert viewer.post("/account/sources/prod/try").status_code == 403
    for path in ("/prod/change", "/prod/delete", "/prod/new-query"):
        assert viewer.get(f"/account/sources{path}").status_code == 403


def test_another_account_sees_none_of_it(app: Flask, prod: FakePrometheus) -> None:
    from tests.support.keys import make_account

    make_account(app, "acme", None)
    eve = sign_in(app, "eve@example.com", account="acme")
    put_query(ACTOR, 1, NAME, "rate", ORDER)
    assert NAME not in text_of(eve.get("/account/sources")).split("Sources")[-1]
    assert eve.post("/account/sources/prod/try").status_code == 404
    for path in ("", "/change", "/delete", "/new-query", "/queries/rate"):
        assert eve.get(f"/account/sources/prod{path}").status_code == 404
    assert json.dumps(prod.requests) == "[]"


def spiky(hours: int, size: float) -> Callable[[int], float]:
    """A spike some hours ago, of hourly data that is calm else."""

    def value(at: int) -> float:
        begun = int((clock.current_time().timestamp() - hours * 3_600) // 3_600)
        return 100 + (at // 3_600 * 7919 % 1000) / 500 + (size if at // 3_600 == begun else 0)

    return value


def replayed(admin: Browser, path: str = "/account/sources/prod/new-query", **more: str):
    form = QUERY | {"step": "3600", "history": "310", "do": "replay"} | more
    return admin.post(path, form)


def test_a_query_is_replayed_before_it_is_saved(admin: Browser, prod: FakePrometheus) -> None:
    prod.has(spiky(0, 0), service="calm")
    prod.has(spiky(20, 80), service="shop")
    prod.has(spiky(50, 30), service="cart")
    page = replayed(admin)
    assert page.status_code == 200
    said = text_of(page)
    assert "Would have alerted 2 times in 3 days , in 3 series" in said
    assert said.index("service=shop") < said.index("service=calm")
    assert said.count("Spike") == 2
    assert page.text.count("<rect") == 2
    assert 'name="do" value="replay"' in page.text
    assert get_source(1, NAME).queries == {}


def test_thresholds_of_the_form_decide_what_a_replay_counts(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.has(spiky(20, 80), service="shop")
    prod.has(spiky(50, 30), service="cart")
    page = replayed(admin, alert_min_deviation="50")
    assert "Would have alerted once in 3 days" in text_of(page)
    events = json.loads(html.unescape(re.findall('data-events="([^"]*)"', page.text)[0]))
    assert sorted(round(deviation, -1) for _, deviation, _, _ in events) == [30, 80]
    assert all(severity > 50 for severity, _, _, _ in events)
    assert all(
        steps in (1, 2) and relative == pytest.approx(deviation / 100, rel=0.1)
        for _, deviation, relative, steps in events
    )


def test_a_replay_of_wrong_settings_shows_the_errors_of_its_fields(
    admin: Browser, prod: FakePrometheus
) -> None:
    page = replayed(admin, alert_severity="101")
    assert page.status_code == 400
    assert "Would have alerted" not in text_of(page)
    assert prod.requests == []


def test_a_replay_that_cannot_be_read_says_why(admin: Browser, prod: FakePrometheus) -> None:
    prod.behave = error(503, "unavailable", BAD_LABEL)
    page = replayed(admin)
    assert page.status_code == 200
    assert "It cannot be replayed: unavailable: &lt;script&gt;" in page.text
    assert "<script>alert" not in page.text


def test_a_query_that_is_changed_is_replayed_with_the_new_settings(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.has(spiky(20, 80))
    put_query(ACTOR, 1, NAME, "rate", replace(ORDER, query="rate(x[5m])", step=3_600))
    page = replayed(admin, "/account/sources/prod/queries/rate/change", alert_min_deviation="200")
    assert "Would have alerted never in 3 days" in text_of(page)
    assert get_query(1, NAME, "rate").settings.alert_min_deviation == 0


def test_only_an_admin_may_replay(viewer: Browser, prod: FakePrometheus) -> None:
    assert replayed(viewer).status_code == 403
    assert prod.requests == []


def test_labels_of_a_source_are_set_shown_and_removed_by_its_form(
    admin: Browser, server: FakePrometheus
) -> None:
    assert added(admin, server, labels="team=shop\r\n\r\n env = prod=1 ").status_code == 307
    assert get_source(1, NAME).labels == {"team": "shop", "env": "prod=1"}
    shown = text_of(admin.get("/account/sources/prod"))
    assert "Labels of alerts env=prod=1 team=shop" in shown
    page = admin.get("/account/sources/prod/change")
    assert ">\nenv=prod=1\nteam=shop</textarea>" in page.text
    form = {"url": server.url, "credentials": "none", "labels": ""}
    assert admin.post("/account/sources/prod/change", form).status_code == 307
    assert get_source(1, NAME).labels == {}


def test_labels_of_a_query_are_set_and_kept_by_its_form(
    admin: Browser, prod: FakePrometheus
) -> None:
    query_added(admin, labels="team=shop")
    assert get_query(1, NAME, "rate").settings.labels == {"team": "shop"}
    assert "team=shop" in text_of(admin.get("/account/sources/prod/queries/rate"))
    page = admin.get("/account/sources/prod/queries/rate/change")
    assert ">\nteam=shop</textarea>" in page.text


@pytest.mark.parametrize(
    ("typed", "issue"),
    [
        ("team", "Team: must be a string of 1 to 200 characters"),
        ("1=x", "Names are 1 to 40 of a-z"),
        ("alertname=x", "Names are 1 to 40 of a-z"),
        ("\n".join(f"n{number}=x" for number in range(11)), "Must be an object of at most 10"),
    ],
)
def test_labels_that_no_alert_can_have_are_refused_beside_their_field(
    admin: Browser, prod: FakePrometheus, typed: str, issue: str
) -> None:
    for path, form in (
        ("/account/sources/prod/new-query", QUERY),
        ("/account/new-source", {"name": "b", "url": prod.url, "credentials": "none"}),
    ):
        page = admin.post(path, form | {"labels": typed})
        assert page.status_code == 400
        (shown,) = re.findall('id="labels-error"[^>]*>([^<]*)<', page.text)
        assert shown.startswith(issue)
