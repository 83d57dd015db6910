"""GET /openapi.json describes the service completely (specification 4 and 9).

``Api`` in ``tests/support/api.py`` checks every response in the tests of HTTP against it, too.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from openapi_spec_validator import OpenAPIV31SpecValidator

from app.api.dialects import DIALECTS
from app.api.endpoints.dialect import error_examples, find_dialect
from app.compute.errors import EngineBusyError
from app.timeseries.calendar.frequency import UNITS
from tests.support.api import RATE_LIMIT_HEADERS, Api, make_engine_fail, with_entry, with_series
from tests.support.contract import Contract, Document, resolve
from tests.support.keys import make_account
from tests.support.series import daily_body, regular_body

GOOD = daily_body()


@pytest.fixture(scope="module")
def contract(document: Document) -> Contract:
    return Contract(document)


def nodes(node: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects in ``node``."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, (dict, list)):
            yield from nodes(child)


def responses(document: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the status and response of all operations."""
    for path in document["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                yield status, resolve(response, document)


def test_the_document_is_valid_openapi_3_1_of_version_1_0_0(document: Document) -> None:
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []
    assert (document["openapi"], document["info"]["version"]) == ("3.1.0", "1.0.0")


def test_every_endpoint_is_listed_under_its_tag(document: Document) -> None:
    listed = {
        (method, path): operation["tags"]
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert (
        listed.items()
        >= {("post", "/forecast"): ["Forecasting"], ("get", "/verify"): ["Authentication"]}.items()
    )
    assert document["paths"]["/forecast"]["post"]["operationId"] == "requestForecast"
    assert {tag["name"] for tag in document["tags"]} == {tag for (tag,) in listed.values()}


def test_every_operation_needs_a_bearer_key(document: Document) -> None:
    (name,) = (name for requirement in document["security"] for name in requirement)
    scheme = document["components"]["securitySchemes"][name]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert "64 hexadecimal" in scheme["bearerFormat"]


def test_the_request_s_schema_has_the_constraints_of_the_specification(document: Document) -> None:
    schema = document["components"]["schemas"]["ForecastRequest"]
    fields = schema["properties"]
    assert set(schema["required"]) == set(fields) - {"confidence"}
    assert (fields["series"]["minItems"], fields["series"]["maxItems"]) == (1, 1)
    horizon, confidence = fields["forecast_horizon"], fields["confidence"]
    assert (horizon["type"], horizon["minimum"], horizon["maximum"]) == ("integer", 1, 100)
    assert (confidence["minimum"], confidence["maximum"]) == (0.1, 0.99)
    assert confidence["default"] == 0.95
    frequencies = ["Seconds", "Minutes", "Hours", "Daily"]
    frequencies += ["Weekly", "Monthly", "Quarterly", "Yearly"]
    assert fields["data_frequency"]["enum"] == frequencies
    assert fields["forecast_frequency"]["enum"] == frequencies
    column = resolve(fields["series"]["items"], document)
    assert set(column["required"]) == {"timestamps", "values"}
    assert {items["minItems"] for items in column["properties"].values()} == {10}
    assert {items["maxItems"] for items in column["properties"].values()} == {50_000}
    values = column["properties"]["values"]["items"]
    assert (values["type"], values["minimum"], values["maximum"]) == ("number", -1e100, 1e100)


def test_only_details_and_bodies_of_another_api_allow_fields_that_are_not_listed(
    document: Document,
) -> None:
    schemas = document["components"]["schemas"].items()
    assert {name for name, schema in schemas if schema["additionalProperties"]} == {
        "ErrorDetails", "DialectErrorDetails",
        "TimeSeriesPoint", "DetectRequest", "ChangePointRequest", "McpMessage", "McpResponse",
        "TimeGptSeries", "TimeGptForecastRequest", "TimeGptCrossValidationRequest",
        "TimeGptDetectionRequest", "TimeGptOnlineDetectionRequest",
    }  # fmt: skip


def test_null_is_only_what_there_is_not_or_not_yet(document: Document) -> None:
    assert {
        name
        for name, schema in document["components"]["schemas"].items()
        if any("null" in node.get("type", ()) for node in nodes(schema))
    } == {
        "MonitorRequest", "Monitor", "MonitorPoint", "MonitorEvent", "Appended",
        "PointsPage", "EventsPage", "Delivery", "Webhook", "PutWebhook", "LastAttempt",
        "NewKey", "ChangeKey", "Key", "CreatedKey", "ScoredModel",
        "ReadSeries", "Chosen", "DateForm", "Remark", "Suggestion", "TableForecastSeries",
        "TimeGptSeries", "TimeGptForecastRequest", "TimeGptCrossValidationRequest",
        "TimeGptOnlineDetectionRequest", "TimeGptForecast", "TimeGptCrossValidation",
        "TimeGptDetection", "TimeGptOnlineDetection", "TimeGptDetectionRequest",
        "LimitRequest", "Limit", "MonitorForecast", "Reached", "ReachedSide",
        *(
            "SourceRequest",
            "Source",
            "QueryRequest",
            "Query",
            "QueryReplayRequest",
            "ReplayedEvent",
            "MonitorQuality",
        ),
    }  # fmt: skip


def test_formats_are_checked_where_responses_are_checked(contract: Contract) -> None:
    from jsonschema_rs import ValidationError

    with pytest.raises(ValidationError):
        contract.assert_valid("2024-01-31T00:00:00", {"type": "string", "format": "date-time"})


@pytest.mark.parametrize("offset", ["", "Z", "+05:30"])
def test_requests_and_responses_of_each_offset_are_as_the_document_says(
    contract: Contract, api: Api, offset: str
) -> None:
    column = GOOD["series"][0]
    body = with_series(GOOD, timestamps=[text + offset for text in column["timestamps"]])
    contract.assert_valid(body, {"$ref": "#/components/schemas/ForecastRequest"})
    response = api.forecast(body)  # which compares it with the document
    assert response.get_json()["forecast_timestamps"][0].endswith("T00:00:00" + offset)


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-31T00:00:00", "2024-02-29T23:59:59Z", "0001-01-01T00:00:00.000",
        "9999-12-31T12:30:00.000000000+05:30", "2024-01-31T00:00:00-23:59",
    ],
)  # fmt: skip
def test_the_pattern_of_a_timestamp_takes_what_the_service_takes(
    contract: Contract, api: Api, text: str
) -> None:
    contract.assert_valid(text, timestamp_schema(contract.document))
    fields = [error["field"] for error in errors_of_timestamp(api, text)]
    assert "series[0].timestamps[0]" not in fields


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-31", "2024-01-31 00:00:00", "2024-13-01T00:00:00", "2024-01-32T00:00:00",
        "2024-01-31T24:00:00", "2024-01-31T00:00:60", "2024-01-31T00:00:00.5",
        "2024-01-31T00:00:00z", "2024-01-31T00:00:00+0200",
    ],
)  # fmt: skip
def test_the_pattern_of_a_timestamp_rejects_what_the_service_rejects(
    contract: Contract, api: Api, text: str
) -> None:
    from jsonschema_rs import ValidationError

    with pytest.raises(ValidationError):
        contract.assert_valid(text, timestamp_schema(contract.document))
    assert errors_of_timestamp(api, text)[0]["field"] == "series[0].timestamps[0]"


