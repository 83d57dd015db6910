"""The blueprint of monitors: what its views raise, as errors of the API."""

from flask import Blueprint, Response, request

from app.api.declaration import Tag
from app.api.errors import ApiError, error_response, not_found
from app.api.problems import describe
from app.monitors.records import BusyError, NoSuchMonitorError, TooManyMonitorsError

BUSY_SECONDS = 1
blueprint = Blueprint("monitors", __name__)

MONITORING = Tag(
    "Monitors",
    "Series that are judged as their points arrive, and the events found in them.",
)
ABSENT = frozenset({404})
NEEDS = """

Needs the permission `{permission}`; counts one request of the limits, whatever the response."""


@blueprint.errorhandler(NoSuchMonitorError)
def no_such_monitor(_error: NoSuchMonitorError) -> Response:
    """Say so, in the same words whether it is another account's or nobody's."""
    name = describe((request.view_args or {})["name"])
    remedy = "GET /monitors lists those that exist, PUT /monitors/{name} makes one"
    return error_response(not_found(f"monitor {name!r}", remedy))


@blueprint.errorhandler(TooManyMonitorsError)
def too_many_monitors(error: TooManyMonitorsError) -> Response:
    """Say how many there may be."""
    issue = (
        f"the account has {error.most:,} monitors, as many as it may; delete one that is not used, "
        "or have MONITORS_PER_ACCOUNT raised"
    )
    return error_response(ApiError(400, "Too many monitors", {"issue": issue}))


@blueprint.errorhandler(BusyError)
def monitor_is_busy(_error: BusyError) -> Response:
    """Ask for another try; nothing was stored."""
    issue = (
        "other requests kept changing this monitor, and nothing was stored; send the "
        f"request again in {BUSY_SECONDS} s, and points of one monitor one request after the other"
    )
    headers = {"Retry-After": str(BUSY_SECONDS)}
    return error_response(ApiError(503, "Service is busy", {"issue": issue}, headers))
