"""Which header carries the key on Azure's paths: D29."""

import pytest
from flask import Flask

from tests.dialects.azure_anomaly_detector.calls import azure
from tests.dialects.azure_anomaly_detector.test_responses import body
from tests.support.api import Api
from tests.support.keys import record_of

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


@pytest.mark.parametrize("other", [OLD, UNKNOWN, ""])
def test_of_a_valid_key_and_another_the_valid_one_serves(app: Flask, key: str, other: str) -> None:
    assert status(app, key, other) == 200
    assert status(app, other, key) == 200


def test_of_two_valid_keys_azure_s_header_serves(app: Flask, make_key) -> None:
    first, second = make_key("read"), make_key("read")
    assert status(app, first, second) == 200
    assert record_of(app, first).usage_count == 1
    assert record_of(app, second).usage_count == 0


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


def test_a_refused_key_is_told_from_a_missing_one_in_the_metrics(app: Flask) -> None:
    counted = 'forecast_authentication_failures_total{{reason="{}"}}'

    def count(reason: str) -> float:
        lines = app.test_client().get("/metrics").text.splitlines()
        return next(
            float(line.split()[1]) for line in lines if line.startswith(counted.format(reason))
        )

    refused, missing = count("refused"), count("missing")
    status(app, OLD, None)
    assert (count("refused"), count("missing")) == (refused + 1, missing)
    status(app, None, None)
    assert (count("refused"), count("missing")) == (refused + 1, missing + 1)


def test_no_key_reaches_the_log(app: Flask, key: str, capfd: pytest.CaptureFixture[str]) -> None:
    status(app, key, None)
    status(app, OLD, UNKNOWN)
    printed = "".join(capfd.readouterr())
    assert key not in printed
    assert OLD not in printed
