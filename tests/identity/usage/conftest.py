"""Fixtures of usage: both kinds of database, and calls that were made at chosen moments."""

import datetime as dt
from collections.abc import Callable

import pytest
from sqlalchemy import Engine

from app.identity.usage.tally import RecordedCall, Tally
from app.identity.usage.writer import write_tally

NOON = int(dt.datetime(2026, 5, 6, 12, tzinfo=dt.UTC).timestamp())
HOUR, DAY = 3_600, 86_400

RecordCalls = Callable[..., None]


@pytest.fixture
def database_url(each_database: str) -> str:
    return each_database


@pytest.fixture
def record_calls(engine: Engine) -> RecordCalls:
    """Write calls: ``record_calls(7, "GET /verify", status=404, at=NOON, times=3)``."""

    def write_calls(key_id: int, *endpoint: str, times: int = 1, **values: object) -> None:
        tally = Tally()
        tally.add(call(key_id, *endpoint, **values), times)
        write_tally(engine, tally)

    return write_calls


def call(key_id: int = 1, endpoint: str = "POST /forecast", **values: object) -> RecordedCall:
    """Return a successful call of account 1 at noon; ``values`` override its fields."""
    usual = {"account_id": 1, "status": 200, "bucket": 3, "at": NOON, "address": None, "field": ""}
    return RecordedCall(key_id=key_id, endpoint=endpoint, **{**usual, **values})
