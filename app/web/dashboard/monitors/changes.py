"""The forms that create, change, mute and delete monitors, and append pasted tables."""

import functools
from dataclasses import fields

from flask import Response, request
from marshmallow import ValidationError

from app.api.computing.current import watching_context
from app.api.computing.engine_jobs import run_job
from app.api.endpoints.endpoint import READ_METHODS
from app.api.errors.api_error import ApiError
from app.api.monitors.schemas import MonitorRequest, MonitorRequestSchema, PointsRequestSchema
from app.core.database import utcnow
from app.identity.accounts.changes import open_change
from app.tables.reading import TableSeries
from app.timeseries.calendar.frequency import Frequency
from app.watching.monitors import append, monitor_registry
from app.watching.monitors.queries import monitor_queries
from app.watching.monitors.settings.errors import (
    BusyMonitorError,
    FedMonitorError,
    PointErrors,
)
from app.watching.monitors.settings.monitor_records import AppendResult, PointStatus
from app.watching.monitors.settings.monitor_settings import GridSettings
from app.watching.monitors.storage.detector_fitter import LEARN_JOB
from app.web.dashboard.access import actor, admins_only, member, redirect_to
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.change_errors import collect_field_errors
from app.web.dashboard.errors import error_page
from app.web.dashboard.filters import sentence
from app.web.dashboard.form_fields import FIELDS, body_of, default_texts, name_errors
from app.web.dashboard.forms import (
    Form,
    FormValues,
    first_message,
    load_body,
    read_form,
    read_texts,
)
from app.web.dashboard.monitors.pages import monitor_page, only_webhook, webhook_names
from app.web.dashboard.monitors.pasted_tables import (
    FieldQuestions,
    PastedTable,
    answers_in,
    read_pasted,
)
from app.web.dashboard.monitors.texts import DIRECTIONS
from app.web.dashboard.mutes import MUTE, MuteSchema

# The settings that the form of a monitor changes: not those that its points depend on.
_CHANGEABLE = {field.record_field or field.name for field in FIELDS["monitor"].values()} - {
    field.name for field in fields(GridSettings)
}
_NEW_MONITOR: FormValues = default_texts("monitor") | {"data_frequency": Frequency.MINUTES}


@blueprint.route("/new-monitor", methods=["GET", "POST"])
@admins_only
def new_monitor() -> Response:
    if request.method in READ_METHODS:
        return _form_page(Form(_NEW_MONITOR | only_webhook()))
    typed = read_texts(request.form, ("name", "table", *FIELDS["monitor"]))
    answers = answers_in(request.form)
    name = typed["name"]
    errors = name_errors("monitor", name)
    pasted = read_pasted(typed["table"], answers) if typed["table"] else PastedTable()
    if pasted.problem:
        errors["table"] = pasted.problem
    series: list[FormValues] = []
    if history := pasted.series:
        typed |= {"data_frequency": str(history.data_frequency), "step": str(history.step)}
        series = [{"timestamps": [*history.timestamps], "values": [*history.values]}]
    body = body_of("monitor", typed) | ({"series": series} if series else {})
    loaded, problems = load_body(MonitorRequestSchema(), body)
    if issue := problems.pop("series", None):
        errors["table"] = issue
    form = Form(typed | answers, errors | problems)
    if not form.errors:
        _create_monitor(name, form, loaded)
    if form.errors:
        return _form_page(form, 400, pasted.questions)
    done = "monitor-created-with-history" if series else "monitor-created"
    return redirect_to("monitor", name=name, done=done)


@blueprint.post("/monitors/<name>/settings")
@admins_only
def change_monitor(name: str) -> Response:
    """Change the settings of a monitor, except those that its points depend on."""
    settings = monitor_queries.get_monitor(member().account_id, name).settings
    fixed = {"data_frequency": settings.data_frequency, "step": str(settings.step)}
    typed = read_texts(request.form, FIELDS["monitor"]) | fixed
    loaded, errors = load_body(MonitorRequestSchema(), body_of("monitor", typed))
    form = Form(typed, errors)
    if not errors:
        changes = {field: getattr(loaded.settings, field) for field in _CHANGEABLE}
        with collect_field_errors(form):
            monitor_registry.change_monitor(actor(), member().account_id, name, changes)
    if form.errors:
        return monitor_page(name, 400, form)
    return redirect_to("monitor", name=name, done="monitor-changed")


