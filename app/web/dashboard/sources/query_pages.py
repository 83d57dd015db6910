"""The pages of a source's queries: one of them, try it, add, change, mute and delete it."""

from typing import Any

from flask import Response, request

from app.api.computing.engine_jobs import run_job
from app.api.endpoints.endpoint import READ_METHODS
from app.api.errors.api_error import ApiError
from app.api.service import current_settings
from app.core.database import utcnow
from app.core.http.errors import HttpError
from app.delivery import outbox
from app.delivery.webhook_queries import get_webhook
from app.identity.accounts.changes import open_change
from app.identity.accounts.errors import NameTakenError
from app.watching.feeds import Feed
from app.watching.monitors.queries.activity import open_events
from app.watching.monitors.queries.monitor_queries import list_monitors
from app.watching.monitors.storage.messages import event_body
from app.watching.sources import query_registry, source_reader
from app.watching.sources.alerts import send_test_alert
from app.watching.sources.query_replay import DEFAULT_DAYS, replay_query
from app.watching.sources.source_checks import (
    CheckBusyError,
    QueryPreview,
    acquire_check_slot,
    new_query_problem,
    preview_query,
)
from app.watching.sources.source_records import (
    QueryRecord,
    QuerySettings,
    UnreadableCredentialsError,
)
from app.web.dashboard.access import actor, admins_only, member, redirect_to
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.change_errors import collect_field_errors
from app.web.dashboard.filters import sentence
from app.web.dashboard.form_fields import FIELDS, name_errors, texts_of
from app.web.dashboard.forms import Form, read_form
from app.web.dashboard.monitors.event_texts import event_texts
from app.web.dashboard.monitors.pages import only_webhook, webhook_names
from app.web.dashboard.monitors.texts import DIRECTIONS
from app.web.dashboard.mutes import MUTE, MUTE_CHOICES, MuteSchema
from app.web.dashboard.sources.forms import (
    new_query,
    read_preview_settings,
    read_query,
    read_query_settings,
)
from app.web.dashboard.sources.previews import ONLY_SERIES, drawn_times, preview_lines
from app.web.dashboard.sources.replay_charts import replay_page
from app.web.dashboard.sources.texts import first_alert_text, format_seconds, query_row

# The settings that the form of a query changes.
_CHANGEABLE = {field.record_field or field.name for field in FIELDS["query"].values()}
_MAX_OPEN_EVENTS = 20  # open ones, on the page of a query
_QUERY_PATH = "/sources/<source>/queries/<query>"
_TESTED = "query-tested"
_NOTICES = {
    "query-created": "The query is saved: the worker reads its history now.",
    "query-changed": "The query is changed, and so are all of its monitors.",
    "query-muted": "Query muted: nothing is sent about its monitors.",
    _TESTED: "A test is being sent: “Sent to” says how it went, when it is known.",
    "query-unmuted": "Query unmuted: open alerts are sent.",
}


@blueprint.get(_QUERY_PATH, endpoint="query")
def show_query(source: str, query: str) -> Response:
    return _query_page(source, query)


@blueprint.post(f"{_QUERY_PATH}/test")
@admins_only
def test_query(source: str, query: str) -> Response:
    """Send a test to all that get the alerts of a query: its webhook, and its Alertmanagers."""
    account_id = member().account_id
    record = source_reader.get_query(account_id, source, query)
    try:
        with acquire_check_slot(account_id):
            with open_change(actor()) as connection:
                if record.settings.webhook is not None:
                    outbox.send_test(connection, account_id, record.settings.webhook)
            send_test_alert(current_settings(), account_id, member().account_name, record)
    except CheckBusyError as error:
        return _query_page(source, query, 503, problem=str(error))
    return redirect_to("query", source=source, query=query, done=_TESTED)


@blueprint.route("/sources/<source>/new-query", methods=["GET", "POST"])
@admins_only
def new_query_of(source: str) -> Response:
    if request.method in READ_METHODS:
        record = source_reader.get_source(member().account_id, source)
        webhook = {} if record.alertmanagers else only_webhook()
        return _form_page(source, Form(new_query() | webhook))
    name = request.form.get("name", "").strip()
    query_settings, form = read_query(request.form, name_errors("query", name))
    return _submit(source, name, query_settings, form, None)


@blueprint.route(f"{_QUERY_PATH}/change", methods=["GET", "POST"])
@admins_only
def change_query(source: str, query: str) -> Response:
    record = source_reader.get_query(member().account_id, source, query)
    if request.method in READ_METHODS:
        return _form_page(source, Form(texts_of("query", record.settings)), record=record)
    query_settings, form = read_query(request.form)
    return _submit(source, query, query_settings, form, record)


@blueprint.post(f"{_QUERY_PATH}/mute")
@admins_only
def mute_query(source: str, query: str) -> Response:
    """Send nothing about the monitors of a query for a while, or send again."""
    values, form = read_form(MuteSchema(), request.form)
    if form.errors:
        return _query_page(source, query, 400, form)
    until = MUTE.end(values, utcnow())
    changes = {"muted_until": until}
    query_registry.change_query(actor(), member().account_id, source, query, changes)
    notice = "query-muted" if until else "query-unmuted"
    return redirect_to("query", source=source, query=query, done=notice)


