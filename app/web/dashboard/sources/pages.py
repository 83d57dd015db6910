"""The pages of sources: their list, one of them, try it, add, change and delete it."""

from typing import Any

from flask import Response, make_response, redirect, request, url_for

from app.api.endpoints.endpoint import READ_METHODS
from app.api.service import current_settings
from app.watching.sources import source_reader, source_registry
from app.watching.sources.source_checks import SourceCheck, check_source
from app.watching.sources.source_records import SourceRecord, SourceSettings
from app.web.dashboard.access import actor, admins_only, member, redirect_to
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.change_errors import collect_field_errors
from app.web.dashboard.form_fields import name_errors
from app.web.dashboard.forms import Form
from app.web.dashboard.sources.forms import (
    CREDENTIALS,
    KEPT_CREDENTIALS,
    NEW_SOURCE,
    read_source,
    source_as_typed,
)
from app.web.dashboard.sources.texts import AUTHORIZATIONS, check_text, query_rows

_NOTICES = {
    "source-created": "Source saved.",
    "source-changed": "Source saved.",
    "source-deleted": "Source deleted, with its queries and their monitors.",
    "query-deleted": "Query deleted, with its monitors.",
}


@blueprint.get("/sources")
def sources() -> Response:
    account_id = member().account_id
    sources_with_queries = [
        (record, query_rows(account_id, record.name))
        for record in source_reader.list_sources(account_id)
    ]
    return account_page(
        "sources.html",
        notices=_NOTICES,
        sources=sources_with_queries,
        limit=current_settings().sources_per_account,
    )


@blueprint.get("/sources/<source>", endpoint="source")
def show_source(source: str) -> Response:
    return _source_page(source)


@blueprint.post("/sources/<source>/try")
@admins_only
def try_it(source: str) -> Response:
    return _source_page(source, check_source(current_settings(), member().account_id, source))


def _source_page(name: str, check: SourceCheck | None = None) -> Response:
    account_id = member().account_id
    return account_page(
        "source.html",
        notices=_NOTICES,
        source=source_reader.get_source(account_id, name),
        authorizations=AUTHORIZATIONS,
        rows=query_rows(account_id, name),
        check=check,
        tried=check and check_text(check),
    )


@blueprint.route("/new-source", methods=["GET", "POST"])
@admins_only
def new_source() -> Response:
    if request.method in READ_METHODS:
        return _form_page(Form(NEW_SOURCE))
    name = request.form.get("name", "").strip()
    source_settings, form = read_source(request.form, name_errors("source", name))
    if source_settings is None:
        return _form_page(form, 400)
    return _put(name, source_settings, form, None)


@blueprint.route("/sources/<source>/change", methods=["GET", "POST"])
@admins_only
def change_source(source: str) -> Response:
    record = source_reader.get_source(member().account_id, source)
    if request.method in READ_METHODS:
        return _form_page(Form(source_as_typed(record)), record=record)
    source_settings, form = read_source(request.form)
    if source_settings is None:
        return _form_page(form, 400, record)
    return _put(source, source_settings, form, record)


@blueprint.route("/sources/<source>/delete", methods=["GET", "POST"])
@admins_only
def delete_source(source: str) -> Response:
    account_id = member().account_id
    if request.method in READ_METHODS:
        record = source_reader.get_source(account_id, source)
        rows = source_reader.list_queries(account_id, source)
        monitors = sum(row.monitors for row in rows)
        return account_page(
            "delete_source.html", source=record, queries=len(rows), monitors=monitors
        )
    source_registry.delete_source(actor(), account_id, source)
    return redirect_to("sources", done="source-deleted")


def _put(
    name: str, source_settings: SourceSettings, form: Form, record: SourceRecord | None
) -> Response:
    with collect_field_errors(form):
        source_registry.put_source(
            current_settings(),
            actor(),
            member().account_id,
            name,
            source_settings,
            must_be_new=record is None,
            must_exist=record is not None,
        )
    if form.errors:
        return _form_page(form, 400, record)
    notice = "source-changed" if record else "source-created"
    # The browser sends the form on, with the session's token: a GET sends no traffic anywhere.
    return make_response(redirect(url_for("dashboard.try_it", source=name, done=notice), 307))


def _form_page(form: Form, status: int = 200, record: SourceRecord | None = None) -> Response:
    kinds: dict[str, str] = CREDENTIALS
    if record is not None and record.authorization:
        kinds = {
            KEPT_CREDENTIALS: f"Keep ({AUTHORIZATIONS[record.authorization].lower()})"
        } | CREDENTIALS
    context: dict[str, Any] = {"form": form, "source": record, "kinds": kinds}
    return account_page("source_form.html", status, **context)
