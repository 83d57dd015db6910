"""Any request gets a forecast or the one error: never a 5xx, never another shape.

The requests are generated: arbitrary bytes, arbitrary JSON, a good body spoilt anywhere, arbitrary
headers, paths and methods, and arbitrary series of numbers.
"""

import copy
import math
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from tests.support.api import Api, assert_standard_headers, error_of
from tests.support.series import daily_body, regular_body

GOOD = daily_body(12)
COLUMNS = ("lower_bound", "median", "upper_bound")
generated = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

numbers = st.one_of(
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, -1, 1, 12.0, 12.5, 1e100, 1.1e100, 1e308, 5e-324, 2**53]),
)
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.sampled_from(["Daily", "12", "NaN", "2024-01-05T00:00:00", "series", "_schema", "", "\x00"]),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=25,
)
header_texts = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=200)
OTHER_HEADERS = ["X-Forwarded-For", "Content-Length", "Host"]


def assert_forecast_or_error(response: TestResponse) -> int:
    """Check that a response is a valid forecast or a client error; return its status."""
    assert response.status_code < 500, response.get_data(as_text=True)
    if response.status_code != 200:
        error_of(response, response.status_code)
        return response.status_code
    assert_standard_headers(response)
    body = orjson.loads(response.data)
    for lower, median, upper in zip(*(body[name] for name in COLUMNS), strict=True):
        assert math.isfinite(lower)
        assert math.isfinite(upper)
        assert lower <= median <= upper
    return 200


@generated
@given(body=st.binary(max_size=300))
def test_arbitrary_bytes_are_rejected(api: Api, body: bytes) -> None:
    assert assert_forecast_or_error(api.forecast(body)) == 400


@generated
@given(start=st.integers(0, 1200), removed=st.integers(0, 50), inserted=st.binary(max_size=20))
def test_a_body_with_other_bytes_somewhere_is_a_forecast_or_an_error(
    api: Api, start: int, removed: int, inserted: bytes
) -> None:
    raw = orjson.dumps(GOOD)
    assert_forecast_or_error(api.forecast(raw[:start] + inserted + raw[start + removed :]))


@generated
@given(body=values)
def test_arbitrary_json_is_rejected(api: Api, body: Any) -> None:
    assert assert_forecast_or_error(api.forecast(body)) in (400, 422)


@generated
@given(
    body=st.fixed_dictionaries(
        {},
        optional={name: st.just(value) | values for name, value in GOOD.items()}
        | {"confidence": values},
    )
)
def test_arbitrary_values_of_the_right_fields_are_a_forecast_or_an_error(
    api: Api, body: Any
) -> None:
    assert_forecast_or_error(api.forecast(body))


@generated
@given(
    series=st.fixed_dictionaries(
        {},
        optional={name: st.just(column) | values for name, column in GOOD["series"][0].items()}
        | {"name": values},
    )
)
def test_arbitrary_columns_of_a_series_are_a_forecast_or_an_error(api: Api, series: Any) -> None:
    assert_forecast_or_error(api.forecast(GOOD | {"series": [series]}))


def places(node: Any) -> list[tuple[Any, Any]]:
    """Return every entry of a body as its object or array and its key or index there."""
    steps = node.items() if isinstance(node, dict) else enumerate(node)
    return [
        place
        for step, child in steps
        for place in [(node, step), *(places(child) if isinstance(child, dict | list) else [])]
    ]


@generated
@given(data=st.data())
def test_a_good_body_spoilt_anywhere_is_a_forecast_or_an_error(
    api: Api, data: st.DataObject
) -> None:
    body = copy.deepcopy(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        node, step = data.draw(st.sampled_from(places(body)))
        change = data.draw(st.sampled_from(["replace", "remove", "repeat", "wrap"]))
        if change == "replace":
            node[step] = data.draw(values)
        elif change == "wrap":
            node[step] = [node[step]]
        elif change == "remove":
            del node[step]
        elif isinstance(node, list):
            node.insert(step, copy.deepcopy(node[step]))
    assert_forecast_or_error(api.forecast(body))


@pytest.mark.parametrize("header", ["X_Model_Id", "X_Request_Id", "Content_Type", "Authorization"])
@generated
@given(text=header_texts)
def test_arbitrary_header_values_are_a_forecast_or_an_error(
    api: Api, header: str, text: str
) -> None:
    assert_forecast_or_error(api.forecast(GOOD, **{header: text}))


OTHER_HEADERS += ["Transfer-Encoding", "X-Model-Selector"]


@generated
@given(headers=st.dictionaries(st.sampled_from(OTHER_HEADERS), header_texts, min_size=1))
def test_arbitrary_values_of_headers_that_servers_read(api: Api, headers: dict) -> None:
    named = {name.replace("-", "_"): value for name, value in headers.items()}
    assert_forecast_or_error(api.forecast(GOOD, **named))


@generated
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "X-Y"]),
    path=st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
)
def test_arbitrary_paths_are_404(api: Api, method: str, path: str) -> None:
    response = api.request(method, "/x" + path.replace("?", "").replace("#", ""))
    assert assert_forecast_or_error(response) == 404


@generated
@given(
    data=st.lists(st.floats(-1e100, 1e100) | st.integers(-9, 9), min_size=10, max_size=30),
    frequency=st.sampled_from(["Seconds", "Hours", "Daily", "Monthly", "Yearly"]),
    model=st.sampled_from(["forecast-model-2", "forecast-model-4"]),
    horizon=st.integers(1, 100),
    confidence=st.floats(0.1, 0.99),
)
def test_every_finite_series_gets_a_finite_ordered_forecast(
    api: Api, data: list[float], frequency: str, model: str, horizon: int, confidence: float
) -> None:
    body = regular_body(frequency, len(data)) | {
        "forecast_horizon": horizon,
        "confidence": confidence,
    }
    body["series"][0]["values"] = data
    response = api.forecast(body, X_Model_Id=model)
    assert assert_forecast_or_error(response) == 200
    assert len(response.get_json()["median"]) == horizon
    if min(data) >= 0:
        assert min(response.get_json()["lower_bound"]) >= 0