def _query_page(
    source: str, name: str, status: int = 200, mute: Form | None = None, problem: str | None = None
) -> Response:
    account_id = member().account_id
    record = source_reader.get_query(account_id, source, name)
    webhook = record.settings.webhook
    feeds = _feeds_of(record)
    events = open_events(account_id, feeds)
    return account_page(
        "query.html",
        status,
        notices=_NOTICES,
        source=source_reader.get_source(account_id, source),
        row=query_row(record),
        first_alert=first_alert_text(record, list_monitors(account_id, feeds), utcnow()),
        events=[
            (monitor, feeds[monitor].title, event_texts(event_body(event)))
            for monitor, event in events[:_MAX_OPEN_EVENTS]
        ],
        other_events=max(0, len(events) - _MAX_OPEN_EVENTS),
        webhook=webhook and get_webhook(account_id, webhook),
        is_tested=request.args.get("done") == _TESTED,
        problem=problem,
        mute=mute or Form({"mute": "1h"}),
        mutes=MUTE_CHOICES,
        directions=DIRECTIONS,
        seconds=format_seconds,
    )


def _feeds_of(query: QueryRecord) -> dict[str, Feed]:
    """Return the feeds of the monitors of a query by the monitor's name."""
    feeds = source_reader.find_feeds(member().account_id)
    key = (query.source, query.name)
    return {name: feed for name, feed in feeds.items() if (feed.source, feed.query) == key}


@blueprint.route(f"{_QUERY_PATH}/delete", methods=["GET", "POST"])
@admins_only
def delete_query(source: str, query: str) -> Response:
    account_id = member().account_id
    record = source_reader.get_query(account_id, source, query)
    if request.method in READ_METHODS:
        return account_page("delete_query.html", record=record)
    query_registry.delete_query(actor(), account_id, source, query)
    return redirect_to("source", source=source, done="query-deleted")


def _submit(
    source: str,
    name: str,
    query_settings: QuerySettings | None,
    form: Form,
    record: QueryRecord | None,
) -> Response:
    """Preview, replay or save a query, or show its form with the errors."""
    match request.form.get("do"):
        case "preview":
            return _preview_page(source, form, record)
        case "replay":
            return _replay_page(source, name, form, record)
    if query_settings is None:
        return _form_page(source, form, 400, record)
    account_id = member().account_id
    settings = current_settings()
    # Before a request to the source; one that is created meanwhile is found by `put_query`.
    with collect_field_errors(form):
        if record is None and name in source_reader.get_source(account_id, source).queries:
            raise NameTakenError("query", owner="source")
        if problem := new_query_problem(settings, account_id, source, name, query_settings.query):
            form.errors["query"] = sentence(problem)
        elif record is None:
            query_registry.put_query(
                settings, actor(), account_id, source, name, query_settings, must_be_new=True
            )
        else:
            changes = {field: getattr(query_settings, field) for field in _CHANGEABLE}
            query_registry.change_query(actor(), account_id, source, name, changes)
    if form.errors:
        return _form_page(source, form, 400, record)
    notice = "query-changed" if record else "query-created"
    return redirect_to("query", source=source, query=name, done=notice)


def _replay_page(source: str, name: str, form: Form, record: QueryRecord | None) -> Response:
    """Return the form with the alerts that its settings would have sent, or with its errors."""
    errors = {field: issue for field, issue in form.errors.items() if field != "name"}
    query_settings = read_query_settings(form)
    if query_settings is None:
        return _form_page(source, Form(form.typed, errors), 400, record)
    page_form = Form(form.typed)
    try:
        replay = replay_query(
            current_settings(), member().account_id, source, query_settings, DEFAULT_DAYS, run_job
        )
        results = replay_page(replay, query_settings, name or ONLY_SERIES)
        return _form_page(source, page_form, 200, record, replay=results)
    except ApiError as error:  # the engine's error
        problem = error.issue
    except (HttpError, UnreadableCredentialsError) as error:
        problem = str(error)
    return _form_page(source, page_form, 200, record, replay_problem=problem)


def _preview_page(source: str, form: Form, record: QueryRecord | None) -> Response:
    query_settings, errors = read_preview_settings(form)
    if query_settings is None:
        return _form_page(source, Form(form.typed, errors), 400, record)
    try:
        preview = preview_query(
            current_settings(),
            member().account_id,
            source,
            query_settings,
            run_job,
        )
    except ApiError as error:  # the engine's error
        preview = QueryPreview(error.issue)
    return _form_page(
        source,
        Form(form.typed),
        record=record,
        preview=preview,
        drawn=preview_lines(preview.series),
        drawn_times=drawn_times(preview),
        drawn_step=query_settings.step,
    )


def _form_page(
    source: str, form: Form, status: int = 200, record: QueryRecord | None = None, **more: Any
) -> Response:
    account_id = member().account_id
    return account_page(
        "query_form.html",
        status,
        source=source_reader.get_source(account_id, source),
        record=record,
        form=form,
        directions=DIRECTIONS,
        webhooks=webhook_names(),
        replay_days=DEFAULT_DAYS,
        seconds=format_seconds,
        **more,
    )
