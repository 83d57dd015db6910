"""Request fields of sources."""

import functools
import re
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError, fields, missing, validate

from app.api.endpoints.record_schemas import request_fields
from app.api.requests.names import reject_keys_in
from app.api.requests.strict_schema import StrictSchema
from app.api.requests.urls import UrlField
from app.core.http.addresses import MAX_URL_LENGTH
from app.core.record_fields import described_field
from app.watching.models.sources import MAX_QUERY_LENGTH, MAX_TENANT_LENGTH
from app.watching.sources.alerts import RESERVED_LABELS
from app.watching.sources.source_records import (
    MAX_ALERT_LABELS,
    MAX_ALERTMANAGERS,
    SOURCE_URLS,
    Authorization,
)

_MAX_SECRET_LENGTH = 8_192
_MAX_LABEL_LENGTH = 200
_LABEL_NAME = re.compile("[a-zA-Z_][a-zA-Z0-9_]{0,39}")
_NOT_LABELS = f'Must be an object of at most {MAX_ALERT_LABELS} labels, such as {{"team": "shop"}}'
BEARER, BASIC = "bearer", "basic"
CREDENTIAL_FIELDS = {BEARER: ("token",), BASIC: ("username", "password")}
_BASIC_PART, _BASIC_HINT = "With `basic`; sent as UTF-8.", "For “A user name and a password”."
_NOT_AN_AUTHORIZATION = (
    'Must be null, {"type": "bearer", "token": "…"} or '
    '{"type": "basic", "username": "…", "password": "…"}'
)


# The URL of a server, under which its API is.
ServerUrlField = functools.partial(
    UrlField, SOURCE_URLS, lambda settings: settings.source_allowed_networks
)


class AlertmanagersField(fields.List[Any]):
    def __init__(self, **options: Any) -> None:
        example = "http://alertmanager.internal:9093"
        issue = f'Must be an array of at most {MAX_ALERTMANAGERS} URLs, such as ["{example}"]'
        url = {"maxLength": MAX_URL_LENGTH, "pattern": "^https?://", "examples": [example]}
        super().__init__(
            ServerUrlField(required=True, metadata=url),
            validate=validate.Length(max=MAX_ALERTMANAGERS, error=issue),
            error_messages={"null": issue, "invalid": issue},
            **options,
        )


class LabelsField(fields.Dict):
    """Labels of alerts: names that Alertmanager accepts, with short values."""

    def __init__(self, **options: Any) -> None:
        super().__init__(fields.String(), fields.String(), **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> dict[str, str]:
        if not isinstance(value, dict) or len(value) > MAX_ALERT_LABELS:
            raise ValidationError(_NOT_LABELS)
        for name, text in value.items():
            if _LABEL_NAME.fullmatch(name) is None or name in RESERVED_LABELS:
                taken = ", ".join(sorted(RESERVED_LABELS))
                raise ValidationError(
                    "names are 1 to 40 of a-z, A-Z, 0-9 and underscores, begin with no digit, and "
                    f"are none of {taken}"
                )
            if not isinstance(text, str) or not 0 < len(text) <= _MAX_LABEL_LENGTH:
                raise ValidationError(
                    f"{name}: must be a string of 1 to {_MAX_LABEL_LENGTH} characters"
                )
            reject_keys_in(text, "the label")
        return value


class SecretField(fields.String):
    """A part of the credentials: characters of a header; any text if it is sent encoded."""

    def __init__(self, *, is_encoded: bool = False, **options: Any) -> None:
        self.is_encoded = is_encoded
        super().__init__(**options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        is_text = isinstance(value, str) and value.isprintable()
        is_sendable = is_text and (self.is_encoded or value.isascii())
        if not is_sendable or not 0 < len(value) <= _MAX_SECRET_LENGTH:
            kind = "printable" if self.is_encoded else "printable ASCII"
            raise ValidationError(
                f"must be a string of 1 to {_MAX_SECRET_LENGTH:,} {kind} characters"
            )
        return str(value)


def _secret_field(description: str, **texts: str) -> Any:
    """Return a field that is absent in requests with credentials of the other type."""
    return described_field(
        description, maxLength=_MAX_SECRET_LENGTH, default_factory=lambda: missing, **texts
    )


@dataclass(frozen=True)
class AuthorizationFields:
    """Credentials as they are sent: a token, or a user name and a password."""

    type: str = described_field(
        enum=[*CREDENTIAL_FIELDS],
        issue="unknown type",
        label="Credentials",
        hint="Stored encrypted, sent only to this address, and never shown.",
    )
    token: str = _secret_field("With `bearer`.", label="Token", hint="For “A token”.")
    username: str = _secret_field(_BASIC_PART, label="User name", hint=_BASIC_HINT)
    password: str = _secret_field(_BASIC_PART, label="Password", hint=_BASIC_HINT)


class AuthorizationSchema(StrictSchema):
    class Meta(StrictSchema.Meta):
        include = request_fields(
            AuthorizationFields,
            token=SecretField,
            username=functools.partial(SecretField, is_encoded=True),
            password=functools.partial(SecretField, is_encoded=True),
        )


class AuthorizationField(fields.Nested):
    """Credentials for a source; loads into an ``Authorization``.

    No part of them is in a message.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(AuthorizationSchema, **options)

    def _deserialize(
        self, value: Any, attr: Any, data: Any, partial: Any = None, **kwargs: Any
    ) -> Authorization:
        if not isinstance(value, dict):
            raise ValidationError(_NOT_AN_AUTHORIZATION)
        try:
            loaded = AuthorizationSchema().load(value)
        except ValidationError as error:
            problems: dict[str, Any] = {**error.messages_dict}
            names = [name for name in AuthorizationSchema().fields if name in problems]
            issue = f"{names[0]}: {problems[names[0]][0]}" if names else _NOT_AN_AUTHORIZATION
            raise ValidationError(issue) from None
        parts = CREDENTIAL_FIELDS[loaded["type"]]
        if {*loaded} != {"type", *parts} or ":" in loaded.get("username", ""):
            raise ValidationError(_NOT_AN_AUTHORIZATION)
        return Authorization(loaded["type"], loaded[parts[-1]], loaded.get("username", ""))


class TenantField(fields.String):
    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        is_sendable = isinstance(value, str) and value.isascii() and value.isprintable()
        if not is_sendable or not 0 < len(value.strip()) <= MAX_TENANT_LENGTH:
            raise ValidationError(
                f"Must be null or a string of 1 to {MAX_TENANT_LENGTH} printable ASCII characters"
            )
        reject_keys_in(value, "the tenant")
        return str(value.strip())


class PromqlField(fields.String):
    """A query in PromQL, which the server parses."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or not 0 < len(value.strip()) <= MAX_QUERY_LENGTH:
            raise ValidationError(f"Must be PromQL of 1 to {MAX_QUERY_LENGTH:,} characters")
        if "\0" in value:
            raise ValidationError("contains a null character; send PromQL")
        reject_keys_in(value, "the query")
        return value.strip()
