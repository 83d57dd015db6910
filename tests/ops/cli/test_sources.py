"""`flask sources`: what is read, and credentials under new keys."""

import base64
import ipaddress
import logging
import os
from collections.abc import Iterator

import pytest
from flask import Flask
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.core.database import db, utcnow
from app.core.unchanged import UNCHANGED
from app.watching.models.sources import SourceQuery, SourceRow
from app.watching.sources.credentials_cipher import decrypt
from app.watching.sources.source_records import Authorization, SourceSettings
from tests.support.cli import attempt, run, run_failing, run_json
from tests.support.fake_prometheus import FakePrometheus, error, fake_prometheus
from tests.support.keys import ACTOR
from tests.support.settings import change_settings
from tests.support.watching import put_source
from tests.watching.sources.source_queries import make_query

OLD, NEW = (base64.urlsafe_b64encode(os.urandom(32)).decode() for _ in range(2))
URL = "https://prometheus.example.com"


@pytest.fixture
def settings() -> dict[str, object]:
    return {"secrets_key": (OLD,)}


@pytest.fixture
def source(app: Flask) -> None:
    with app.app_context():
        put_source(
            ACTOR, 1, "prod", SourceSettings(URL, Authorization("bearer", "token"), None, [])
        )
        put_source(ACTOR, 1, "open", SourceSettings(URL, UNCHANGED, None, []))


def sealed_secret() -> str:
    with Session(db.engine) as session:
        credentials = session.scalar(select(SourceRow.credentials).filter_by(name="prod"))
    assert credentials is not None
    return str(credentials)


def test_rotated_secrets_need_the_first_key_only(app: Flask, source: None) -> None:
    change_settings(app, secrets_key=(NEW, OLD))
    assert run(app, "sources", "rotate-secrets") == "1 encrypted with the first key.\n"
    with app.app_context():
        assert decrypt(sealed_secret(), (NEW,)).secret == "token"


def test_secrets_of_a_lost_key_are_named_and_nothing_is_changed(app: Flask, source: None) -> None:
    with app.app_context():
        before = sealed_secret()
    change_settings(app, secrets_key=(NEW,))
    assert "'prod'; nothing is changed" in run_failing(app, "sources", "rotate-secrets")
    with app.app_context():
        assert sealed_secret() == before


def test_credentials_of_a_lost_key_are_rejected_until_they_are_given_up(
    app: Flask, source: None
) -> None:
    assert run(app, "sources", "check-secrets") == "1 can be decrypted.\n"
    for keys in ((NEW,), ()):
        change_settings(app, secrets_key=keys)
        line = run_failing(app, "sources", "check-secrets")
        assert "the credentials of 1 of 1 sources, such as 'prod'" in line
        assert "SECRETS_KEY=PRESENT,EARLIER" in line
    change_settings(app, secrets_key=(NEW, OLD))
    run(app, "sources", "check-secrets", "--forget-credentials")
    with app.app_context():
        assert (
            decrypt(sealed_secret(), (OLD,)).secret == "token"
        )  # nothing was lost, so nothing goes
    change_settings(app, secrets_key=(NEW,))
    message = run(app, "sources", "check-secrets", "--forget-credentials")
    assert message == "0 can be decrypted, 1 removed.\n"
    assert run(app, "sources", "check-secrets") == "0 can be decrypted.\n"


def test_every_credential_is_checked_and_not_only_the_first_page(
    app: Flask, source: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.ops.cli.sources.SOURCES_PER_PAGE", 1)
    change_settings(app, secrets_key=(NEW, OLD))
    with app.app_context():
        put_source(ACTOR, 1, "young", SourceSettings(URL, Authorization("bearer", "x"), None, []))
    assert run(app, "sources", "check-secrets") == "2 can be decrypted.\n"
    change_settings(app, secrets_key=(OLD,))
    assert "1 of 2 sources, such as 'young'" in run_failing(app, "sources", "check-secrets")


def test_without_a_query_nothing_is_listed(app: Flask, source: None) -> None:
    assert run_json(app, "sources", "list", "--failing") == []


@pytest.fixture
def server(app: Flask) -> Iterator[FakePrometheus]:
    """A server on loopback with the source ``prod`` and a query that is live."""
    with fake_prometheus(lambda: utcnow().timestamp()) as fake, app.app_context():
        put_source(ACTOR, 1, "prod", SourceSettings(fake.url, None, None, []))
        make_query()
        is_live = {"state": "live", "read_to": 1_760_000_000 // 60 * 60}
        with db.engine.begin() as connection:
            connection.execute(update(SourceQuery).values(is_live))
        yield fake


def stored_state() -> tuple[object, ...]:
    columns = (SourceQuery.state, SourceQuery.problem, SourceQuery.failures)
    more = (SourceQuery.next_poll_at, SourceQuery.leased_until)
    with db.engine.connect() as connection:
        return tuple(connection.execute(select(*columns, *more)).one())


def test_a_poll_rejected_by_the_settings_of_the_shell_is_not_stored(
    app: Flask, server: FakePrometheus, caplog: pytest.LogCaptureFixture
) -> None:
    before = stored_state()
    with caplog.at_level(logging.INFO):
        result = attempt(app, "sources", "poll", "prod/rate")
    assert "problem:" in result.stdout
    assert "SOURCE_ALLOWED_NETWORKS" in result.stdout
    assert (result.exit_code, result.stderr, caplog.messages) == (1, "", [])
    assert stored_state() == before
    assert server.requests == []


def test_a_problem_of_the_server_is_stored_and_the_status_is_1(
    app: Flask, server: FakePrometheus
) -> None:
    change_settings(app, source_allowed_networks=(ipaddress.ip_network("127.0.0.0/8"),))
    server.behave = error(400, "bad_data", "unknown function")
    assert attempt(app, "sources", "poll", "prod/rate").exit_code == 1
    assert stored_state()[:2] == ("failing", "bad_data: unknown function")
    (query,) = run_json(app, "sources", "list", "--failing")
    assert query["read_to"] == "2025-10-09T08:53:00Z"
