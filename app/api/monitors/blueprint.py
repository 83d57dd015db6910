"""The blueprint of monitors, and the API errors for the exceptions of its views."""

from flask import Blueprint, Response, request

from app.api.declaration import Tag
from app.api.error_response import error_response
from app.api.errors import ApiError, not_found, too_many
from app.api.problems import describe
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
ABSENT = frozenset({404})
ABSENT_OR_FED = ABSENT | {409}


@blueprint.errorhandler(NoSuchMonitorError)
def no_such_monitor(_error: NoSuchMonitorError) -> Response:
    """Return 404, the same whether the monitor belongs to another account or does not exist."""
    name = describe((request.view_args or {})["name"])
    remedy = "GET /monitors lists the monitors of the account, PUT /monitors/{name} creates one"
    return error_response(not_found(f"monitor {name!r}", remedy))


@blueprint.errorhandler(FedError)
def monitor_is_fed(error: FedError) -> Response:
    """Return 409: only the query may change the monitor."""
    issue = (
        f"the monitor is fed by the query {error.query!r}: change or delete the query with "
        "/sources/{source}/queries/{query}, or send another name"
    )
    return error_response(ApiError(409, "The monitor is fed by a query", {"issue": issue}))


@blueprint.errorhandler(TooManyMonitorsError)
def too_many_monitors(error: TooManyMonitorsError) -> Response:
    """Return 400 with the number of monitors allowed."""
    return error_response(too_many("monitors", error.limit, "MONITORS_PER_ACCOUNT"))


@blueprint.errorhandler(BusyError)
def monitor_is_busy(_error: BusyError) -> Response:
    """Return 503 with Retry-After; nothing was stored."""
    issue = (
        "other requests kept changing this monitor, so nothing was stored; retry in "
        f"{BUSY_SECONDS} s, and send the points of a monitor in one request at a time"
    )
    headers = {"Retry-After": str(BUSY_SECONDS)}
    return error_response(ApiError(503, "Service is busy", {"issue": issue}, headers))
