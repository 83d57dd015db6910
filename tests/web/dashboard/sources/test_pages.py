"""Sources on the dashboard: added, changed and deleted by forms."""

import re
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.audit import AuditEvent
from app.watching.models.sources import SourceRow
from app.watching.monitors.storage import monitor_webhooks
from app.watching.sources import query_registry, source_registry
from app.watching.sources.credentials_cipher import decrypt
from app.watching.sources.source_reader import get_query, get_source, list_sources
from app.watching.sources.source_records import SourceSettings
from tests.support.fake_prometheus import FakePrometheus, error
from tests.support.keys import ACTOR
from tests.support.members import Browser, text_of
from tests.support.watching import notify_alertmanagers, put_source
from tests.watching.sources.source_queries import poll_due
from tests.web.dashboard.sources.source_pages import (
    BAD_LABEL,
    KEY,
    NAME,
    QUERY,
    SOURCE_SETTINGS,
    TOKEN,
    add_query,
    add_source,
)

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


@pytest.fixture
def settings() -> dict[str, object]:
    return SOURCE_SETTINGS


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


def test_a_source_that_is_added_is_tried_immediately(
    admin: Browser, prometheus: FakePrometheus
) -> None:
    done = add_source(admin, prometheus)
    assert done.location == "/account/sources/prod/try?done=source-created"
    assert done.status_code == 307  # the browser sends the form on, with its token
    text = text_of(admin.post(done.location))
    assert "Source saved." in text
    assert "It responds: version 2.42.0; its clock agrees with ours." in text
    assert prometheus.url in text_of(admin.get("/account/sources"))


def test_a_source_that_cannot_be_read_says_why(admin: Browser, prod: FakePrometheus) -> None:
    prod.behave = error(422, "bad_data", BAD_LABEL)
    page = admin.post("/account/sources/prod/try")
    assert page.status_code == 200
    assert "It cannot be read: bad_data: &lt;script&gt;" in page.text
    assert "<script>alert" not in page.text


def test_an_alertmanager_that_accepts_no_alerts_is_shown_with_its_reason(
    admin: Browser, prometheus: FakePrometheus
) -> None:
    put_source(ACTOR, 1, NAME, SourceSettings(prometheus.url, None, None, ["http://127.0.0.1:1"]))
    assert "accepts no alerts" not in text_of(admin.get("/account/sources/prod"))
    notify_alertmanagers()
    for path in ("", "/prod"):
        text = text_of(admin.get(f"/account/sources{path}"))
        assert "accepts no alerts since" in text
        assert "annot connect to the host" in text


def test_no_page_that_is_only_read_sends_traffic(admin: Browser, prod: FakePrometheus) -> None:
    assert admin.get("/account/sources/prod/try").status_code == 405
    for path in ("", "/prod", "/prod/change", "/prod/new-query?do=preview&query=up"):
        assert admin.get(f"/account/sources{path}").status_code == 200
    assert prod.requests == []


def test_credentials_are_stored_sent_and_never_shown(
    admin: Browser, prometheus: FakePrometheus
) -> None:
    add_source(admin, prometheus, credentials="bearer", token=TOKEN)
    with Session(db.engine) as session:
        row = session.scalars(select(SourceRow)).one()
    assert decrypt(row.credentials, [KEY]).secret == TOKEN
    admin.post("/account/sources/prod/try")
    assert prometheus.requests[-1][1]["Authorization"] == f"Bearer {TOKEN}"
    wrong = add_source(
        admin, prometheus, name="other", credentials="bearer", token=TOKEN, url="nowhere"
    )
    assert wrong.status_code == 400
    pages = [wrong, *map(admin.get, ("/account/sources/prod", "/account/sources/prod/change"))]
    assert not [page for page in pages if TOKEN in page.text]
    with Session(db.engine) as session:
        trail = session.scalars(select(AuditEvent.detail)).all()
    assert not [detail for detail in trail if TOKEN in detail]


def test_a_source_keeps_its_credentials_unless_it_moves(
    admin: Browser, prometheus: FakePrometheus
) -> None:
    add_source(admin, prometheus, credentials="bearer", token=TOKEN)
    path, form = "/account/sources/prod/change", {"credentials": "kept", "tenant": "team-a"}
    assert 'value="kept" selected' in admin.get(path).text
    assert admin.post(path, form | {"url": f"{prometheus.url}/prefix"}).status_code == 307
    assert get_source(1, NAME).authorization == "bearer"
    moved = admin.post(path, form | {"url": "http://127.0.0.1:1"})
    assert moved.status_code == 400
    assert "The stored credentials are for another server" in text_of(moved)
    assert get_source(1, NAME).url == f"{prometheus.url}/prefix"
    assert (
        admin.post(path, form | {"url": prometheus.url, "credentials": "none"}).status_code == 307
    )
    assert get_source(1, NAME).authorization is None


