"""The request bodies and path parameters of /webhooks."""

from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, post_load, validates

from app.api.fields import StrictChoice
from app.api.names import check_new_name, is_valid_name, name_field
from app.api.strict_schema import StrictSchema
from app.api.webhooks.fields import WebhookUrlField
from app.delivery.models import Format
from app.delivery.records import NoSuchWebhookError

FORMATS = (
    "`standard`: signed JSON, as [Standard Webhooks](https://www.standardwebhooks.com); `text`: "
    '`{"text": "…"}`, as Slack, Mattermost and Google Chat read it, not signed'
)


@dataclass(frozen=True)
class WebhookOrder:
    """A valid request for a webhook."""

    url: str
    form: Format


class WebhookNameSchema(Schema):
    """The name of a webhook, in the path."""

    name = name_field("webhook", "ops")

    @post_load
    def reject_impossible_name(self, data: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Reject an invalid name without a query: no webhook can have it."""
        if not is_valid_name(data["name"]):
            raise NoSuchWebhookError(data["name"])
        return data


class NewWebhookNameSchema(WebhookNameSchema):
    """The name of a webhook that is created if it does not exist."""

    @validates("name")
    def check_name(self, name: str, **_kwargs: Any) -> None:
        """Check that a webhook may have this name."""
        check_new_name(name, "webhook")


class WebhookRequestSchema(StrictSchema):
    """The body of PUT /webhooks/{name}; loads into a ``WebhookOrder``."""

    url = WebhookUrlField("HTTPS address that messages are sent to.")
    format = StrictChoice(
        [*Format],
        "unknown format",
        load_default=Format.STANDARD.value,
        metadata={"description": f"{FORMATS}."},
    )

    @post_load
    def make_order(self, data: dict[str, Any], **_kwargs: Any) -> WebhookOrder:
        """Return the valid request as an order."""
        return WebhookOrder(data["url"], Format(data["format"]))
