"""The points of a monitor: append and judge them, list them and the events in pages."""

from flask import g

from app.api.declaration import PERMISSION_NOTE, Endpoint, Example, Json
from app.api.endpoint import endpoint
from app.api.examples import APPENDED, POINTS_REQUEST
from app.api.identity import caller
from app.api.monitors.blueprint import (
    MONITORING,
    NOT_FOUND_ERRORS,
    NOT_FOUND_OR_FED_ERRORS,
    blueprint,
)
from app.api.monitors.response import appended_body, point_bodies
from app.api.monitors.response_schemas import (
    AppendedSchema,
    EventsPageSchema,
    PointsPageSchema,
)
from app.api.monitors.schemas import (
    MAX_APPEND_POINTS,
    NameSchema,
    PageSchema,
    PointsOrder,
    PointsRequestSchema,
)
from app.api.notices import NOTICE_HEADER, notice_headers
from app.api.problems import Tree, validation_error
from app.api.request_log import RequestJob
from app.api.series.columns import defect_problems
from app.api.watching_context import watching_context
from app.identity.accounts.permissions import Permission
from app.watching.monitors import append, queries
from app.watching.monitors.judging import MAX_SKIPPED_POINTS
from app.watching.monitors.messages import event_body
from app.watching.monitors.records import PointErrors

LABEL = "monitor"
APPEND_DESCRIPTION = f"""\
Appends 1 to {MAX_APPEND_POINTS:,} points and returns a verdict for each. The arrays are
parallel, with one entry per point sent. Points, verdicts and events are stored in one transaction:
if a request gets no response, send it again unchanged.

Points are processed one by one: the result is the same in one request or in many.

- A point that is already stored gets its first verdict again (`duplicate`); if its value differs,
  nothing changes (`conflict`).
- A point older than the newest is stored but not judged (`late`).
- Missing points are skipped, at most {MAX_SKIPPED_POINTS:,} in one request. After more than two
  seasons without a point, learning starts again, and `X-Forecast-Notice` says so.

Timestamps lie on the time grid that the first point, or the history, defines."""
PAGE_DESCRIPTION = """\
Lists the stored {things}. Send `next` as `after` to get the next page; it is null if there is none
yet. To continue later, send the `cursor` of the last entry that you read."""


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/monitors/<name>/points",
        permission=Permission.WRITE,
        variables=NameSchema(),
        body=PointsRequestSchema(),
        response=AppendedSchema(),
        successes={200: "The verdicts."},
        response_headers=NOTICE_HEADER,
        tag=MONITORING,
        description=APPEND_DESCRIPTION + PERMISSION_NOTE.format(permission="write"),
        example=Example(
            "Three points, five minutes apart, after two days", APPENDED, POINTS_REQUEST
        ),
        other_errors=NOT_FOUND_OR_FED_ERRORS,
    ),
)
def append_points(order: PointsOrder, name: str) -> tuple[Json, dict[str, str]]:
    """Append points to a monitor and return their verdicts."""
    g.work = RequestJob(LABEL, len(order.sent))
    try:
        appended = append.append_points(
            watching_context(), caller().account_id, name, order.timestamps, order.values
        )
    except PointErrors as error:
        sent = {"timestamps": order.sent}
        problems: Tree = {"timestamps": defect_problems(error)}
        raise validation_error([(PointsRequestSchema(), problems, sent)]) from None
    return appended_body(appended, order.sent), notice_headers(appended.notices)


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/monitors/<name>/points",
        permission=Permission.READ,
        variables=NameSchema(),
        query=PageSchema(),
        response=PointsPageSchema(),
        successes={200: "A page of points."},
        tag=MONITORING,
        description=PAGE_DESCRIPTION.format(things="points, ordered by time")
        + PERMISSION_NOTE.format(permission="read"),
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def list_points(page: Json, name: str) -> Json:
    """List the points of a monitor."""
    found = queries.read_points(caller().account_id, name, **_page_arguments(page))
    return {"points": point_bodies(found.items), "next": found.next}


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/monitors/<name>/events",
        permission=Permission.READ,
        variables=NameSchema(),
        query=PageSchema(),
        response=EventsPageSchema(),
        successes={200: "A page of events."},
        tag=MONITORING,
        description=PAGE_DESCRIPTION.format(things="events, ordered by their last change")
        + " An event gets a new cursor when it becomes an alert and when it closes, so a client "
        "that reads by cursor sees it again, with the same `id`."
        + PERMISSION_NOTE.format(permission="read"),
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def list_events(page: Json, name: str) -> Json:
    """List the events of a monitor."""
    found = queries.read_events(caller().account_id, name, **_page_arguments(page))
    return {"events": [event_body(event) for event in found.items], "next": found.next}


def _page_arguments(page: Json) -> Json:
    newest_first = page["order"] == "desc"
    return {"after": page["after"], "limit": page["limit"], "newest_first": newest_first}
