"""/webhooks: create, change, show, test and delete webhooks; rotate their secrets."""

from app.api.current_settings import current_settings
from app.api.declaration import PERMISSION_NOTE, Endpoint, Example, Json, Tag
from app.api.endpoint import endpoint
from app.api.examples import WEBHOOK, WEBHOOK_REQUEST
from app.api.identity import caller
from app.api.no_store import NO_STORE, no_store_header
from app.api.webhooks.blueprint import blueprint, webhook_in_use_error
from app.api.webhooks.response import webhook_body
from app.api.webhooks.response_schemas import (
    NewSecretSchema,
    PutWebhookSchema,
    TestMessageSchema,
    WebhookSchema,
    WebhooksSchema,
)
from app.api.webhooks.schemas import (
    NewWebhookNameSchema,
    WebhookNameSchema,
    WebhookOrder,
    WebhookRequestSchema,
)
from app.core.database import db, utcnow
from app.delivery import outbox, queries, registry
from app.delivery.models import TEST
from app.identity.accounts.permissions import Permission
from app.watching.monitors.compat_1_2 import mirror_webhook
from app.watching.monitors.webhooks import webhook_monitor_names

WEBHOOKS = Tag("Webhooks", "Receivers of messages: services of your own, and chats.")
NOT_FOUND_ERRORS = frozenset({404})
NO_STORE_HEADER = no_store_header("secret")
PUT_DESCRIPTION = """\
Creates a webhook, or changes the one with this name: messages that wait are sent to the new URL.
The request is idempotent. Monitors name it as their `webhook`.

In the format `standard` messages are signed with `secret`, which is shown only in the response that
creates it. A URL with another host gets a new secret, and the old one no longer signs; one with the
same host keeps it. In the other formats messages are not signed: whoever knows the URL can post
there, so keep it secret."""


@endpoint(
    blueprint,
    Endpoint(
        "PUT",
        "/webhooks/<name>",
        permission=Permission.WRITE,
        variables=NewWebhookNameSchema(),
        body=WebhookRequestSchema(),
        response=PutWebhookSchema(),
        successes={
            201: "The webhook was created.",
            200: "The webhook was changed, or is unchanged.",
        },
        response_headers=NO_STORE_HEADER,
        tag=WEBHOOKS,
        description=PUT_DESCRIPTION + PERMISSION_NOTE.format(permission=Permission.WRITE),
        example=Example("A receiver of signed messages", WEBHOOK, WEBHOOK_REQUEST),
        other_errors=NOT_FOUND_ERRORS,  # another request may delete it at the same time
    ),
)
def put_webhook(order: WebhookOrder, name: str) -> tuple[Json, dict[str, str], int]:
    """Create a webhook, or change it."""
    account, limit = caller().account_id, current_settings().webhooks_per_account
    with db.engine.begin() as connection:
        put = registry.put_webhook(connection, account, name, order.url, order.form, limit)
        mirror_webhook(connection, put.row.id)
    body, headers = webhook_body(queries.get_webhook(account, name)), {}
    if put.secret is not None:
        body["secret"] = put.secret
        headers = NO_STORE
    return body, headers, 201 if put.is_new else 200


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/webhooks",
        permission=Permission.READ,
        response=WebhooksSchema(),
        successes={200: "The webhooks."},
        tag=WEBHOOKS,
        description="Lists the webhooks of the key's account."
        + PERMISSION_NOTE.format(permission="read"),
    ),
)
def list_webhooks() -> Json:
    """List the webhooks of the account."""
    found = queries.list_webhooks(caller().account_id)
    return {"webhooks": [webhook_body(webhook) for webhook in found]}


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/webhooks/<name>",
        permission=Permission.READ,
        variables=WebhookNameSchema(),
        response=WebhookSchema(),
        successes={200: "The webhook."},
        tag=WEBHOOKS,
        description="Shows a webhook, and how the last attempt to send it a message went."
        + PERMISSION_NOTE.format(permission="read"),
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def get_webhook(name: str) -> Json:
    """Show a webhook."""
    return webhook_body(queries.get_webhook(caller().account_id, name))


@endpoint(
    blueprint,
    Endpoint(
        "DELETE",
        "/webhooks/<name>",
        permission=Permission.DELETE,
        variables=WebhookNameSchema(),
        successes={204: "The webhook is deleted."},
        tag=WEBHOOKS,
        description="Deletes a webhook with its messages, also pending ones. While monitors name "
        "it, the response is 409 and lists them: their alerts would go nowhere."
        + PERMISSION_NOTE.format(permission="delete"),
        other_errors=NOT_FOUND_ERRORS | {409},
    ),
)
def delete_webhook(name: str) -> None:
    """Delete a webhook."""
    with db.engine.begin() as connection:
        row = registry.lock_webhook(connection, caller().account_id, name)
        monitors = webhook_monitor_names(connection, row.id)
        if monitors:
            raise webhook_in_use_error(name, monitors)
        registry.delete_webhook(connection, row.id)


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/webhooks/<name>/rotate",
        permission=Permission.WRITE,
        variables=WebhookNameSchema(),
        response=NewSecretSchema(),
        successes={201: "The new secret."},
        response_headers=NO_STORE_HEADER,
        tag=WEBHOOKS,
        description="Creates a new secret. For 24 hours the old one also signs, so that receivers "
        "can switch. Messages in other formats than `standard` are not signed: 400."
        + PERMISSION_NOTE.format(permission="write"),
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def rotate_webhook(name: str) -> tuple[Json, dict[str, str]]:
    """Create a new secret for a webhook."""
    with db.engine.begin() as connection:
        row = registry.lock_webhook(connection, caller().account_id, name)
        secret = registry.rotate_secret(connection, row, utcnow())
        mirror_webhook(connection, row.id)
    return {"secret": secret}, NO_STORE


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/webhooks/<name>/test",
        permission=Permission.WRITE,
        variables=WebhookNameSchema(),
        response=TestMessageSchema(),
        successes={202: "The message is on its way."},
        tag=WEBHOOKS,
        description=f"Sends one message of type `{TEST}`, once. `GET /webhooks/{{name}}` then "
        "shows as `last_attempt` how it went: its `id` is that of this response."
        + PERMISSION_NOTE.format(permission="write"),
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def test_webhook(name: str) -> Json:
    """Send a test message to a webhook."""
    return {"id": outbox.send_test(caller().account_id, name), "type": TEST}
