"""The request bodies and path parameters of /webhooks."""

from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, ValidationError, post_load, validates, validates_schema

from app.api.fields import StrictChoice
from app.api.names import check_new_name, is_valid_name, name_field
from app.api.strict_schema import StrictSchema
from app.api.webhooks.fields import WebhookUrlField
from app.delivery.formats import DEFAULT_FORMAT, FORMATS
from app.delivery.records import NoSuchWebhookError

FORMAT_METADATA: dict[str, Any] = {
    "enum": [*FORMATS],
    "description": "; ".join(
        f"`{name}`: {each.description}, {'' if each.is_signed else 'not '}signed"
        for name, each in FORMATS.items()
    )
    + ".",
}


@dataclass(frozen=True)
class WebhookOrder:
    """A valid request for a webhook."""

    url: str
    form: str


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
        [*FORMATS],
        "unknown format",
        load_default=DEFAULT_FORMAT,
        metadata=FORMAT_METADATA,
    )

    @validates_schema
    def check_address(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """Check that the address has what its format needs."""
        problem = FORMATS[data["format"]].url_problem(data["url"])
        if problem is not None:
            raise ValidationError({"url": [problem]})

    @post_load
    def make_order(self, data: dict[str, Any], **_kwargs: Any) -> WebhookOrder:
        """Return the valid request as an order."""
        return WebhookOrder(data["url"], data["format"])
