"""Each error that the API raises is in the published causes of its status."""

import ast
from collections.abc import Iterator

import pytest

from app.api.errors.api_error import INVALID_PARAMETERS, INVALID_SERIES
from app.api.errors.statuses import STATUSES
from tests.support.server import ROOT

SOURCES = [
    *(ROOT / "app/api").rglob("*.py"),
    *(ROOT / "app/core").glob("*.py"),
    ROOT / "app/ops/metrics/routes.py",
]
RAISING = {"ApiError", "BodyError", "defect_error"}
# The part of a status's published text that covers an error, by its status and message.
CAUSES = {
    (400, "Invalid request parameters"): "A parameter is unknown or wrong",
    (400, "Key cannot be changed"): "The key to be changed is not active",
    (400, "Request body is incomplete"): "or the body is not valid JSON (or zstd), incomplete",
    (400, "Request body is not a JSON object"): "not a JSON object",
    (400, "Request body is not valid JSON"): "not valid JSON",
    (400, "Request body is not valid zstd"): "not valid JSON (or zstd)",
    (400, "There is no secret"): "the webhook whose secret is to be rotated has none",
    (400, "Too many …"): "has reached a quota",
    (400, "Unsupported protocol version"): "unknown version of the protocol",
    (401, "API key is missing, invalid or expired"): "The key is missing",
    (403, "API key cannot grant permissions that it lacks: …"): "tries to grant one that it lacks",
    (403, "API key lacks the permission …"): "The key lacks a permission",
    (403, "Address may not read metrics"): "`/metrics` is not open to its address",
    (403, "Forbidden"): "from a page of another site",
    (403, "HTTPS is required"): "over plain HTTP",
    (404, "Not Found"): "the account has nothing of this name or id",
    (406, "Not Acceptable"): "allows only one of",
    (409, "The monitor is fed by a query"): "the monitor to change belongs to a query",
    (409, "The webhook is in use"): "Monitors or queries use the webhook to delete",
    (413, "Request body is too large"): "The body is too large",
    (413, "The table is too large"): "a file has too many cells, series or characters",
    (415, "Unsupported media type"): "`Content-Encoding`",
    (422, "Invalid query"): "Sources and queries: an invalid setting",
    (422, "Invalid replay"): "Sources and queries: an invalid setting",
    (422, "Invalid request"): "Nixtla's and Azure's clients",
    (422, "Invalid source"): "Sources and queries: an invalid setting",
    (422, "Invalid time series data"): "`timestamps` or `values` are invalid",
    (422, "No series can be forecast"): "has no series that can be forecast",
    (422, "Not a table of series"): "the file is not a table",
    (422, "Not offered"): "the service does not offer the call",
    (422, "The query cannot be replayed"): "a replay that failed",
    (422, "The table leaves questions open"): "leaves questions open",
    (422, "Too long names"): "more memory, time or forecasts than one request may use",
    (422, "Too many dates"): "more memory, time or forecasts than one request may use",
    (422, "Too many forecasts"): "more memory, time or forecasts than one request may use",
    (422, "Too much memory needed"): "more memory, time or forecasts than one request may use",
    (422, "Too much time needed"): "more memory, time or forecasts than one request may use",
    (422, "Too much work"): "more memory, time or forecasts than one request may use",
    (429, "Rate limit exceeded: …"): "A limit is used up",
    (500, "Internal server error"): "The service failed",
    (503, "Credentials cannot be stored"): "cannot store credentials",
    (503, "Service is busy"): "The service is busy",
    (503, "Service is not ready"): "`/healthz` and `/readyz` also return 503",
    (503, "Service is restarting"): "restarting",
    (503, "Service is unhealthy"): "`/healthz` and `/readyz` also return 503",
}


def raised_errors() -> Iterator[tuple[int, str]]:
    """Yield the status and message of each error that is raised with a literal message.

    An f-string is cut at its first value. Two errors have names, as several modules raise them.
    """
    yield from (INVALID_PARAMETERS, INVALID_SERIES)
    for path in SOURCES:
        nodes = list(ast.walk(ast.parse(path.read_text())))
        assigned = [
            (node.targets[0].id, node.value)
            for node in nodes
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        ]
        errors = [(422, value) for name, value in assigned if name == "data_message"]
        errors += [error for node in nodes if (error := status_and_message(node))]
        for status, given in errors:
            message = dict(assigned).get(given.id) if isinstance(given, ast.Name) else given
            if isinstance(message, ast.JoinedStr):
                yield status, f"{ast.literal_eval(message.values[0])}…"
            elif isinstance(message, ast.Constant) and message.value:
                yield status, str(message.value)


def status_and_message(node: ast.AST) -> tuple[int, ast.expr] | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "unavailable_error":
            return 503, node.args[0]
        if node.func.id in RAISING and isinstance(node.args[0], ast.Constant):
            return int(str(node.args[0].value)), node.args[1]
    return None


def test_each_error_that_is_raised_is_a_published_cause_of_its_status() -> None:
    assert set(raised_errors()) == set(CAUSES)


@pytest.mark.parametrize(("status", "message"), CAUSES)
def test_the_published_text_of_a_status_names_the_cause(status: int, message: str) -> None:
    assert CAUSES[status, message] in STATUSES[status]
