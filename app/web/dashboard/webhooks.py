"""The page of webhooks: add and change one, send a test message, see how it went, delete one."""

from flask import Response, request
from sqlalchemy import Connection

from app.api.service import current_settings
from app.api.webhooks.schemas import WebhookRequestSchema
from app.core.database import db
from app.delivery import outbox, webhook_queries, webhook_registry
from app.delivery.formats import FORMATS
from app.identity.accounts.errors import TooManyError
from app.watching.monitors import monitor_webhooks
from app.web.dashboard.access import actor, admins_only, check_admin, member, redirect_to
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.form_fields import FIELDS, name_errors
from app.web.dashboard.forms import Form, FormValues, load_body, read_texts, too_many

TESTED = "webhook-tested"
LABELS = {name: chat_format.label for name, chat_format in FORMATS.items()}
NOTICES = {
    "webhook-created": "The webhook is saved: send it a test message.",
    "webhook-changed": "The webhook is changed: send it a test message.",
    TESTED: "A test message is being sent: “Last attempt” says how it went, when it is known.",
    "webhook-deleted": "The webhook is deleted.",
}


@blueprint.get("/webhooks")
def webhooks() -> Response:
    """Return the list of webhooks, with how the last attempt went, and the form to add one."""
    return _list(Form({"format": "text"}))


@blueprint.post("/webhooks")
@admins_only
def create_webhook() -> Response:
    """Create a webhook; the secret of a signed one is shown once."""
    typed = read_texts(request.form, ("name", *FIELDS["webhook"]))
    body = {name: typed[name] for name in FIELDS["webhook"]}
    name = typed["name"]
    used = {webhook.name for webhook in webhook_queries.list_webhooks(member().account_id)}
    _, problems = load_body(WebhookRequestSchema(), body)
    if errors := name_errors("webhook", name, is_taken=name in used) | problems:
        return _list(Form(typed, errors), 400)
    check_admin()
    try:
        with db.engine.begin() as connection:
            put = _put(connection, name, body)
    except TooManyError as error:
        return _list(Form(typed, {"name": too_many(error)}), 400)
    if put.secret is not None:
        return _list(Form({"format": "text"}), 201, created=name, signing=put.secret)
    return redirect_to("webhooks", done="webhook-created")


@blueprint.get("/webhooks/<webhook>/change")
@admins_only
def change_webhook(webhook: str) -> Response:
    """Return the form that replaces the address; the present one is not shown."""
    chat_format = webhook_queries.get_webhook(member().account_id, webhook).format
    return _change_page(webhook, Form({"format": chat_format}))


@blueprint.post("/webhooks/<webhook>/change")
@admins_only
def save_webhook(webhook: str) -> Response:
    """Replace the address and the format; a new secret is shown once."""
    body = read_texts(request.form, FIELDS["webhook"])
    _, errors = load_body(WebhookRequestSchema(), body)
    if errors:
        webhook_queries.get_webhook(member().account_id, webhook)
        return _change_page(webhook, Form(body, errors), 400)
    check_admin()
    with db.engine.begin() as connection:
        webhook_registry.lock_webhook(connection, member().account_id, webhook)
        put = _put(connection, webhook, body)
    if put.secret is not None:
        return _list(Form({"format": "text"}), created=webhook, signing=put.secret)
    return redirect_to("webhooks", done="webhook-changed")


def _put(connection: Connection, name: str, body: FormValues) -> webhook_registry.WrittenWebhook:
    limit = current_settings().webhooks_per_account
    return monitor_webhooks.put_mirrored_webhook(
        connection, actor(), member().account_id, name, body, limit
    )


def _change_page(name: str, form: Form, status: int = 200) -> Response:
    return account_page("webhook_form.html", status, name=name, form=form, formats=LABELS)


@blueprint.post("/webhooks/<webhook>/test")
@admins_only
def send_test_message(webhook: str) -> Response:
    check_admin()
    outbox.send_test(member().account_id, webhook)
    return redirect_to("webhooks", done=TESTED)


@blueprint.post("/webhooks/<webhook>/delete")
@admins_only
def delete_webhook(webhook: str) -> Response:
    """Delete a webhook, unless monitors send their alerts to it."""
    check_admin()
    in_use = len(monitor_webhooks.delete_unused_webhook(actor(), member().account_id, webhook))
    if not in_use:
        return redirect_to("webhooks", done="webhook-deleted")
    users = "1 monitor sends its" if in_use == 1 else f"{in_use:,} monitors send their"
    refused = f"{users} alerts to {webhook}: give them another webhook or none first."
    return _list(Form({"format": "text"}), 409, refused=refused)


def _list(
    form: Form,
    status: int = 200,
    *,
    created: str | None = None,
    signing: str | None = None,
    refused: str | None = None,
) -> Response:
    return account_page(
        "webhooks.html",
        status,
        notices=NOTICES,
        form=form,
        formats=LABELS,
        webhooks=webhook_queries.list_webhooks(member().account_id),
        is_tested=request.args.get("done") == TESTED,
        created=created,
        signing=signing,
        refused=refused,
    )
