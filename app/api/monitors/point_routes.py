"""The points of a monitor: append and judge them, list them and the events in pages."""

from app.api.callers.current_caller import current_caller
from app.api.computing.current import watching_context
from app.api.endpoints.endpoint import Result, Success
from app.api.errors.validation import Tree, validation_error
from app.api.examples.recorded import EXAMPLES
from app.api.monitors.blueprint import MONITOR_RESOURCE
from app.api.monitors.response import appended_body, point_bodies
from app.api.monitors.response_schemas import AppendedSchema, EventsPageSchema, PointsPageSchema
from app.api.monitors.schemas import PageSchema, PointsRequest, PointsRequestSchema
from app.api.request_state import JobDetails, request_state
from app.api.responses.headers import NOTICE_HEADER, notice_headers
from app.api.responses.json import Json
from app.api.series.columns import defect_messages
from app.watching.monitors import append
from app.watching.monitors.judging.point_judge import MAX_SKIPPED_POINTS
from app.watching.monitors.queries import monitor_queries
from app.watching.monitors.settings.errors import PointErrors
from app.watching.monitors.storage.messages import event_body

_APPEND_DESCRIPTION = f"""\
Appends 1 to {append.MAX_APPEND_POINTS:,} points and returns a verdict for each. The arrays are
parallel, with one entry per point sent. Points, verdicts and events are stored in one transaction:
if a request gets no response, send it again unchanged.

Points are processed one by one: the result is the same in one request or in many.

- A point that is already stored gets its first verdict again (`duplicate`); if its value differs,
  nothing changes (`conflict`).
- A point older than the newest is stored but not judged (`late`).
- Missing points are skipped, at most {MAX_SKIPPED_POINTS:,} in one request. After more than two
  seasons without a point, learning starts again, and `X-Forecast-Notice` says so.

Timestamps lie on the time grid that the first point, or the history, defines."""
_PAGE_DESCRIPTION = """\
Lists the stored {things}. Send `next` as `after` to get the next page; it is null if there is none
yet. To continue later, send the `cursor` of the last entry that you read."""


@MONITOR_RESOURCE.endpoint(
    "POST",
    "/monitors/<name>/points",
    body=PointsRequestSchema(),
    successes={200: Success("The verdicts.", AppendedSchema(), NOTICE_HEADER)},
    description=_APPEND_DESCRIPTION,
    example=EXAMPLES.success("points", "Three points, five minutes apart, after two days"),
    errors=[409],
)
def append_points(request: PointsRequest, name: str) -> Result:
    """Append points to a monitor and return their verdicts."""
    request_state().job_details = JobDetails(MONITOR_RESOURCE.noun, len(request.sent))
    try:
        appended = append.append_points(
            watching_context(),
            current_caller().account_id,
            name,
            request.timestamps,
            request.values,
        )
    except PointErrors as error:
        sent = {"timestamps": request.sent}
        messages: Tree = {"timestamps": defect_messages(error)}
        raise validation_error([(PointsRequestSchema(), messages, sent)]) from None
    return Result(appended_body(appended, request.sent), notice_headers(appended.notices))


@MONITOR_RESOURCE.endpoint(
    "GET",
    "/monitors/<name>/points",
    query=PageSchema(),
    successes={200: Success("A page of points.", PointsPageSchema())},
    description=_PAGE_DESCRIPTION.format(things="points, ordered by time"),
)
def list_points(page: Json, name: str) -> Json:
    """List the points of a monitor."""
    points = monitor_queries.read_points(current_caller().account_id, name, **page)
    return {"points": point_bodies(points.items), "next": points.next}


@MONITOR_RESOURCE.endpoint(
    "GET",
    "/monitors/<name>/events",
    query=PageSchema(),
    successes={200: Success("A page of events.", EventsPageSchema())},
    tool="monitor_events",
    description=_PAGE_DESCRIPTION.format(things="events, ordered by their last change")
    + " An event gets a new cursor when it becomes an alert and when it closes, so a client "
    "that reads by cursor sees it again, with the same `id`.",
)
def list_events(page: Json, name: str) -> Json:
    """List the events of a monitor."""
    events = monitor_queries.read_events(current_caller().account_id, name, **page)
    return {"events": [event_body(event) for event in events.items], "next": events.next}
