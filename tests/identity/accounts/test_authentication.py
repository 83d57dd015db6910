"""Authentication (specification 5), and the count of each use."""

import datetime as dt

from tests.support.keys import bearer, change_key, moment_in, post, record_of, verify
from tests.support.series import daily_body

UNKNOWN = "ak_" + "0" * 64


def test_each_authenticated_call_is_counted_regardless_of_its_response(app, client, make_key):
    key, powerless = make_key("read"), make_key("write")
    bad_json = {"data": b"{", "content_type": "application/json", "headers": bearer(key)}
    assert post(client, key, daily_body()).status_code == 200
    assert post(client, key, {}).status_code == 400
    assert client.post("/forecast", **bad_json).status_code == 400
    assert client.post("/forecast", data=b"x", headers=bearer(key)).status_code == 415
    assert verify(client, key).status_code == 200
    assert record_of(app, key).usage_count == 5
    assert post(client, powerless).status_code == 403
    assert record_of(app, powerless).usage_count == 1


def test_a_rejection_by_the_limit_counts_as_a_use(app, client, make_key) -> None:
    from tests.support.keys import make_account

    key = make_key(account_name=make_account(app, "tiny", "enterprise", 1, 1, 1))
    assert [post(client, key).status_code for _ in range(3)] == [400, 429, 429]
    assert record_of(app, key).usage_count == 3


def test_last_use_is_recorded_and_a_rejected_call_is_not(app, client, key) -> None:
    assert record_of(app, key).last_used_at is None
    earliest = dt.datetime.now(dt.UTC)
    verify(client, key)
    used = record_of(app, key).last_used_at
    assert earliest <= used <= dt.datetime.now(dt.UTC)
    change_key(app, key, revoked_at=moment_in(-1))
    assert verify(client, key).status_code == 401
    assert (record_of(app, key).usage_count, record_of(app, key).last_used_at) == (1, used)
