"""The form that appends the points of a table to a monitor that no query feeds."""

from flask import Response, request
from marshmallow import ValidationError

from app.api.computing.engine_jobs import watching_context
from app.api.monitors.schemas import PointsRequestSchema
from app.tables.results import TableSeries
from app.watching.monitors import append, monitor_queries
from app.watching.monitors.errors import BusyMonitorError, FedMonitorError, PointErrors
from app.watching.monitors.monitor_records import AppendResult, PointStatus
from app.web.dashboard.access import admins_only, check_admin, member, redirect_to
from app.web.dashboard.blueprint import blueprint
from app.web.dashboard.filters import sentence
from app.web.dashboard.forms import Form, first_message, read_texts
from app.web.dashboard.monitors import monitor_page
from app.web.dashboard.pasted_tables import answers_in, read_pasted


@blueprint.post("/monitors/<name>/points")
@admins_only
def append_table(name: str) -> Response:
    """Append the newest points of a table, as many as a request may have."""
    check_admin()
    monitor = monitor_queries.get_monitor(member().account_id, name)
    if monitor.fed_by is not None:
        raise FedMonitorError(monitor.fed_by)
    typed = read_texts(request.form, ("table",))
    answers = answers_in(request.form)
    pasted = read_pasted(typed["table"], answers, is_history=False)
    if pasted.series is None:
        form = Form(typed | answers, {"table": pasted.problem})
        return monitor_page(name, 400, append=form, questions=pasted.questions)
    try:
        appended = _append(name, pasted.series)
    except ValueError as error:
        form = Form(typed | answers, {"table": sentence(str(error))})
        return monitor_page(name, 400, append=form, questions=pasted.questions)
    return redirect_to("monitor", name=name, done=_appended_notice(appended))


def _append(name: str, series: TableSeries) -> AppendResult:
    """Append points.

    Raises:
        ValueError: They do not fit the monitor; the message says which and why.
    """
    body = {
        "timestamps": [*series.timestamps[-append.MAX_APPEND_POINTS :]],
        "values": [*series.values[-append.MAX_APPEND_POINTS :]],
    }
    try:
        points = PointsRequestSchema().load(body)
        return append.append_points(
            watching_context(), member().account_id, name, points.timestamps, points.values
        )
    except ValidationError as error:
        raise ValueError(first_message(error.messages_dict)) from None
    except PointErrors as error:
        raise ValueError(error.defects[0].issue) from None
    except BusyMonitorError:
        raise ValueError("other programs append points right now: send it again") from None


def _appended_notice(appended: AppendResult) -> str:
    """Return the notice of the page."""
    statuses = {point.status for point in appended.points}
    if PointStatus.CONFLICT in statuses:
        return "points-differ"
    return "points-known" if statuses == {PointStatus.DUPLICATE} else "points-appended"
