"""Failed calls are explained by the examples of /docs/errors that may be their cause."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app.api.dialects import DIALECTS
from app.api.endpoints.dialect import register_dialects
from app.identity.usage.queries import Failure
from app.web.dashboard.explained_failures import explain_all, explain_failure


@pytest.fixture(autouse=True, scope="module")
def application() -> Iterator[None]:
    """Yield an application in a request context, with its dialects."""
    app = Flask(__name__)
    register_dialects(app, DIALECTS)
    with app.app_context():
        yield


def causes(endpoint: str, status: int, field: str = "") -> list[str]:
    return [cause.name for cause in explain_failure(Failure(endpoint, status, field, 1)).causes]


def test_a_field_at_fault_has_the_errors_of_that_field() -> None:
    assert "horizon-out-of-range" in causes("POST /forecast", 400, "forecast_horizon")
    assert "unknown-frequency" not in causes("POST /forecast", 400, "forecast_horizon")
    assert "missing-value" in causes("POST /forecast", 422, "series.values")


def test_the_endpoint_s_own_errors_come_first() -> None:
    names = causes("POST /anomalies", 422, "series.timestamps")
    assert names[0] == "too-few-points-to-judge"
    assert "not-chronological" in names


def test_an_endpoint_has_no_errors_of_another_one() -> None:
    assert causes("POST /monitors/{name}/points", 503)[0] == "monitor-busy"
    assert "monitor-busy" not in causes("POST /forecast", 503)


@pytest.mark.parametrize(
    ("endpoint", "status", "field", "expected"),
    [
        ("GET /usage", 400, "", []),
        ("GET /monitors", 400, "", []),
        ("GET /keys", 500, "", ["database-away", "unexpected"]),
        ("GET /keys/{key_id}", 404, "", ["unknown-key"]),
        ("DELETE /keys/{key_id}", 404, "", ["unknown-key"]),
        ("GET /monitors/{name}", 404, "", ["unknown-monitor"]),
        ("POST /anomalydetector/v1.1/timeseries/last/detect", 422, "series", []),
        ("GET /verify", 503, "", []),
    ],
)
def test_a_cause_fits_method_path_and_field(endpoint, status, field, expected) -> None:
    assert causes(endpoint, status, field) == expected


def test_only_the_sender_of_a_bad_body_gets_its_error() -> None:
    assert "malformed-json" in causes("PATCH /keys/{key_id}", 400)
    assert "too-many-monitors" not in causes("POST /monitors/{name}/points", 400)


def test_the_one_example_of_a_field_is_not_shown_as_the_cause() -> None:
    of_field = explain_failure(Failure("GET /usage", 400, "since", 1))
    assert (len(of_field.causes), of_field.is_certain) == (1, False)
    assert explain_failure(Failure("GET /keys/{key_id}", 404, "", 1)).is_certain


def test_failures_with_the_same_remedy_are_one_group_with_its_fields() -> None:
    failures = [
        Failure("POST /forecast", 400, "forecast_horizon", 5),
        Failure("POST /forecast", 422, "series.values", 9),
        Failure("POST /anomalies", 400, "detect", 2),
        Failure("POST /forecast", 400, "series", 3),
    ]
    first, second = explain_all(failures)
    assert (first.calls, [member.failure for member in first.members]) == (
        10,
        [failures[0], failures[2], failures[3]],
    )
    names = {name for member in first.members for name in (cause.name for cause in member.causes)}
    assert {cause.name for cause in first.explained.causes} == names
    assert (second.calls, second.members[0].failure.field) == (9, "series.values")


def test_errors_of_callers_without_a_key_are_not_causes() -> None:
    assert causes("POST /forecast", 429) == ["limit-used-up"]


@pytest.mark.parametrize("status", [418, 599])
def test_a_status_without_a_description_is_shown_without_a_reason(status: int) -> None:
    explained = explain_failure(Failure("POST /forecast", status, "", 1))
    assert (explained.status_meaning, explained.causes) == ("", ())
