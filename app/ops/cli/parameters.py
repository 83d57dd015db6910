"""Parameter types of the commands."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from app.core.integers import MAX_ID
from app.identity.accounts.permissions import parse_permissions
from app.identity.accounts.texts import parse_duration, parse_timestamp

T = TypeVar("T")


class KeyId(click.ParamType[int]):
    """The id of a key: the number in lists, not the key itself."""

    name = "key id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert an argument; the error does not repeat a string that may be a key."""
        text = str(value)
        if not re.fullmatch("[0-9]{1,10}", text) or not 1 <= int(text) <= MAX_ID:
            problem = (
                "this is the key itself" if text.startswith("ak_") else f"{text!r} is not a key id"
            )
            self.fail(f"{problem}; send an id from `forecast-service keys list`", param, ctx)
        return int(text)


class ParsedText(click.ParamType[T]):
    """A text that ``parse`` converts, or rejects with a ValueError."""

    def __init__(self, name: str, parse: Callable[[str], T]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> T:
        try:
            parsed: T = self._parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return parsed


# Such as 90d, 24h or 30m; ``0h`` is zero.
DURATION = ParsedText("duration", parse_duration)
# UTC if it has no offset.
TIMESTAMP = ParsedText("iso8601", parse_timestamp)
PERMISSIONS = ParsedText("permissions", lambda text: parse_permissions(text.split(",")))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
key_argument = click.argument("key_id", metavar="KEY_ID", type=KeyId())
