"""GET /usage: its response, access, and errors."""

import datetime as dt

import pytest

from app.api.usage import routes
from app.core.database import base
from app.identity.usage.buckets import utc_datetime
from app.identity.usage.tally import Tally
from app.identity.usage.writer import write_tally
from tests.identity.usage.conftest import DAY, HOUR, NOON, call
from tests.support.api import Api, error_of
from tests.support.keys import make_account, record_of
from tests.support.usage import flush

MIDNIGHT = NOON - 12 * HOUR
SPAN = "since=2026-05-06T10:30:00Z&until=2026-05-06T12:00:01Z"
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def admin_key(make_key):
    return make_key("admin")


@pytest.fixture
def caller(app, admin_key):
    return Api(app, admin_key)


@pytest.fixture
def used_keys(app, engine, admin_key, monkeypatch):
    """The admin's key and another one of the account, used around noon of a day."""
    monkeypatch.setattr(base, "now", lambda _zone: utc_datetime(NOON + DAY))
    record = record_of(app, admin_key)
    tally = Tally()
    for key_id, at, values in (
        (record.id, NOON, {"times": 3}),
        (record.id, NOON - HOUR, {"status": 422, "times": 2}),
        (99, NOON, {"status": 500}),
        (record.id, NOON - 3 * HOUR, {}),
        (record.id, NOON - DAY, {}),
        (record.id, NOON, {"account_id": record.account_id + 1, "times": 50}),
    ):
        times = values.pop("times", 1)
        tally.add(call(key_id, at=at, **{"account_id": record.account_id, **values}), times)
    write_tally(engine, tally)
    return record


def body_of(caller, query=""):
    response = caller.request("GET", f"/usage?{query}", None)
    assert response.status_code == 200, response.get_data(as_text=True)
    return response.get_json()


def test_calls_are_returned_by_the_hour_that_the_span_touches(caller, used_keys) -> None:
    row = {"key_id": used_keys.id, "prefix": used_keys.prefix, "endpoint": "POST /forecast"}
    assert body_of(caller, SPAN) == {
        "since": "2026-05-06T10:00:00Z",
        "until": "2026-05-06T13:00:00Z",
        "interval": "hour",
        "usage": [
            {"start": "2026-05-06T11:00:00Z", **row, "status_class": "4xx", "calls": 2},
            {"start": "2026-05-06T12:00:00Z", **row, "status_class": "2xx", "calls": 3},
            {
                "start": "2026-05-06T12:00:00Z",
                **row,
                "key_id": 99, "prefix": "", "status_class": "5xx", "calls": 1,
            },
        ],
    }  # fmt: skip


def test_days_sum_up_their_hours(caller, used_keys) -> None:
    body = body_of(caller, "interval=day&since=2026-05-05T13:00:00%2B02:00&until=2026-05-07")
    assert (body["since"], body["until"]) == ("2026-05-05T00:00:00Z", "2026-05-07T00:00:00Z")
    assert [
        (row["start"][:10], row["key_id"], row["status_class"], row["calls"])
        for row in body["usage"]
    ] == [
        ("2026-05-05", used_keys.id, "2xx", 1),
        ("2026-05-06", used_keys.id, "2xx", 4),
        ("2026-05-06", used_keys.id, "4xx", 2),
        ("2026-05-06", 99, "5xx", 1),
    ]


def test_absent_a_span_it_is_the_last_day_and_the_call_itself_is_counted(app, caller, admin_key):
    before = dt.datetime.now(dt.UTC)
    body_of(caller)
    flush(app)
    body = body_of(caller)
    since, until = (dt.datetime.fromisoformat(body[name]) for name in ("since", "until"))
    assert since <= before - dt.timedelta(hours=23) < before < until
    assert until - since <= dt.timedelta(hours=25)
    (row,) = body["usage"]
    assert (row["endpoint"], row["calls"], row["prefix"]) == ("GET /usage", 1, admin_key[:11])


def test_another_account_sees_nothing_of_the_usage(app, used_keys, make_key) -> None:
    make_account(app, "other", None)
    other = Api(app, make_key("admin", account_name="other"))
    assert [row["calls"] for row in body_of(other, f"{SPAN}&interval=hour")["usage"]] == [50]


def test_usage_needs_the_permission_admin(app, make_key) -> None:
    keyed = Api(app, make_key("read", "write", "delete"))
    error_of(keyed.request("GET", "/usage", None), 403)
    error_of(Api(app).request("GET", "/usage", None), 401)


def test_more_rows_than_are_returned_get_an_error_that_says_what_to_narrow(
    caller, used_keys, monkeypatch
) -> None:
    monkeypatch.setattr(routes, "MAX_ROWS", 3)
    assert len(body_of(caller, SPAN)["usage"]) == 3
    monkeypatch.setattr(routes, "MAX_ROWS", 2)
    for query in (SPAN, f"{SPAN}&interval=day"):
        details = error_of(caller.request("GET", f"/usage?{query}", None), 400)["details"]
        assert "send a later since, an earlier until, or interval=day" in details["issue"]
        assert details["field"] == "since"


@pytest.mark.parametrize(
    ("query", "field", "issue"),
    [
        ("since=yesterday", "since", "Must be ISO 8601, such as"),
        ("since=2026-05-06T10:00:00+02:00", "since", "send a plus sign as %2B"),
        ("since=", "since", "Must be ISO 8601"),
        ("until=9999-12-31T23:59:59Z", "until", "Must be between"),
        ("since=0001-01-01T00:00:00%2B14:00", "since", "Must be between"),
        (
            "since=2026-05-06&until=2026-05-06",
            "since",
            "Must be before until, which is 2026-05-06T00:00:00Z",
        ),
        ("since=2026-05-07&until=2026-05-06", "since", "Must be before until"),
        ("since=2099-01-01", "since", "Must be before until"),
        ("interval=week", "interval", "unknown interval: 'week' was sent; send one of hour, day"),
        ("since=2026-05-06&since=2026-05-07", "since", "sent 2 times"),
        ("key_id=1", "key_id", "unknown parameter"),
    ],
)
def test_a_query_that_is_not_a_span_is_rejected(caller, query, field, issue) -> None:
    response = caller.request("GET", f"/usage?{query}", None)
    details = error_of(response, 400)["details"]
    assert details["field"] == field
    assert issue in details["issue"]


def test_the_longest_span_is_returned_soon(caller) -> None:
    for interval in ("hour", "day"):
        body_of(caller, f"since=1970-01-02&until=9998-12-30&interval={interval}")
