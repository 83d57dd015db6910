"""The blueprint of monitors, and the API errors for the exceptions of its views."""

from flask import Blueprint, Response, request

from app.api.declaration import Tag
from app.api.error_response import error_response
from app.api.errors import ApiError, not_found_error, too_many_error
from app.api.problems import describe_value
from app.watching.monitors.records import (
    BusyError,
    FedError,
    NoSuchMonitorError,
    TooManyMonitorsError,
)

BUSY_SECONDS = 1
blueprint = Blueprint("monitors", __name__)

MONITORING = Tag(
    "Monitors",
    "Series whose points are judged on arrival, and the events found in them.",
)
NOT_FOUND_ERRORS = frozenset({404})
NOT_FOUND_OR_FED_ERRORS = NOT_FOUND_ERRORS | {409}


@blueprint.errorhandler(NoSuchMonitorError)
def handle_no_such_monitor(_error: NoSuchMonitorError) -> Response:
    """Return 404, the same whether the monitor belongs to another account or does not exist."""
    name = describe_value((request.view_args or {})["name"])
    remedy = "GET /monitors lists the monitors of the account, PUT /monitors/{name} creates one"
    return error_response(not_found_error(f"monitor {name!r}", remedy))


@blueprint.errorhandler(FedError)
def handle_fed_monitor(error: FedError) -> Response:
    """Return 409: only the query may change the monitor."""
    issue = (
        f"the monitor is fed by the query {error.query!r}: change or delete the query with "
        "/sources/{source}/queries/{query}, or send another name"
    )
    return error_response(ApiError(409, "The monitor is fed by a query", {"issue": issue}))


@blueprint.errorhandler(TooManyMonitorsError)
def handle_too_many_monitors(error: TooManyMonitorsError) -> Response:
    """Return 400 with the number of monitors allowed."""
    return error_response(too_many_error("monitors", error.limit, "MONITORS_PER_ACCOUNT"))


@blueprint.errorhandler(BusyError)
def handle_busy_monitor(_error: BusyError) -> Response:
    """Return 503 with Retry-After; nothing was stored."""
    issue = (
        "other requests kept changing this monitor, so nothing was stored; retry in "
        f"{BUSY_SECONDS} s, and send the points of a monitor in one request at a time"
    )
    headers = {"Retry-After": str(BUSY_SECONDS)}
    return error_response(ApiError(503, "Service is busy", {"issue": issue}, headers))
