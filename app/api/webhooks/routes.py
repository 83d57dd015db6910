"""/webhooks: create, change, show, test and delete webhooks; rotate their secrets."""

from app.api.callers.current_caller import current_actor, current_caller
from app.api.endpoints.endpoint import Result, Success
from app.api.errors.api_error import ApiError
from app.api.examples.recorded import EXAMPLES
from app.api.responses.json import Json
from app.api.service import current_settings
from app.api.webhooks.blueprint import WEBHOOK_RESOURCE, PutWebhookSchema
from app.api.webhooks.schemas import NewSecretSchema, TestMessageSchema, WebhookRequestSchema
from app.core.database import db, utcnow
from app.delivery import outbox, webhook_queries, webhook_registry
from app.delivery.models import TEST_MESSAGE_TYPE
from app.watching.monitors.storage import monitor_webhooks
from app.watching.monitors.storage.compat_1_2 import mirror_webhook

_PUT_DESCRIPTION = """\
Creates a webhook, or changes the one with this name: messages that wait are sent to the new URL.
The request is idempotent. Monitors name it as their `webhook`.

In the format `standard` messages are signed with `secret`, which is shown only in the response that
creates it. A URL with another host gets a new secret, and the old one no longer signs; one with the
same host keeps it. In the other formats messages are not signed: whoever knows the URL can post
there, so keep it secret."""


@WEBHOOK_RESOURCE.put_endpoint(
    description=_PUT_DESCRIPTION,
    body=WebhookRequestSchema(),
    schema=PutWebhookSchema(),
    example=EXAMPLES.success("webhook", "A receiver of signed messages"),
)
def put_webhook(body: Json, name: str) -> Result:
    """Create a webhook, or change it."""
    account, limit = current_caller().account_id, current_settings().webhooks_per_account
    with db.engine.begin() as connection:
        put = monitor_webhooks.put_mirrored_webhook(
            connection, current_actor(), account, name, body, limit
        )
    shown = vars(webhook_queries.get_webhook(account, name))
    if put.secret is not None:
        shown = shown | {"secret": put.secret}
    return Result(shown, status=201 if put.is_new else 200)


def delete_webhook(account_id: int, name: str) -> None:
    """Delete a webhook that no monitor and no query names."""
    with db.engine.begin() as connection:
        users = monitor_webhooks.delete_unused_webhook(
            connection, current_actor(), account_id, name
        )
    if users:
        raise _webhook_in_use_error(name, users)


def _webhook_in_use_error(name: str, users: monitor_webhooks.WebhookUsers) -> ApiError:
    issue = (
        f"monitors or queries send their alerts to {name!r}: give these queries, and the monitors "
        "without a query, another webhook or none with PUT, or delete them; then delete the webhook"
    )
    return ApiError(409, "The webhook is in use", issue, details=vars(users))


WEBHOOK_RESOURCE.declare_list(webhook_queries.list_webhooks)
WEBHOOK_RESOURCE.declare_get(
    webhook_queries.get_webhook,
    "Shows a webhook, and how the last attempt to send it a message went.",
)
WEBHOOK_RESOURCE.declare_delete(
    delete_webhook,
    "Deletes a webhook with its messages, also pending ones. While monitors or queries name it, "
    "the response is 409 and lists them: their alerts would go nowhere.",
    errors=[409],
)


@WEBHOOK_RESOURCE.endpoint(
    "POST",
    "/webhooks/<name>/rotate",
    successes={201: Success("The new secret.", NewSecretSchema())},
    description="Creates a new secret. For 24 hours the old one also signs, so that receivers can "
    "switch. Messages in other formats than `standard` are not signed: 400.",
)
def rotate_webhook(name: str) -> Json:
    """Create a new secret for a webhook."""
    with db.engine.begin() as connection:
        row = webhook_registry.lock_webhook(connection, current_caller().account_id, name)
        secret = webhook_registry.rotate_secret(connection, current_actor(), row, utcnow())
        mirror_webhook(connection, row.id)
    return {"secret": secret}


@WEBHOOK_RESOURCE.endpoint(
    "POST",
    "/webhooks/<name>/test",
    successes={202: Success("The message is on its way.", TestMessageSchema())},
    description=f"Sends one message of type `{TEST_MESSAGE_TYPE}`, once. `GET /webhooks/{{name}}` "
    "then shows as `last_attempt` how it went: its `id` is that of this response.",
)
def test_webhook(name: str) -> Json:
    """Send a test message to a webhook."""
    with db.engine.begin() as connection:
        message_id = outbox.send_test(connection, current_caller().account_id, name)
    return {"id": message_id, "type": TEST_MESSAGE_TYPE}
