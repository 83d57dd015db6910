"""`flask sources`: what is read, and credentials under new keys."""

import base64
import os

import pytest
from flask import Flask
from sqlalchemy import select

from app.database import db
from app.sources.models import SourceRow
from app.sources.records import KEEP, Authorization, SourceOrder
from app.sources.registry import put_source
from app.sources.secrets import unseal
from tests.support.cli import refused, run, run_json
from tests.support.keys import ACTOR

OLD, NEW = (base64.urlsafe_b64encode(os.urandom(32)).decode() for _ in range(2))
URL = "https://prometheus.example.com"


@pytest.fixture
def settings() -> dict[str, object]:
    return {"secrets_key": (OLD,)}


@pytest.fixture
def source(app: Flask) -> None:
    with app.app_context():
        put_source(ACTOR, 1, "prod", SourceOrder(URL, Authorization("bearer", "token"), None, []))
        put_source(ACTOR, 1, "open", SourceOrder(URL, KEEP, None, []))


def sealed() -> str:
    credentials = db.session.scalar(select(SourceRow.credentials).filter_by(name="prod"))
    assert credentials is not None
    return str(credentials)


def test_rotated_secrets_need_the_first_key_only(app: Flask, source: None) -> None:
    app.config["SECRETS_KEY"] = (NEW, OLD)
    assert run(app, "sources", "rotate-secrets") == "1 encrypted with the first key.\n"
    with app.app_context():
        assert unseal(sealed(), (NEW,)).secret == "token"


def test_secrets_of_a_lost_key_are_named_and_nothing_is_changed(app: Flask, source: None) -> None:
    with app.app_context():
        before = sealed()
    app.config["SECRETS_KEY"] = (NEW,)
    assert "'prod'; nothing is changed" in refused(app, "sources", "rotate-secrets")
    with app.app_context():
        assert sealed() == before


def test_without_a_query_nothing_is_listed(app: Flask, source: None) -> None:
    assert run_json(app, "sources", "list", "--failing") == []
