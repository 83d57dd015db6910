"""Groups of commands, which report failures as one line."""

import errno
import functools
from collections.abc import Callable
from typing import Any

import click
from flask.cli import AppGroup
from sqlalchemy.exc import SQLAlchemyError

from app.core.database.engine import error_line, read_connection
from app.core.database.revisions import schema_problem
from app.identity.accounts.errors import (
    AccountError,
    CustomLimitsError,
    NoSuchAccountError,
    NoSuchKeyError,
    SuspendedAccountError,
)
from app.ops.cli.output import output_problem

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