@pytest.mark.parametrize(("field", "more"), WRONG_SOURCES.items(), ids=WRONG_SOURCES.keys())
def test_errors_of_a_source_are_beside_their_field_and_nothing_is_stored(
    admin: Browser, prometheus: FakePrometheus, field: str, more: dict[str, str]
) -> None:
    page = add_source(admin, prometheus, **more)
    assert page.status_code == 400
    assert f'id="{field}-error"' in page.text
    assert TOKEN not in page.text
    with Session(db.engine) as session:
        assert session.scalars(select(SourceRow)).all() == []


def test_a_new_source_or_query_never_replaces_one(admin: Browser, prod: FakePrometheus) -> None:
    add_query(admin)
    prod.requests.clear()
    for second in (add_source(admin, prod, url="http://127.0.0.1:1"), add_query(admin, query="up")):
        assert second.status_code == 400
        assert 'id="name-error"' in second.text
    assert get_source(1, NAME).url == prod.url
    assert get_query(1, NAME, "rate").settings.query == "rate(x[5m])"
    assert "The source has a query of this name" in text_of(second)
    assert prod.requests == []


def test_a_source_that_is_deleted_while_its_form_is_saved_stays_deleted(
    admin: Browser, prod: FakePrometheus, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_one = source_registry.put_source

    def delete_and_put(*arguments: Any, **options: Any) -> Any:
        source_registry.delete_source(ACTOR, 1, NAME)
        return put_one(*arguments, **options)

    monkeypatch.setattr(source_registry, "put_source", delete_and_put)
    form = {"url": prod.url, "credentials": "none"}
    assert admin.post("/account/sources/prod/change", form).status_code == 404
    assert list_sources(1) == []


@pytest.mark.parametrize(
    ("registry", "put", "page"),
    [
        (source_registry, "put_source", "new-source"),
        (query_registry, "put_query", "sources/prod/new-query"),
        (monitor_webhooks, "put_mirrored_webhook", "webhooks"),
    ],
)
@pytest.mark.usefixtures("prod")
def test_a_name_that_is_taken_meanwhile_is_an_error_of_the_form(
    admin: Browser, monkeypatch: pytest.MonkeyPatch, registry: Any, put: str, page: str
) -> None:
    put_one = getattr(registry, put)

    def put_two(*arguments: Any, **options: Any) -> Any:
        put_one(*arguments)
        return put_one(*arguments, **options)

    monkeypatch.setattr(registry, put, put_two)
    url = {"url": "https://new.example.com", "credentials": "none", "format": "text"}
    rejected = admin.post(f"/account/{page}", QUERY | url | {"name": "new"})
    assert rejected.status_code == 400
    assert 'id="name-error"' in rejected.text


def test_a_deletion_first_counts_queries_and_monitors(admin: Browser, prod: FakePrometheus) -> None:
    prod.add_series(lambda at: float(at % 600))
    add_query(admin, history="30")
    poll_due()
    assert "1 query and 1 monitor" in text_of(admin.get("/account/sources/prod/delete"))
    path = "/account/sources/prod/queries/rate/delete"
    assert "1 monitor" in text_of(admin.get(path))
    done = admin.post(path)
    assert "Query deleted" in text_of(admin.get(done.location))
    done = admin.post("/account/sources/prod/delete")
    assert "Source deleted" in text_of(admin.get(done.location))
    assert admin.get("/account/sources/prod").status_code == 404


def test_the_audit_trail_names_the_member(admin: Browser, prometheus: FakePrometheus) -> None:
    add_source(admin, prometheus)
    add_query(admin)
    admin.post("/account/sources/prod/queries/rate/mute", {"mute": "1h"})
    text = text_of(admin.get("/account/audit"))
    for part in ("Source created", "Query created", "prod/rate: muted_until", "ada@example.com"):
        assert part in text


def test_labels_of_a_source_are_set_shown_and_removed_by_its_form(
    admin: Browser, prometheus: FakePrometheus
) -> None:
    assert (
        add_source(admin, prometheus, labels="team=shop\r\n\r\n env = prod=1 ").status_code == 307
    )
    assert get_source(1, NAME).labels == {"team": "shop", "env": "prod=1"}
    text = text_of(admin.get("/account/sources/prod"))
    assert "Labels of alerts env=prod=1 team=shop" in text
    page = admin.get("/account/sources/prod/change")
    assert ">\nenv=prod=1\nteam=shop</textarea>" in page.text
    form = {"url": prometheus.url, "credentials": "none", "labels": ""}
    assert admin.post("/account/sources/prod/change", form).status_code == 307
    assert get_source(1, NAME).labels == {}


@pytest.mark.parametrize(
    ("typed", "issue"),
    [
        ("team", "Team: must be a string of 1 to 200 characters"),
        ("1=x", "Names are 1 to 40 of a-z"),
        ("alertname=x", "Names are 1 to 40 of a-z"),
        ("\n".join(f"n{number}=x" for number in range(11)), "Must be an object of at most 10"),
    ],
)
def test_labels_that_no_alert_can_have_are_rejected_beside_their_field(
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