def timestamp_schema(document: Document) -> dict[str, Any]:
    return document["components"]["schemas"]["TimeSeries"]["properties"]["timestamps"]["items"]


def errors_of_timestamp(api: Api, text: str) -> list[dict[str, Any]]:
    """Return the defects of an irregular series that starts with ``text``."""
    response = api.forecast(with_entry(GOOD, "timestamps", 0, text))
    return response.get_json()["error"]["details"]["errors"]


def test_the_headers_of_a_forecast_are_listed_as_parameters(document: Document) -> None:
    listed = document["paths"]["/forecast"]["post"]["parameters"]
    parameters = {
        (resolved := resolve(reference, document))["name"]: resolved for reference in listed
    }
    assert set(parameters) == {"X-Model-Id", "X-Model-Selector", "X-Holidays", "X-Request-Id"}
    model, selector = parameters["X-Model-Id"], parameters["X-Model-Selector"]
    models = [*(f"forecast-model-{number}" for number in (1, 2, 3, 4)), "seasonal_naive"]
    assert model["schema"] == {"type": "string", "enum": models, "default": models[0]}
    assert (selector["deprecated"], selector["schema"]["enum"]) == (True, models)
    assert {parameter["in"] for parameter in parameters.values()} == {"header"}
    assert not any(parameter.get("required") for parameter in parameters.values())


