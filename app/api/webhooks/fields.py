"""Request fields of webhooks."""

from typing import Any

from marshmallow import Schema, ValidationError, fields

from app.api.errors.api_error import ApiError
from app.api.errors.problems import validation_error
from app.api.requests.names import reject_keys_in
from app.api.service import current_settings
from app.core.http.addresses import WEBHOOK_URLS, check_url
from app.core.http.errors import UrlError


class WebhookUrlField(fields.String):
    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError("Must be a string, such as https://example.com/hook")
        reject_keys_in(value, "the URL")
        try:
            check_url(value, current_settings().webhook_allowed_networks, WEBHOOK_URLS)
        except UrlError as error:
            raise ValidationError(str(error)) from None
        return value


def no_webhook_error(schema: Schema, name: str) -> ApiError:
    """Return the error for a field ``webhook`` of ``schema`` that names none of the account's."""
    issue = (
        f"the account has no webhook {name!r}: create it with PUT /webhooks/{name}, or send a name "
        "that GET /webhooks lists"
    )
    return validation_error([(schema, {"webhook": [issue]}, {"webhook": name})])
