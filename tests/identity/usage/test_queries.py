"""The usage that pages show."""

import datetime as dt

import pytest

from app.core.database import base
from app.identity.usage import queries
from app.identity.usage.buckets import UsageInterval, utc_datetime
from app.identity.usage.queries import Address, Failure, LastAddress, Latency, OutcomeCounts
from tests.identity.usage.conftest import DAY, HOUR, NOON

MIDNIGHT = NOON - 12 * HOUR
NOW = utc_datetime(NOON + 1_800)


@pytest.fixture(autouse=True)
def clock_at_noon(app, monkeypatch):
    """Set the clock to half past twelve, within the application."""
    monkeypatch.setattr(base, "now", lambda _zone: NOW)
    with app.app_context():
        yield


@pytest.fixture
def recorded_calls(record_calls) -> None:
    """A few calls of account 1, and one of account 2 that others must not see."""
    record_calls(1, status=200, times=5, bucket=4)
    record_calls(1, status=429, times=2)
    record_calls(2, status=422, field="series.values", times=3)
    record_calls(2, status=403)
    record_calls(2, "GET /verify", status=500, at=NOON - HOUR)
    record_calls(1, status=201, at=NOON - 2 * DAY, times=4, bucket=8)
    record_calls(2, status=422, field="series.values", at=NOON - 2 * DAY)
    record_calls(9, account_id=2, status=400, address="192.0.2.9", times=100)


def test_outcomes_by_hour_hold_every_hour_and_each_call_once(recorded_calls) -> None:
    since = utc_datetime(NOON - 2 * HOUR + 60)
    assert queries.fetch_outcomes(1, since, NOW, UsageInterval.HOUR) == [
        OutcomeCounts(utc_datetime(NOON - 2 * HOUR)),
        OutcomeCounts(utc_datetime(NOON - HOUR), failed=1),
        OutcomeCounts(utc_datetime(NOON), succeeded=5, limited=2, invalid=4),
    ]


def test_outcomes_are_counted_by_day(recorded_calls) -> None:
    outcomes = queries.fetch_outcomes(1, NOW - dt.timedelta(days=2), NOW, UsageInterval.DAY)
    assert [outcome.start for outcome in outcomes] == [
        utc_datetime(MIDNIGHT - days * DAY) for days in (2, 1, 0)
    ]
    assert [outcome.calls for outcome in outcomes] == [5, 0, 12]
    assert outcomes[0] == OutcomeCounts(utc_datetime(MIDNIGHT - 2 * DAY), succeeded=4, invalid=1)


def test_latency_is_that_of_calls_that_succeeded(recorded_calls) -> None:
    today = queries.fetch_latency(1, NOW, UsageInterval.DAY)
    assert 0.008 <= today.p50 < today.p95 <= 0.016
    assert queries.fetch_latency(1, utc_datetime(NOON), UsageInterval.HOUR) == today
    assert queries.fetch_latency(1, NOW - dt.timedelta(days=2), UsageInterval.DAY).p95 > 0.128
    assert queries.fetch_latency(3, NOW, UsageInterval.DAY) == Latency(None, None)


def test_the_most_frequent_failure_comes_first(recorded_calls) -> None:
    forecast = "POST /forecast"
    everything = [
        Failure(forecast, 422, "series.values", 4),
        Failure(forecast, 429, "", 2),
        Failure("GET /verify", 500, "", 1),
        Failure(forecast, 403, "", 1),
    ]
    before_yesterday = NOW - dt.timedelta(days=2)
    assert queries.fetch_failures(1, before_yesterday, limit=20) == everything
    assert queries.fetch_failures(1, before_yesterday, limit=1) == everything[:1]
    assert queries.fetch_failures(1, NOW, limit=20)[0] == Failure(forecast, 422, "series.values", 3)
    assert queries.fetch_failures(1, NOW, limit=20, key_id=1) == [everything[1]]


def test_sparklines_have_a_number_for_each_day_and_end_today(recorded_calls) -> None:
    assert queries.fetch_sparklines(1, days=4) == {1: [0, 4, 0, 7], 2: [0, 1, 0, 5]}
    assert queries.fetch_sparklines(1, days=1) == {1: [7], 2: [5]}
    assert queries.fetch_sparklines(3, days=30) == {}


def test_addresses_of_keys_are_counted_and_the_last_is_known(record_calls) -> None:
    record_calls(1, address="192.0.2.1", times=2)
    record_calls(1, address="192.0.2.2", at=NOON + 5)
    record_calls(1, address="192.0.2.1", at=NOON + 3)
    record_calls(2, address="2001:db8::/64", at=NOON - 7)
    record_calls(9, account_id=2, address="192.0.2.9")
    assert queries.fetch_last_addresses(1) == {
        1: LastAddress("192.0.2.2", utc_datetime(NOON + 5), 2),
        2: LastAddress("2001:db8::/64", utc_datetime(NOON - 7), 1),
    }
    assert queries.fetch_addresses(1, 1) == [
        Address("192.0.2.2", utc_datetime(NOON + 5), utc_datetime(NOON + 5), 1),
        Address("192.0.2.1", utc_datetime(NOON), utc_datetime(NOON + 3), 3),
    ]
    assert queries.fetch_addresses(1, 9) == []


def test_only_the_last_addresses_of_a_key_are_listed(record_calls) -> None:
    for n in range(25):
        record_calls(1, address=f"192.0.2.{n}", at=NOON + n)
    addresses = queries.fetch_addresses(1, 1)
    assert [address.address for address in addresses] == [f"192.0.2.{n}" for n in range(24, 4, -1)]


def test_calls_today_are_those_since_midnight_in_utc(recorded_calls, record_calls) -> None:
    record_calls(1, at=MIDNIGHT - 1)
    record_calls(1, at=MIDNIGHT)
    assert queries.count_calls_today(1) == 13
    assert queries.count_calls_today(3) == 0
