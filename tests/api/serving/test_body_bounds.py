"""Bodies that are cheap to send and expensive to check: bounded errors in bounded time."""

import time
from typing import Any

import orjson
import pytest

from app.api.errors.validation import MAX_ERRORS
from app.api.serving import body
from app.core.memory_units import MEBIBYTE
from tests.support.api import Api, details_of, error_of
from tests.support.series import regular_body

MAX_LENGTH = 4 * MEBIBYTE - 1000
MANY_VALUES = 100_000
MAX_ERROR_BYTES = 10_000

ENDPOINTS = {
    "/forecast": ("POST", "series"),
    "/anomalies": ("POST", "series"),
    "/backtest": ("POST", "models"),
    "/monitors/load": ("PUT", "series"),
    "/monitors/load/points": ("POST", "values"),
    "/webhooks/ops": ("PUT", "url"),
    "/sources/prod": ("PUT", "url"),
    "/keys": ("POST", "permissions"),
    "/anomalydetector/v1.1/timeseries/entire/detect": ("POST", "series"),
    "/timegpt/v2/forecast": ("POST", "level"),
}


def longest_array(item: str) -> str:
    """Return the longest array of ``item`` that fits into a body."""
    return "[" + ",".join([item] * (MAX_LENGTH // (len(item) + 1))) + "]"


# The field and its value; a whole body where there is no field.
COSTLY_BODIES = {
    "empty objects": longest_array("{}"),
    "arrays in arrays": longest_array("[[[[[[[[[[]]]]]]]]]]"),
    "numbers": longest_array("0"),
    "strings": longest_array('"a"'),
    "objects of unknown fields": longest_array('{"a":1}'),
    "100,000 wrong items": orjson.dumps([{}] * MANY_VALUES).decode(),
    "100,000 strings": orjson.dumps(["a"] * MANY_VALUES).decode(),
    "100,000 nulls": orjson.dumps([None] * MANY_VALUES).decode(),
    "100,000 fields": orjson.dumps({f"f{number}": 1 for number in range(MANY_VALUES)}).decode(),
    "a huge string": '"' + "a" * MAX_LENGTH + '"',
    "a huge name": '{"' + "a" * MAX_LENGTH + '":1}',
}


@pytest.mark.parametrize("kind", COSTLY_BODIES)
@pytest.mark.parametrize("path", ENDPOINTS)
def test_an_expensive_field_is_rejected_cheaply(api: Api, path: str, kind: str) -> None:
    method, field = ENDPOINTS[path]
    assert_cheap(api, method, path, f'{{"{field}":{COSTLY_BODIES[kind]}}}'.encode())


@pytest.mark.parametrize("path", ENDPOINTS)
def test_100_000_unknown_fields_are_rejected_at_little_cost(api: Api, path: str) -> None:
    sent = {f"unknown {number}": 1 for number in range(MANY_VALUES)}
    assert_cheap(api, ENDPOINTS[path][0], path, orjson.dumps(sent))


def assert_cheap(api: Api, method: str, path: str, sent: bytes) -> None:
    """Check that the body gets a 4xx of at most 20 defects within a second."""
    started = time.process_time()
    response = api.request(method, path, sent, Content_Type="application/json")
    taken = time.process_time() - started
    assert response.status_code in (400, 413, 422)
    assert len(response.data) < MAX_ERROR_BYTES
    assert len(error_of(response, response.status_code)["details"].get("errors", [])) <= MAX_ERRORS
    assert taken < 1.0


def test_values_beyond_the_bound_are_413_which_names_it_and_the_remedy(api: Api) -> None:
    sent = f'{{"series":{COSTLY_BODIES["empty objects"]}}}'.encode()
    assert details_of(api.forecast(sent), 413) == {
        "issue": "the values of the body take more than 80 MiB of memory; send a shorter series"
    }


def azure_points(count: int) -> list[dict[str, Any]]:
    return [{"timestamp": "2024-01-01", "value": 1}] * count


def test_the_largest_body_of_short_points_is_within_the_bound(api: Api) -> None:
    """The number of points is rejected: the body itself was parsed."""
    sent = orjson.dumps({"series": azure_points(108_000), "granularity": "daily"})
    assert MAX_LENGTH - 200_000 < len(sent) < MAX_LENGTH
    path = "/anomalydetector/v1.1/timeseries/entire/detect"
    response = api.request("POST", path, sent, Content_Type="application/json")
    assert "too many data points" in details_of(response, 400)["issue"]


def test_large_bodies_are_parsed_one_after_the_other(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    were_locked = []
    parse = body.parse_object

    def record(*arguments: Any) -> Any:
        were_locked.append(body.LARGE_BODY_LOCK.locked())
        return parse(*arguments)

    monkeypatch.setattr(body, "parse_object", record)
    small, large = regular_body("Daily", 100), regular_body("Daily", 5_000)
    assert len(orjson.dumps(large)) > body.MAX_CONCURRENT_BYTES
    for sent in (small, large, small):
        assert api.forecast(sent, X_Model_Id="forecast-model-2").status_code == 200
    error_of(api.forecast(b"[" + b"1," * body.MAX_CONCURRENT_BYTES + b"]"), 400)
    assert were_locked == [False, True, False, True]
    assert not body.LARGE_BODY_LOCK.locked()
