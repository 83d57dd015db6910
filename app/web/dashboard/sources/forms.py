"""The forms for sources and queries, read into the bodies of /sources."""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError
from werkzeug.datastructures import MultiDict

from app.api.sources.fields import BASIC, BEARER, CREDENTIAL_FIELDS, SecretField
from app.api.sources.schemas import (
    QueryRequestSchema,
    SourceRequestSchema,
    default_max_series,
)
from app.watching.sources.source_records import QuerySettings, SourceRecord, SourceSettings
from app.web.dashboard.filters import sentence
from app.web.dashboard.form_fields import FIELDS, body_of, default_texts, labels_of
from app.web.dashboard.forms import Form, FormValues, first_message, load_body, read_texts

KEPT_CREDENTIALS, _NO_CREDENTIALS = "kept", "none"
# The kinds of credentials, by form value.
CREDENTIALS = {
    _NO_CREDENTIALS: "None",
    BEARER: "A token (Bearer)",
    BASIC: "A user name and a password",
}
# The fields of a source in the order of its form: the first that is wrong gets the focus.
_FIELD_ORDER = (
    "name", "url", "credentials", "token", "username", "password",
    "tenant", "alertmanagers", "labels",
)  # fmt: skip
# The fields of a query that a preview sends to its source.
_PREVIEW_FIELDS = ("query", "step", "delay", "max_series")
NEW_SOURCE: FormValues = {"credentials": _NO_CREDENTIALS}
_NO_ERRORS: Mapping[str, str] = {}


def new_query() -> FormValues:
    return default_texts("query") | {"max_series": default_max_series()}


def source_as_typed(source: SourceRecord) -> FormValues:
    return {
        "url": source.url,
        "credentials": KEPT_CREDENTIALS if source.authorization else _NO_CREDENTIALS,
        "tenant": source.tenant or "",
        "alertmanagers": "\n".join(source.alertmanagers),
        "labels": FIELDS["source"]["labels"].to_text(source.labels),
    }


def read_source(
    form: MultiDict[str, str], name_errors: Mapping[str, str] = _NO_ERRORS
) -> tuple[SourceSettings | None, Form]:
    """Return the settings of a source, None if one is invalid, and the form without secrets.

    ``name_errors`` are the errors of a new name.
    """
    kind = form.get("credentials", _NO_CREDENTIALS)
    text_fields = ("name", "url", "tenant", "alertmanagers", "labels", "username")
    typed = read_texts(form, text_fields) | {"credentials": kind}
    body: dict[str, Any] = {
        "url": typed["url"],
        "tenant": typed["tenant"] or None,
        "alertmanagers": typed["alertmanagers"].split(),
        "labels": labels_of(typed["labels"]),
    }
    errors = dict(name_errors) | _credential_errors(kind, form)
    if not errors and kind != KEPT_CREDENTIALS:
        parts = {part: form.get(part, "") for part in CREDENTIAL_FIELDS.get(kind, ())}
        body["authorization"] = {"type": kind} | parts if parts else None
    loaded, problems = load_body(SourceRequestSchema(), body)
    if "authorization" in problems:
        errors.setdefault("credentials", problems.pop("authorization"))
    errors |= problems
    complete = Form(typed, {name: errors[name] for name in _FIELD_ORDER if name in errors})
    return (None if complete.errors else loaded), complete


def read_query(
    form: MultiDict[str, str], name_errors: Mapping[str, str] = _NO_ERRORS
) -> tuple[QuerySettings | None, Form]:
    """Return the settings of a query, None if one is invalid, and the form.

    ``name_errors`` are the errors of a new name.
    """
    typed = read_texts(form, ("name", *FIELDS["query"]))
    loaded, problems = load_body(QueryRequestSchema(), body_of("query", typed))
    complete = Form(typed, dict(name_errors) | problems)
    return (None if complete.errors else loaded), complete


def read_query_settings(form: Form) -> QuerySettings | None:
    """Return the settings in a query's form; None if a field other than the name is invalid."""
    if form.errors.keys() - {"name"}:
        return None
    return QueryRequestSchema().load(body_of("query", form.typed))


def read_preview_settings(form: Form) -> tuple[QuerySettings | None, dict[str, str]]:
    """Return the query to try, or the errors of its fields; the others may be missing."""
    errors = {name: form.errors[name] for name in _PREVIEW_FIELDS if name in form.errors}
    if errors:
        return None, errors
    body = body_of("query", {name: form.typed[name] for name in _PREVIEW_FIELDS})
    query_settings: QuerySettings = QueryRequestSchema().load(body)
    return query_settings, {}


def _credential_errors(kind: str, form: MultiDict[str, str]) -> dict[str, str]:
    if kind not in (KEPT_CREDENTIALS, *CREDENTIALS):
        return {"credentials": "Choose one from the list."}
    errors = {}
    for part in CREDENTIAL_FIELDS.get(kind, ()):
        value = form.get(part, "")
        if not value:
            errors[part] = f"Enter the {'user name' if part == 'username' else part}."
        elif part == "username" and ":" in value:
            errors[part] = "A user name must not contain a colon."
        elif problem := _secret_problem(SecretField(is_encoded=part != "token"), value):
            errors[part] = sentence(problem)
    return errors


def _secret_problem(field: Any, value: str) -> str | None:
    try:
        field.deserialize(value)
    except ValidationError as error:
        return first_message(error.messages)
    return None
