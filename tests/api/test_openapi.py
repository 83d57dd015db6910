"""GET /openapi.json says what the service does, and nothing else (specification 4 and 9, D12)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.api.forecaster import EXTENSION
from app.forecasting.pool import EngineBusyError
from tests.support.api import Api, assert_standard_headers, with_entry
from tests.support.keys import make_account
from tests.support.schemas import assert_matches, resolve
from tests.support.series import daily

GOOD = daily()
Document = dict[str, Any]


@pytest.fixture(scope="module")
def document(anonymous: Api) -> Document:
    answer = anonymous.request("GET", "/openapi.json")
    assert answer.status_code == 200
    assert answer.mimetype == "application/json"
    assert_standard_headers(answer)
    return answer.get_json()


def test_the_version_is_1_0_0(document: Document) -> None:
    assert document["info"]["version"] == "1.0.0"
    assert document["openapi"].startswith("3.")


def test_both_endpoints_are_listed_under_their_tags(document: Document) -> None:
    listed = {
        (method, path): operation["tags"]
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert listed == {
        ("post", "/forecast"): ["Forecasting"],
        ("get", "/verify"): ["Authentication"],
    }
    assert document["paths"]["/forecast"]["post"]["operationId"] == "requestForecast"


def test_every_operation_needs_a_bearer_key(document: Document) -> None:
    (name,) = (name for requirement in document["security"] for name in requirement)
    scheme = document["components"]["securitySchemes"][name]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert "64 hexadecimal" in scheme["bearerFormat"]


def test_every_reference_leads_somewhere(document: Document) -> None:
    def references(node: Any) -> list[dict]:
        if isinstance(node, dict):
            found = [node] if "$ref" in node else []
            return found + [ref for child in node.values() for ref in references(child)]
        if isinstance(node, list):
            return [reference for child in node for reference in references(child)]
        return []

    found = references(document)
    assert found
    assert all(resolve(reference, document) for reference in found)


def test_the_request_s_schema_has_the_constraints_of_the_specification(document: Document) -> None:
    schema = document["components"]["schemas"]["ForecastRequest"]
    fields = schema["properties"]
    assert set(schema["required"]) == set(fields) - {"confidence"}
    assert (fields["series"]["minItems"], fields["series"]["maxItems"]) == (1, 1)
    horizon, confidence = fields["forecast_horizon"], fields["confidence"]
    assert (horizon["type"], horizon["minimum"], horizon["maximum"]) == ("integer", 1, 100)
    assert (confidence["minimum"], confidence["maximum"]) == (0.1, 0.99)
    assert confidence["default"] == 0.95
    frequencies = [
        "Seconds",
        "Minutes",
        "Hours",
        "Daily",
        "Weekly",
        "Monthly",
        "Quarterly",
        "Yearly",
    ]
    assert fields["data_frequency"]["enum"] == frequencies
    assert fields["forecast_frequency"]["enum"] == frequencies
    column = resolve(fields["series"]["items"], document)
    assert set(column["required"]) == {"timestamps", "values"}
    assert {items["minItems"] for items in column["properties"].values()} == {10}
    assert column["properties"]["timestamps"]["items"]["format"] == "date-time"
    assert column["properties"]["values"]["items"]["type"] == "number"


def test_no_schema_allows_fields_that_it_does_not_list(document: Document) -> None:
    schemas = document["components"]["schemas"]
    assert {name for name, schema in schemas.items() if schema["additionalProperties"]} == set()


def test_the_model_header_is_an_optional_choice_of_four(document: Document) -> None:
    header, alias = document["paths"]["/forecast"]["post"]["parameters"]
    assert (alias["name"], alias["deprecated"]) == ("X-Model-Selector", True)
    assert (header["name"], header["in"]) == ("X-Model-Id", "header")
    assert not header.get("required", False)
    assert header["schema"]["enum"] == [f"forecast-model-{number}" for number in (1, 2, 3, 4)]
    assert header["schema"]["default"] == "forecast-model-1"


def test_a_good_request_matches_its_schema(document: Document) -> None:
    assert_matches(GOOD, {"$ref": "#/components/schemas/ForecastRequest"}, document)


def _used_up(app: Flask, make_key: Callable[..., str]) -> Api:
    make_account(app, "small", "enterprise", 1, 100, 100)
    caller = Api(app, make_key("read", account_name="small"))
    caller.forecast({})
    return caller


def _failing(app: Flask, key: str, error: Exception) -> Api:
    def compute(*_arguments: object) -> None:
        raise error

    app.extensions[EXTENSION] = compute
    return Api(app, key)


@pytest.fixture
def forecast_answers(
    app: Flask, key: str, make_key: Callable[..., str]
) -> dict[str, Callable[[], TestResponse]]:
    """For each status of POST /forecast a request that gets it."""
    caller = Api(app, key)
    return {
        "200": lambda: caller.forecast(GOOD),
        "400": lambda: caller.forecast({}),
        "401": lambda: Api(app).forecast(GOOD),
        "403": lambda: Api(app, make_key("write")).forecast(GOOD),
        "413": lambda: caller.forecast(b" " * 5_000_000),
        "415": lambda: caller.forecast(GOOD, Content_Type="text/plain"),
        "422": lambda: caller.forecast(with_entry(GOOD, "values", 3, None)),
        "429": lambda: _used_up(app, make_key).forecast(GOOD),
        "500": lambda: _failing(app, key, ZeroDivisionError()).forecast(GOOD),
        "503": lambda: _failing(app, key, EngineBusyError()).forecast(GOOD),
    }


def test_the_statuses_of_a_forecast_are_those_that_occur(
    document: Document, forecast_answers: dict[str, Callable[[], TestResponse]]
) -> None:
    listed = document["paths"]["/forecast"]["post"]["responses"]
    assert set(listed) == set(forecast_answers)
    for status, send in forecast_answers.items():
        assert_as_documented(send(), status, listed[status], document)


def assert_as_documented(
    answer: TestResponse, status: str, listed: dict[str, Any], document: Document
) -> None:
    """Status, body and headers are those of the document."""
    assert answer.status_code == int(status)
    schema = listed["content"]["application/json"]["schema"]
    assert_matches(answer.get_json(), schema, document)
    optional = {"X-Forecast-Notice"}
    assert set(listed["headers"]) - optional <= set(answer.headers.keys())
    assert ("Retry-After" in listed["headers"]) == ("Retry-After" in answer.headers)


def test_the_statuses_of_verify_are_those_that_occur(
    document: Document, app: Flask, key: str
) -> None:
    app.config["ANONYMOUS_PER_MINUTE"] = 1
    listed = document["paths"]["/verify"]["get"]["responses"]
    assert set(listed) == {"200", "401", "429", "500"}
    assert_as_documented(Api(app, key).verify(), "200", listed["200"], document)
    for status in ("401", "429"):
        assert_as_documented(Api(app).verify(), status, listed[status], document)


def test_the_schema_of_an_error_lists_the_five_codes(document: Document) -> None:
    error = document["components"]["schemas"]["Error"]["properties"]["error"]
    code = resolve(error, document)["properties"]["code"]
    assert sorted(code["enum"]) == [
        "DATA_VALIDATION_ERROR",
        "INTERNAL_ERROR",
        "INVALID_REQUEST",
        "RATE_LIMIT_EXCEEDED",
        "UNAUTHORIZED",
    ]
