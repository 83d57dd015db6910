"""The resource of monitors, and the API errors for the exceptions of its views."""

from flask import Blueprint, Response

from app.api.endpoints.endpoint import Tag
from app.api.errors.api_error import ApiError, unavailable_error
from app.api.monitors.response_schemas import MonitorSchema
from app.api.serving.error_response import error_response
from app.api.serving.resource import PathName, Resource, names_schema
from app.watching.monitors.settings.errors import (
    BusyMonitorError,
    FedMonitorError,
    NoSuchMonitorError,
)

_BUSY_SECONDS = 1
MONITOR_NAME = PathName("name", "monitor", "checkout-latency", NoSuchMonitorError)

blueprint = Blueprint("monitors", __name__)
MONITOR_RESOURCE = Resource(
    blueprint,
    Tag("Monitors", "Series whose points are judged on arrival, and the events found in them."),
    noun="monitor",
    path="/monitors/<name>",
    collection="/monitors",
    schema=MonitorSchema,
    variables=names_schema(MONITOR_NAME),
    new_variables=names_schema(MONITOR_NAME, is_new=True),
    missing=NoSuchMonitorError,
)


@blueprint.errorhandler(FedMonitorError)
def handle_fed_monitor(error: FedMonitorError) -> Response:
    """Return 409: only the query may change the monitor."""
    issue = (
        f"{error}: change or delete the query with /sources/{{source}}/queries/{{query}}, "
        "or send another name"
    )
    return error_response(ApiError(409, "The monitor is fed by a query", issue))


@blueprint.errorhandler(BusyMonitorError)
def handle_busy_monitor(_error: BusyMonitorError) -> Response:
    """Return 503 with Retry-After; nothing was stored."""
    issue = (
        "other requests kept changing this monitor, so nothing was stored; retry in "
        f"{_BUSY_SECONDS} s, and send the points of a monitor in one request at a time"
    )
    return error_response(unavailable_error("Service is busy", issue, _BUSY_SECONDS))
