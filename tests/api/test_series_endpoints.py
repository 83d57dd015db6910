"""What /anomalies and /backtest share: invalid data, order of errors, permission, headers."""

from typing import Any

import pytest

from tests.support.api import Api, details_of, error_of, first_defect, with_entry
from tests.support.series import daily_body, detection_body

GOOD: dict[str, dict[str, Any]] = {
    "anomalies": detection_body(daily_body()),
    "backtest": daily_body() | {"models": ["forecast-model-2"]},
}
# The job of each endpoint, the additional fields of its request, and the horizon in the log.
JOBS: dict[str, tuple[str, dict[str, Any], int | None]] = {
    "anomalies": ("anomalies-last", {"detect": "last"}, None),
    "backtest": ("backtest", {}, 5),
}
TIMES = GOOD["anomalies"]["series"][0]["timestamps"]
DATA: list[tuple[str, int, Any, str]] = [
    ("values", 3, None, "missing entry: null is not a value"),
    ("values", 3, "12", "not a number"),
    ("values", 39, 1e101, "magnitude above 1e+100"),
    ("timestamps", 5, "yesterday", "invalid timestamp format"),
    ("timestamps", 5, TIMES[4], "duplicate timestamp"),
    ("timestamps", 5, TIMES[2], "timestamps must be in chronological order"),
    ("timestamps", 5, "2024-01-06T03:00:00", "irregular spacing"),
]
pytestmark = pytest.mark.parametrize("endpoint", GOOD)


@pytest.mark.parametrize(("column", "index", "entry", "issue"), DATA)
def test_wrong_data_is_named_by_its_index(
    api: Api, endpoint: str, column: str, index: int, entry: Any, issue: str
) -> None:
    response = getattr(api, endpoint)(with_entry(GOOD[endpoint], column, index, entry))
    field, reported, provided = first_defect(response, 422)
    assert (field, provided) == (f"series[0].{column}[{index}]", entry)
    assert reported.startswith(issue)


def test_a_wrong_parameter_wins_over_wrong_data(api: Api, endpoint: str) -> None:
    wrong = {"anomalies": {"direction": "above"}, "backtest": {"windows": 11}}[endpoint]
    body = with_entry(GOOD[endpoint], "values", 3, None) | wrong
    errors = details_of(getattr(api, endpoint)(body), 400)["errors"]
    assert [error["field"] for error in errors] == [*wrong, "series[0].values[3]"]


def test_the_order_of_rejections_is_that_of_a_forecast(
    api: Api, anonymous_api: Api, endpoint: str
) -> None:
    send = getattr(api, endpoint)
    error_of(getattr(anonymous_api, endpoint)(b"no JSON"), 401)
    error_of(send(b"no JSON", Content_Type="text/plain"), 415)
    error_of(send(b"no JSON"), 400)
    error_of(send(b" " * 4_194_305), 413)


def test_a_key_needs_the_permission_read(app, make_key, endpoint: str) -> None:
    caller = Api(app, make_key("write", "admin", "delete"))
    rejected = getattr(caller, endpoint)(GOOD[endpoint])
    assert details_of(rejected, 403)["required"] == ["read"]


def test_a_missing_parameter_is_named(api: Api, endpoint: str) -> None:
    for field in GOOD[endpoint].keys() - {"models"}:
        body = {name: value for name, value in GOOD[endpoint].items() if name != field}
        reported, issue, provided = first_defect(getattr(api, endpoint)(body), 400)
        assert (reported, provided) == (field, None)
        assert issue.startswith("missing: send ")


def test_metrics_and_log_name_the_job(
    api: Api, endpoint: str, caplog: pytest.LogCaptureFixture
) -> None:
    job, more, horizon = JOBS[endpoint]
    with caplog.at_level("INFO", logger="app.access"):
        getattr(api, endpoint)(GOOD[endpoint] | more)
    fields = caplog.records[-1].fields
    assert (fields["model"], fields["points"], fields["horizon"]) == (job, 40, horizon)
    metrics = api.app.test_client().get("/metrics").text
    assert f'forecast_engine_duration_seconds_count{{engine_job="{job}"}}' in metrics


def test_the_model_header_is_not_read(api: Api, endpoint: str) -> None:
    response = getattr(api, endpoint)(GOOD[endpoint], X_Model_Id="no-such-model")
    assert response.status_code == 200
    assert "X-Model-Id" not in response.headers
