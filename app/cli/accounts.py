"""``flask accounts``: accounts and their subscription tiers."""

from typing import Any

import click
from sqlalchemy import select

from app.accounts import management
from app.accounts.models import Account
from app.accounts.transaction import transaction
from app.cli.actor import operator
from app.cli.output import print_rows
from app.cli.parameters import OneLineGroup
from app.limits.tiers import TIERS, Allowance

accounts = OneLineGroup("accounts", help="Accounts and their subscription tiers.")


def custom_limits(command: Any) -> Any:
    """Add the three options of an Enterprise account to a command."""
    for window in ("day", "hour", "minute"):
        option = click.option(
            f"--per-{window}",
            type=click.IntRange(1, 2**31 - 1),
            help=f"Requests a {window} (enterprise).",
        )
        command = option(command)
    return command


def _allowance(
    per_minute: int | None, per_hour: int | None, per_day: int | None
) -> Allowance | None:
    if per_minute is None and per_hour is None and per_day is None:
        return None
    if per_minute is None or per_hour is None or per_day is None:
        raise click.ClickException("give --per-minute, --per-hour and --per-day together")
    return Allowance(per_minute, per_hour, per_day)


@accounts.command("create")
@click.argument("name")
@click.option("--tier", type=click.Choice(list(TIERS)), help="Subscription tier; default none.")
@custom_limits
def create_account(
    name: str, tier: str | None, per_minute: int | None, per_hour: int | None, per_day: int | None
) -> None:
    """Create the account NAME."""
    allowance = _allowance(per_minute, per_hour, per_day)
    with transaction() as session:
        account = management.create_account(session, operator(), name, tier, allowance)
    click.echo(f"Account {account.name} created, {_tier_text(account)}.")


@accounts.command("set-tier")
@click.argument("name")
@click.argument("tier", type=click.Choice([*TIERS, "none"]))
@custom_limits
def set_tier(
    name: str, tier: str, per_minute: int | None, per_hour: int | None, per_day: int | None
) -> None:
    """Give the account NAME the tier TIER, or none; running counts go on."""
    allowance = _allowance(per_minute, per_hour, per_day)
    with transaction() as session:
        wanted = None if tier == "none" else tier
        account = management.set_tier(session, operator(), name, wanted, allowance)
    click.echo(f"Account {account.name} has {_tier_text(account)} now.")


def _tier_text(account: Account) -> str:
    return f"tier {account.tier}" if account.tier else "no tier"


@accounts.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def list_accounts(as_json: bool) -> None:
    """List all accounts with their limits: the tier's, an enterprise account's own, else none."""
    of_account, limits = ("id", "name", "tier"), ("per_minute", "per_hour", "per_day")
    with transaction() as session:
        found = session.scalars(select(Account).order_by(Account.id)).all()
    rows = [
        {name: getattr(account, name) for name in of_account}
        | {name: getattr(TIERS.get(account.tier or "") or account, name) for name in limits}
        for account in found
    ]
    print_rows(rows, of_account + limits, as_json)
