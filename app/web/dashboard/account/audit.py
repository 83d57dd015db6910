"""The page of the audit trail: who did what, when and from where; also as CSV."""

import csv
import datetime as dt
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from flask import Response, abort, request, stream_with_context, url_for
from marshmallow import ValidationError, fields
from marshmallow.validate import Range
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.database import iso_string
from app.core.database.engine import read_session
from app.core.integers import MAX_ID
from app.identity.accounts.audit import Action, AuditEvent, audit_trail
from app.identity.accounts.models import Account, ApiKey
from app.tables.forecasts.formulas import escape_formula
from app.web.dashboard.access import member
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.forms import FormSchema, FormValues, choice_field, read_form

AUDIT_PAGE_ROWS = 50
CSV_ROWS = 1_000  # rows of one query: a file of any length needs little memory
_COLUMNS = ("time", "actor", "actor_kind", "from", "action", "key", "detail")
_NO_SUCH_KEY = (
    "No key of this account starts with this; copy the first characters from the list of keys."
)


class DayField(fields.String):
    """A day; None if the field is empty."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> dt.datetime | None:  # type: ignore[override]
        text = str(super()._deserialize(value, *args, **kwargs)).strip()
        if not text:
            return None
        try:
            return dt.datetime.combine(dt.date.fromisoformat(text), dt.time(), dt.UTC)
        except ValueError:
            raise ValidationError("Choose a day, such as 2026-11-22.") from None


class FilterSchema(FormSchema):
    """The filter of events; an empty field selects all."""

    action = choice_field(["", *Action])
    key = fields.String()
    actor = fields.String()
    since = DayField()
    until = DayField()
    before = fields.Integer(validate=Range(1, MAX_ID))


@blueprint.get("/audit")
def audit() -> Response:
    values, form = read_form(FilterSchema(), request.args)
    events: Sequence[AuditEvent] = []
    with read_session() as session:
        if not form.errors:
            try:
                filters = _trail_filters(session, values)
                before = values.get("before")
                events = audit_trail(
                    session, before_id=before, limit=AUDIT_PAGE_ROWS + 1, **filters
                )
            except ValidationError as error:
                form.errors.update(key=error.messages[0])
    typed = {name: text for name, text in form.typed.items() if text and name != "before"}
    older = events[AUDIT_PAGE_ROWS - 1].id if len(events) > AUDIT_PAGE_ROWS else None
    return account_page(
        "audit.html",
        status=400 if form.errors else 200,
        form=form,
        actions={"": "All"} | {action: action.capitalize() for action in sorted(Action)},
        rows=[_event_row(event) for event in events[:AUDIT_PAGE_ROWS]],
        is_filtered=bool(typed),
        csv=url_for("dashboard.audit_csv", **typed),
        older=older and url_for("dashboard.audit", before=older, **typed),
        newest="before" in values and url_for("dashboard.audit", **typed),
    )


@blueprint.get("/audit.csv")
def audit_csv() -> Response:
    values, form = read_form(FilterSchema(), request.args)
    if form.errors:
        abort(400)
    with read_session() as session:
        try:
            filters = _trail_filters(session, values)
        except ValidationError:
            abort(400)
        first = audit_trail(session, before_id=values.get("before"), limit=CSV_ROWS, **filters)
    response = Response(stream_with_context(_csv_lines(filters, first)), mimetype="text/csv")
    response.headers["Content-Disposition"] = 'attachment; filename="audit.csv"'
    return response


def _trail_filters(session: Session, values: FormValues) -> dict[str, Any]:
    """Return the filters for `audit_trail`, always with the account."""
    account_id = member().account_id
    filters: dict[str, Any] = {
        "account": session.get_one(Account, account_id),
        "action": values.get("action") or None,
        "since": values.get("since"),
    }
    last = values.get("until")
    if last and last.date() < dt.date.max:
        filters["until"] = last + dt.timedelta(days=1)  # includes the day itself
    if prefix := values.get("key", "").strip().rstrip("…"):
        has_prefix = (ApiKey.account_id == account_id) & (ApiKey.prefix == prefix)
        filters["key_id"] = session.scalars(select(ApiKey.id).where(has_prefix)).first()
        if filters["key_id"] is None:
            raise ValidationError(_NO_SUCH_KEY)
    if actor := values.get("actor", "").strip().rstrip("…"):
        filters["actor"] = actor.lower() if "@" in actor else actor
    return filters


def _csv_lines(filters: dict[str, Any], events: Sequence[AuditEvent]) -> Iterator[str]:
    yield _csv_text([_COLUMNS])
    while events:
        yield _csv_text([str(row[name]) for name in _COLUMNS] for row in map(_event_row, events))
        if len(events) < CSV_ROWS:
            return
        with read_session() as session:
            events = audit_trail(session, before_id=events[-1].id, limit=CSV_ROWS, **filters)


def _csv_text(rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(map(escape_formula, row) for row in rows)
    return text.getvalue()


def _event_row(event: AuditEvent) -> dict[str, Any]:
    """Return an event as pages show it; ``at`` is a datetime, the rest are strings."""
    if event.member is not None:
        actor, kind = event.member, "member"
    elif event.by_key_id is not None:
        actor, kind = event.by_prefix or "", "key"
    else:
        actor, kind = event.sudo_user or event.os_user, "operator"
    return {
        "at": event.at,
        "time": iso_string(event.at),
        "actor": actor,
        "actor_kind": kind,
        "from": event.address or event.host,
        "action": event.action,
        "key": event.prefix or "",
        "detail": event.detail,
    }
