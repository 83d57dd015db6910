"""Which header carries the key on Azure's paths."""

from typing import Any

import pytest
from flask import Flask

from tests.api.dialects.azure_anomaly_detector.calls import azure, body
from tests.support.api import Api, error_of
from tests.support.keys import change_key, moment_in, record_of

GOOD = body(30)
OLD = "0123456789abcdef0123456789abcdef"
UNKNOWN = "ak_" + "0" * 64


def status(app: Flask, own: str | None, bearer: str | None) -> int:
    headers = {
        "Ocp_Apim_Subscription_Key": own,
        "Authorization": None if bearer is None else f"Bearer {bearer}",
    }
    return azure(Api(app), "entire", GOOD, **headers).status_code


def test_either_header_takes_a_key(app: Flask, key: str) -> None:
    assert status(app, key, None) == 200
    assert status(app, f" {key} ", None) == 200
    assert status(app, None, key) == 200


@pytest.mark.parametrize("other", ["", " "])
def test_an_empty_header_beside_a_key_is_not_a_second_key(app: Flask, key: str, other: str) -> None:
    assert status(app, key, other) == 200
    assert status(app, other, key) == 200


def test_the_same_key_in_both_headers_is_one_key_and_one_use(app: Flask, key: str) -> None:
    assert status(app, key, f" {key}") == 200
    assert record_of(app, key).usage_count == 1


def rejection(app: Flask, own: str, bearer: str) -> dict[str, Any]:
    headers = {"Ocp_Apim_Subscription_Key": own, "Authorization": f"Bearer {bearer}"}
    return error_of(azure(Api(app), "entire", GOOD, **headers), 401)


def test_a_revoked_key_does_not_hide_behind_a_valid_one(app: Flask, make_key) -> None:
    valid, revoked = make_key("read"), make_key("read")
    change_key(app, revoked, revoked_at=moment_in(-1))
    for own, bearer in ((valid, revoked), (revoked, valid)):
        issue = rejection(app, own, bearer)["details"]["issue"]
        assert issue == (
            "Ocp-Apim-Subscription-Key and Authorization have different keys; send one key, in "
            "Ocp-Apim-Subscription-Key"
        )
    assert record_of(app, valid).usage_count == 0


def test_two_different_keys_get_one_401_whether_any_of_them_is_valid(app: Flask, make_key) -> None:
    first, second = make_key("read"), make_key("read")
    pairs = [(first, second), (first, OLD), (OLD, first), (OLD, UNKNOWN), (UNKNOWN, first)]
    errors = [rejection(app, own, bearer) for own, bearer in pairs]
    assert all(error == errors[0] for error in errors)


def test_two_different_keys_count_against_the_address(app: Flask, make_key) -> None:
    headers = {
        "Ocp_Apim_Subscription_Key": make_key("read"),
        "Authorization": f"Bearer {make_key('read')}",
    }
    left = [
        int(azure(Api(app), "entire", GOOD, **headers).headers["X-RateLimit-Remaining"])
        for _ in range(2)
    ]
    assert left == [59, 58]


@pytest.mark.parametrize(("own", "bearer"), [(None, None), (OLD, None), (UNKNOWN, UNKNOWN)])
def test_without_a_valid_key_it_is_401(app: Flask, own: str | None, bearer: str | None) -> None:
    assert status(app, own, bearer) == 401


def test_azure_s_header_is_read_nowhere_else(app: Flask, key: str) -> None:
    assert Api(app).verify(Ocp_Apim_Subscription_Key=key).status_code == 401


def test_a_call_counts_as_use_and_against_the_limit(app: Flask, key: str) -> None:
    caller = Api(app)
    left = [
        int(azure(caller, detect, GOOD, Ocp_Apim_Subscription_Key=key).headers[name])
        for detect in ("entire", "last", "changepoint")
        for name in ("X-RateLimit-Remaining",)
    ]
    assert left == [left[0], left[0] - 1, left[0] - 2]
    assert record_of(app, key).usage_count == 3


def test_a_rejected_key_is_distinguished_from_a_missing_one_in_the_metrics(app: Flask) -> None:
    counted = 'forecast_authentication_failures_total{{reason="{}"}}'

    def count(reason: str) -> float:
        lines = app.test_client().get("/metrics").text.splitlines()
        return next(
            float(line.split()[1]) for line in lines if line.startswith(counted.format(reason))
        )

    invalid, missing = count("refused"), count("missing")
    status(app, OLD, None)
    assert (count("refused"), count("missing")) == (invalid + 1, missing)
    status(app, None, None)
    assert (count("refused"), count("missing")) == (invalid + 1, missing + 1)


def test_no_key_reaches_the_log(app: Flask, key: str, capfd: pytest.CaptureFixture[str]) -> None:
    status(app, key, None)
    status(app, OLD, UNKNOWN)
    printed = "".join(capfd.readouterr())
    assert key not in printed
    assert OLD not in printed
