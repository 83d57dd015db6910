"""The field of a URL to which the service sends requests."""

from collections.abc import Callable, Sequence
from typing import Any

from marshmallow import ValidationError, fields

from app.api.requests.names import reject_keys_in
from app.api.service import current_settings
from app.core.http.addresses import Network, UrlPolicy, check_url
from app.core.http.errors import UrlError
from app.core.settings import Settings


class UrlField(fields.String):
    """A URL that ``policy`` allows, in a public network or one of the settings' ``networks``."""

    def __init__(
        self,
        policy: UrlPolicy,
        networks: Callable[[Settings], Sequence[Network]],
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.policy, self.networks = policy, networks

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError(f"Must be a string, such as {self.metadata['examples'][0]}")
        reject_keys_in(value, "the URL")
        try:
            check_url(value, self.networks(current_settings()), self.policy)
        except UrlError as error:
            raise ValidationError(str(error)) from None
        return value.rstrip("/") if self.policy.is_base else value
