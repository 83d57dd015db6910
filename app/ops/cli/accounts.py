"""``forecast-service accounts``: accounts and their subscription tiers."""

import functools
from collections.abc import Callable
from typing import Any

import click
from sqlalchemy import select

from app.core.database.engine import read_session, write_session
from app.core.integers import MAX_INT32
from app.identity import suspension
from app.identity.accounts import accounts as account_store
from app.identity.accounts.models import Account
from app.identity.limits.tiers import TIERS, Allowance
from app.ops import account_deletion
from app.ops.cli.actor import operator_actor
from app.ops.cli.groups import DatabaseGroup, WrongOptionError
from app.ops.cli.output import listed_row, print_rows
from app.ops.cli.parameters import json_option


def _tier_meaning(name: str, allowance: Allowance | None) -> str:
    if allowance is None:
        return f"{name}: its own three limits"
    return f"{name}: " + "/".join(f"{limit:,}" for _window, limit in allowance.windows())


_TIERS_HELP = (
    "Requests per minute, hour and day, shared by all keys of the account. "
    + "; ".join(_tier_meaning(*tier) for tier in TIERS.items())
    + ". Without a tier, each key has the limits of its own permissions."
)

accounts = DatabaseGroup("accounts", help="Accounts: create, limit, suspend, resume, delete.")


def custom_limit_options(command: Callable[..., None]) -> Any:
    """Add the three options of an Enterprise account to a command, which gets ``custom``."""

    @functools.wraps(command)
    def run(
        *, per_minute: int | None, per_hour: int | None, per_day: int | None, **arguments: Any
    ) -> None:
        custom = None
        if per_minute is not None and per_hour is not None and per_day is not None:
            custom = Allowance(per_minute, per_hour, per_day)
        elif (per_minute, per_hour, per_day) != (None, None, None):
            raise WrongOptionError("give --per-minute, --per-hour and --per-day together")
        command(**arguments, custom=custom)

    decorated: Any = run
    for window in ("day", "hour", "minute"):
        option = click.option(
            f"--per-{window}",
            type=click.IntRange(1, MAX_INT32),
            help=f"Requests per {window} (enterprise only).",
        )
        decorated = option(decorated)
    return decorated


@accounts.command("create")
@click.argument("name")
@click.option("--tier", type=click.Choice(list(TIERS)), help=_TIERS_HELP)
@custom_limit_options
def create_account(name: str, tier: str | None, custom: Allowance | None) -> None:
    """Create the account NAME."""
    with write_session() as session:
        account = account_store.create_account(session, operator_actor(), name, tier, custom)
    click.echo(f"Account {account.name} created, {account_store.tier_text(account)}.")


@accounts.command("set-tier")
@click.argument("name")
@click.argument("tier", type=click.Choice([*TIERS, "none"]))
@custom_limit_options
def set_tier(name: str, tier: str, custom: Allowance | None) -> None:
    """Set the tier of the account NAME, or remove it; counts of the current windows continue.

    `forecast-service accounts create --help` says what each tier allows.
    """
    with write_session() as session:
        new_tier = None if tier == "none" else tier
        account = account_store.set_tier(session, operator_actor(), name, new_tier, custom)
    click.echo(f"Account {account.name} has {account_store.tier_text(account)} now.")


@accounts.command("suspend")
@click.argument("name")
def suspend_account(name: str) -> None:
    """Reject all keys of the account NAME from now on, until it is resumed.

    No keys can be created and nobody can sign in. Monitors, members and counts are kept, but
    monitors send no messages.
    """
    with write_session() as session:
        suspension.suspend_account(session, operator_actor(), name)
    click.echo(
        f"Account {name} is suspended. To resume it, run `forecast-service accounts resume {name}`."
    )


@accounts.command("resume")
@click.argument("name")
def resume_account(name: str) -> None:
    """Resume the suspended account NAME, with its keys and monitors."""
    with write_session() as session:
        suspension.resume_account(session, operator_actor(), name)
    click.echo(f"Account {name} is active again.")


@accounts.command("delete")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete_account(name: str, yes: bool) -> None:
    """Permanently delete the account NAME: keys, monitors, members, usage and counts.

    Its audit trail is kept, and its name can be used again.
    """
    if not yes:
        with read_session() as session:
            dependents = account_deletion.count_dependents(
                session, account_store.get_account(session, name)
            )
        click.confirm(
            f"Permanently delete the account {name} with {dependents}, its members and its usage?",
            abort=True,
            err=True,
        )
    with write_session() as session:
        deleted = account_deletion.delete_account(session, operator_actor(), name)
    click.echo(
        f"Account {name} is deleted with {deleted}. "
        "`forecast-service keys audit` still shows its audit trail."
    )


@accounts.command("list")
@json_option
def list_accounts(as_json: bool) -> None:
    """List all accounts with the limits of their tier, or an enterprise account's own.

    The state is active or suspended.
    """
    limits = ("per_minute", "per_hour", "per_day")
    columns = ("id", "name", "tier", *limits, "state")
    with read_session() as session:
        stored = session.scalars(select(Account).order_by(Account.id)).all()
    rows = [
        listed_row(account, columns) | listed_row(TIERS.get(account.tier or "") or account, limits)
        for account in stored
    ]
    print_rows(rows, columns, as_json)
