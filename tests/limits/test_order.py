"""What is answered when several things are wrong at once (D4), and Retry-After (D18)."""

import pytest

from tests.support.keys import bearer, make_account, post
from tests.support.series import daily

LARGEST_BODY = 4096
JSON = "application/json"
LARGE = b"{" * (LARGEST_BODY + 1)


@pytest.fixture
def settings():
    return {"max_body_bytes": LARGEST_BODY}


def both_wrong():
    """A body with a wrong parameter and wrong data."""
    body = daily() | {"forecast_horizon": 0}
    body["series"][0]["values"][3] = None
    return body


def only_data_wrong():
    return both_wrong() | {"forecast_horizon": 5}


@pytest.fixture
def used_up(app, client, make_key):
    """Makes a key whose account has nothing left."""

    def make(permission):
        name = make_account(app, permission, "enterprise", 1, 1, 1)
        key = make_key(permission, account_name=name)
        post(client, key)
        return key

    return make


def send(client, key, data, content_type=JSON):
    headers = bearer(key) if key else {}
    return client.post("/forecast", data=data, content_type=content_type, headers=headers)


def test_401_comes_before_everything(client):
    assert send(client, None, LARGE, "text/plain").status_code == 401


def test_403_comes_before_429_and_415(client, used_up):
    assert send(client, used_up("write"), LARGE, "text/plain").status_code == 403


def test_429_comes_before_415_and_413(client, used_up):
    assert send(client, used_up("read"), LARGE, "text/plain").status_code == 429


def test_415_comes_before_413(client, key):
    assert send(client, key, LARGE, "text/plain").status_code == 415


def test_413_comes_before_malformed_json(client, key):
    assert send(client, key, LARGE).status_code == 413


def test_malformed_json_comes_before_a_wrong_header(client, key):
    headers = bearer(key) | {"X-Model-Id": "no-such-model"}
    answer = client.post("/forecast", data=b"{", content_type=JSON, headers=headers)
    assert (answer.status_code, "field" in answer.get_json()["error"]["details"]) == (400, False)


def test_400_comes_before_422(client, key):
    assert post(client, key, both_wrong()).status_code == 400
    assert post(client, key, only_data_wrong()).status_code == 422


def test_retry_after_stands_on_a_429_and_on_nothing_else(client, key, used_up):
    others = [
        post(client, key, daily()),
        post(client, key, {}),
        post(client, key, only_data_wrong()),
        post(client, None),
        send(client, key, LARGE),
        send(client, key, LARGE, "text/plain"),
        client.get("/nothing"),
        client.get("/forecast"),
        send(client, used_up("write"), b"{}"),
    ]
    assert [answer.status_code for answer in others] == [
        *(200, 400, 422, 401, 413, 415, 404, 405, 403)
    ]
    assert not [answer.status_code for answer in others if "Retry-After" in answer.headers]
    refused = post(client, used_up("read"))
    assert refused.status_code == 429
    assert 86_300 < int(refused.headers["Retry-After"]) <= 86_400
