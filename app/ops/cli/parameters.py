"""Parameter types of the commands, and their errors."""

import errno
import functools
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click
from flask.cli import AppGroup
from sqlalchemy.exc import SQLAlchemyError

from app.core.database.engine import error_line, read_connection
from app.core.database.revisions import schema_problem
from app.core.units import MAX_ID
from app.identity.accounts.errors import (
    AccountError,
    CustomLimitsError,
    NoSuchAccountError,
    NoSuchKeyError,
    SuspendedAccountError,
)
from app.identity.accounts.permissions import parse_permissions
from app.identity.accounts.texts import parse_duration, parse_moment
from app.ops.cli.output import output_problem

T = TypeVar("T")
_REMEDIES: dict[type[AccountError], str] = {
    NoSuchAccountError: "; `forecast-service accounts list` lists all accounts",
    NoSuchKeyError: "; `forecast-service keys list` lists all keys",
    CustomLimitsError: "; the options for them are --per-minute, --per-hour and --per-day",
    SuspendedAccountError: "; `forecast-service accounts resume NAME` resumes it",
}


class WrongOptionError(click.ClickException):
    exit_code = click.UsageError.exit_code


class OneLineGroup(AppGroup):
    """Commands that report a failure as one line on stderr, without click's usage lines."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise WrongOptionError(error.format_message()) from None
        except AccountError as error:
            raise click.ClickException(with_remedy(error)) from None
        except SQLAlchemyError as error:
            problem = f"the database cannot be used: {error_line(error)}"
            raise click.ClickException(problem) from None
        except OSError as error:
            # click handles a closed pipe, as in `… | head`, without a message.
            if error.filename is not None or error.errno not in (errno.ENOSPC, errno.EIO):
                raise
            problem = f"{output_problem(error)}; what the command has changed stays"
            raise click.ClickException(problem) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            problem = error.format_message().rstrip(".")
            raise WrongOptionError(f"{problem}; `{ctx.command_path} --help` lists all") from None


class DatabaseGroup(OneLineGroup):
    """Commands that fail on a database whose schema is not that of this code."""

    def command(  # type: ignore[override]
        self, name: str
    ) -> Callable[[Callable[..., Any]], click.Command]:
        register = super().command(name)

        def register_checked(function: Callable[..., Any]) -> click.Command:
            @functools.wraps(function)
            def run(**arguments: Any) -> None:
                with read_connection() as connection:
                    problem = schema_problem(connection)
                if problem is not None:
                    raise click.ClickException(problem)
                function(**arguments)

            return register(run)

        return register_checked


def with_remedy(error: AccountError) -> str:
    """Return the message of an error, with the command that helps if there is one."""
    return str(error) + next(
        (text for kind, text in _REMEDIES.items() if isinstance(error, kind)), ""
    )


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
MOMENT = ParsedText("iso8601", parse_moment)
PERMISSIONS = ParsedText("permissions", lambda text: parse_permissions(text.split(",")))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
key_argument = click.argument("key_id", metavar="KEY_ID", type=KeyId())