@blueprint.post("/monitors/<name>/points")
@admins_only
def append_table(name: str) -> Response:
    """Append the newest points of a table, as many as a request may have."""
    monitor = monitor_queries.get_monitor(member().account_id, name)
    if monitor.fed_by is not None:
        raise FedMonitorError(monitor.fed_by)
    typed = read_texts(request.form, ("table",))
    answers = answers_in(request.form)
    pasted = read_pasted(typed["table"], answers, is_history=False)
    problem = pasted.problem
    if pasted.series is not None:
        try:
            appended = _append_series(name, pasted.series)
            return redirect_to("monitor", name=name, done=_appended_notice(appended))
        except (ValidationError, PointErrors, BusyMonitorError) as error:
            problem = sentence(_append_problem_text(error))
    form = Form(typed | answers, {"table": problem})
    return monitor_page(name, 400, append_form=form, questions=pasted.questions)


@blueprint.post("/monitors/<name>/mute")
@admins_only
def mute_monitor(name: str) -> Response:
    """Send nothing about a monitor for a while, or send again."""
    values, form = read_form(MuteSchema(), request.form)
    if form.errors:
        return monitor_page(name, 400, mute_form=form)
    until = MUTE.end(values, utcnow())
    monitor_registry.change_monitor(actor(), member().account_id, name, {"muted_until": until})
    return redirect_to("monitor", name=name, done="monitor-muted" if until else "monitor-unmuted")


@blueprint.route("/monitors/<name>/delete", methods=["GET", "POST"])
@admins_only
def delete_monitor(name: str) -> Response:
    """Return the page with the effects of deleting a monitor; on POST, delete it."""
    account_id = member().account_id
    if request.method in READ_METHODS:
        monitor = monitor_queries.get_monitor(account_id, name)
        if monitor.fed_by is not None:
            raise FedMonitorError(monitor.fed_by)
        return account_page("delete_monitor.html", monitor=monitor)
    monitor_registry.delete_monitor(actor(), account_id, name)
    return redirect_to("monitors", done="monitor-deleted")


@blueprint.errorhandler(FedMonitorError)
def fed_by_query(error: FedMonitorError) -> Response:
    """Return the page for a change of a monitor that only its query can make."""
    issue = f"{error}: change the query, on the page Sources"
    return error_page(ApiError(409, "The monitor is fed by a query", issue))


def _create_monitor(name: str, form: Form, loaded: MonitorRequest) -> None:
    with collect_field_errors(form):
        monitor_registry.put_monitor(
            watching_context(),
            actor(),
            member().account_id,
            name=name,
            settings=loaded.settings,
            history=loaded.history,
            learn=functools.partial(run_job, LEARN_JOB),
            must_be_new=True,
        )


def _form_page(form: Form, status: int = 200, questions: FieldQuestions | None = None) -> Response:
    return account_page(
        "new_monitor.html",
        status,
        form=form,
        questions=questions or {},
        frequencies={frequency.value: frequency.value for frequency in Frequency},
        directions=DIRECTIONS,
        webhooks=webhook_names(),
    )


def _append_series(name: str, series: TableSeries) -> AppendResult:
    body = {
        "timestamps": [*series.timestamps[-append.MAX_APPEND_POINTS :]],
        "values": [*series.values[-append.MAX_APPEND_POINTS :]],
    }
    points = PointsRequestSchema().load(body)
    with open_change(actor()):
        pass  # reading a table takes long: the member may be an admin no more
    return append.append_points(
        watching_context(), member().account_id, name, points.timestamps, points.values
    )


def _append_problem_text(error: ValidationError | PointErrors | BusyMonitorError) -> str:
    """Return why points were not appended: which do not fit the monitor, and why."""
    if isinstance(error, ValidationError):
        return first_message(error.messages_dict)
    if isinstance(error, PointErrors):
        return error.defects[0].issue
    return "other programs append points right now: send it again"


def _appended_notice(appended: AppendResult) -> str:
    statuses = {point.status for point in appended.points}
    if PointStatus.CONFLICT in statuses:
        return "points-differ"
    return "points-known" if statuses == {PointStatus.DUPLICATE} else "points-appended"