def test_every_response_lists_the_headers_that_every_response_has(document: Document) -> None:
    always = {*RATE_LIMIT_HEADERS, "X-Request-Id", "X-Api-Version"}
    for status, response in responses(document):
        headers = {name: resolve(header, document) for name, header in response["headers"].items()}
        assert headers["Cache-Control"]["schema"]["const"] == "no-store"
        assert always <= {name for name, header in headers.items() if header.get("required")}
        assert ("Retry-After" in headers) == (status in ("429", "503"))
        assert ("WWW-Authenticate" in headers) == (status == "401")


def test_only_a_body_without_required_fields_may_be_missing(document: Document) -> None:
    optional = {
        (method, path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if operation.get("requestBody", {}).get("required") is False
    }
    assert optional == {("patch", "/keys/{key_id}"), ("post", "/keys/{key_id}/rotate")}


def test_every_example_is_of_its_schema(document: Document, contract: Contract) -> None:
    count = 0
    for node in nodes(document):
        if {"schema", "examples"} <= set(node):
            for example in node["examples"].values():
                contract.assert_valid(resolve(example, document)["value"], node["schema"])
                count += 1
        elif "type" in node and "examples" in node:
            for example in node["examples"]:
                contract.assert_valid(example, node)
                count += 1
    assert count > 100


def test_every_error_of_the_endpoints_has_its_examples(
    document: Document, contract: Contract, shared_app: Flask
) -> None:
    listed = [
        example for example in error_examples(shared_app) if contract.operations(example.path)
    ]
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for status in (response for response in operation["responses"] if response >= "400"):
                response = resolve(operation["responses"][status], document)
                shown = response["content"]["application/json"].get("examples", {})
                assert set(shown) == {
                    parameter.name
                    for parameter in listed
                    if str(parameter.status) == status
                    and find_dialect(parameter.path, DIALECTS) is find_dialect(path, DIALECTS)
                }


def test_a_good_request_matches_its_schema(contract: Contract) -> None:
    for body in (GOOD, *(regular_body(frequency) for frequency in UNITS)):
        contract.assert_valid(body, {"$ref": "#/components/schemas/ForecastRequest"})


def _caller_over_limit(app: Flask, make_key: Callable) -> Api:
    make_account(app, "small", "enterprise", 1, 100, 100)
    caller = Api(app, make_key("read", account_name="small"))
    caller.forecast({})
    return caller


def _caller_of_failing_engine(app: Flask, key: str, error: Exception) -> Api:
    make_engine_fail(app, error)
    return Api(app, key)


def test_the_statuses_of_a_forecast_are_those_that_occur(
    document: Document, app: Flask, key: str, make_key: Callable
) -> None:
    caller = Api(app, key)
    occur = {
        caller.forecast(GOOD),
        caller.forecast({}),
        Api(app).forecast(GOOD),
        Api(app, make_key("write")).forecast(GOOD),
        caller.forecast(b" " * 5_000_000),
        caller.forecast(GOOD, Content_Type="text/plain"),
        caller.forecast(with_entry(GOOD, "values", 3, None)),
        _caller_over_limit(app, make_key).forecast(GOOD),
        _caller_of_failing_engine(app, key, ZeroDivisionError()).forecast(GOOD),
        _caller_of_failing_engine(app, key, EngineBusyError()).forecast(GOOD),
    }
    listed = document["paths"]["/forecast"]["post"]["responses"]
    assert {str(response.status_code) for response in occur} == set(listed)


@pytest.mark.parametrize("settings", [{"anonymous_per_minute": 1}])
def test_the_statuses_of_verify_are_those_that_occur(
    document: Document, app: Flask, key: str
) -> None:
    occur = {Api(app, key).verify(), Api(app).verify(), Api(app).verify()}
    listed = document["paths"]["/verify"]["get"]["responses"]
    elsewhere = {"403", "500", "503"}  # plain HTTP, an unavailable database, maintenance
    assert {str(response.status_code) for response in occur} == set(listed) - elsewhere
