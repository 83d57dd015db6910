"""The page of webhooks: add and change one, send a test message, see how it went, delete one."""

from flask import Response, request
from sqlalchemy import Connection

from app.api.service import current_settings
from app.api.webhooks.schemas import WebhookRequestSchema
from app.delivery import outbox, webhook_queries, webhook_registry
from app.delivery.formats import DEFAULT_FORMAT, FORMATS, format_at
from app.delivery.webhook_registry import WrittenWebhook
from app.identity.accounts.changes import open_change
from app.identity.accounts.errors import NameTakenError
from app.watching.monitors.storage import monitor_webhooks
from app.web.dashboard.access import actor, admins_only, member, redirect_to
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.change_errors import collect_field_errors
from app.web.dashboard.form_fields import FIELDS, name_errors
from app.web.dashboard.forms import Form, FormValues, load_body, read_texts

_TESTED = "webhook-tested"
_MAX_NAMED = 5  # names of queries and monitors in a sentence
_FORMAT_LABELS = {"": "Detect from the address"}
_FORMAT_LABELS |= {name: chat_format.label for name, chat_format in FORMATS.items()}
_NOTICES = {
    "webhook-created": "The webhook is saved: send it a test message.",
    "webhook-changed": "The webhook is changed: send it a test message.",
    _TESTED: "A test message is being sent: “Last attempt” will show the result.",
    "webhook-deleted": "The webhook is deleted.",
}


@blueprint.get("/webhooks")
def webhooks() -> Response:
    """Return the list of webhooks, with how the last attempt went, and the form to add one."""
    return _list_page(Form({}))


@blueprint.post("/webhooks")
@admins_only
def create_webhook() -> Response:
    """Create a webhook; the secret of a signed one is shown once."""
    typed, body, problems = _read_form()
    name = typed["name"]
    form = Form(typed, name_errors("webhook", name) | problems)
    if form.errors:
        return _list_page(form, 400)
    with collect_field_errors(form), open_change(actor()) as connection:
        written = _put_webhook(connection, name, body)
        if not written.is_new:
            raise NameTakenError("webhook")
    if form.errors:
        return _list_page(form, 400)
    return _respond_saved(name, written, "webhook-created", 201)


@blueprint.get("/webhooks/<webhook>/change")
@admins_only
def show_webhook_form(webhook: str) -> Response:
    """Return the form that replaces the address; the present one is not shown."""
    chat_format = webhook_queries.get_webhook(member().account_id, webhook).format
    return _change_page(webhook, Form({"format": chat_format}))


@blueprint.post("/webhooks/<webhook>/change")
@admins_only
def change_webhook(webhook: str) -> Response:
    """Replace the address and the format; a new secret is shown once."""
    typed, body, errors = _read_form()
    if errors:
        webhook_queries.get_webhook(member().account_id, webhook)  # 404 if there is none
        return _change_page(webhook, Form(typed, errors), 400)
    with open_change(actor()) as connection:
        webhook_registry.lock_webhook(connection, member().account_id, webhook)
        written = _put_webhook(connection, webhook, body)
    return _respond_saved(webhook, written, "webhook-changed", 200)


def _read_form() -> tuple[FormValues, FormValues, dict[str, str]]:
    """Return the typed texts, the body of a request with them, and the errors of the fields."""
    typed = read_texts(request.form, ("name", *FIELDS["webhook"]))
    chosen = typed["format"] or format_at(typed["url"])
    body = {"url": typed["url"], "format": chosen or DEFAULT_FORMAT}
    _, errors = load_body(WebhookRequestSchema(), body)
    if not errors and not chosen:
        errors = {"format": "The address does not show which chat or service this is: choose one."}
    return typed, body, errors


def _respond_saved(name: str, written: WrittenWebhook, done: str, status: int) -> Response:
    """Show the secret of a signed webhook once; without one, return to the list."""
    if written.secret is None:
        return redirect_to("webhooks", done=_TESTED if _should_send_test() else done)
    return _list_page(Form({}), status, created=name, secret=written.secret)


def _put_webhook(connection: Connection, name: str, body: FormValues) -> WrittenWebhook:
    """Write a webhook, and a test message to it if the form asks for one."""
    limit = current_settings().webhooks_per_account
    written = monitor_webhooks.put_mirrored_webhook(
        connection, actor(), member().account_id, name, body, limit
    )
    if _should_send_test():
        outbox.send_test(connection, member().account_id, name)
    return written


def _should_send_test() -> bool:
    return request.form.get("do") == "test"


def _change_page(name: str, form: Form, status: int = 200) -> Response:
    return account_page("webhook_form.html", status, name=name, form=form, formats=_FORMAT_LABELS)


@blueprint.post("/webhooks/<webhook>/test")
@admins_only
def send_test_message(webhook: str) -> Response:
    with open_change(actor()) as connection:
        outbox.send_test(connection, member().account_id, webhook)
    return redirect_to("webhooks", done=_TESTED)


@blueprint.post("/webhooks/<webhook>/delete")
@admins_only
def delete_webhook(webhook: str) -> Response:
    """Delete a webhook, unless monitors or queries send their alerts to it."""
    with open_change(actor()) as connection:
        users = monitor_webhooks.delete_unused_webhook(
            connection, actor(), member().account_id, webhook
        )
    if not users:
        return redirect_to("webhooks", done="webhook-deleted")
    names = [*users.queries, *users.monitors]
    more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
    senders = f"{', '.join(names[:_MAX_NAMED])}{more}"
    # The webhook of a monitor that a query feeds is that of the query.
    them = "the queries, and the monitors without a query," if users.queries else "them"
    problem = f"{webhook} gets the alerts of {senders}: give {them} another webhook or none first."
    return _list_page(Form({}), 409, problem=problem)


def _list_page(
    form: Form,
    status: int = 200,
    *,
    created: str | None = None,
    secret: str | None = None,
    problem: str | None = None,
) -> Response:
    return account_page(
        "webhooks.html",
        status,
        notices=_NOTICES,
        form=form,
        formats=_FORMAT_LABELS,
        webhooks=webhook_queries.list_webhooks(member().account_id),
        is_tested=request.args.get("done") == _TESTED,
        created=created,
        secret=secret,
        problem=problem,
    )
