"""The admin's commands: ``flask accounts …`` and ``flask keys …``.

Each command is one transaction: it is done wholly, or one line on stderr says why not.
"""

import contextlib
import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Any

import click
import orjson
from flask import Flask
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session, joinedload

from app.accounts import management
from app.accounts.management import AccountError, MintedKey
from app.accounts.models import DEFAULT_ACCOUNT, Account, ApiKey
from app.accounts.permissions import Permission, sorted_permissions
from app.cli_types import KEY_ID, Duration, Moment, OneLineGroup, PermissionList
from app.database import db, utcnow
from app.limits.tiers import TIERS, Allowance

accounts = OneLineGroup("accounts", help="Accounts and their subscription tiers.")
keys = OneLineGroup("keys", help="API keys: mint, list, rotate, revoke.")


def register_commands(app: Flask) -> None:
    """Add the admin's commands to ``flask``."""
    app.cli.add_command(accounts)
    app.cli.add_command(keys)


@contextlib.contextmanager
def transaction() -> Iterator[Session]:
    """Give a session whose work is committed at the end, or one clear line and nothing done."""
    try:
        with Session(db.engine, expire_on_commit=False) as session, session.begin():
            yield session
    except AccountError as error:
        raise click.ClickException(str(error)) from None
    except SQLAlchemyError as error:
        raise click.ClickException(_database_problem(error)) from None


def _database_problem(error: SQLAlchemyError) -> str:
    cause = str(error.orig if isinstance(error, DBAPIError) else error).strip().split("\n")[0]
    if "no such table" in cause or "does not exist" in cause or "no such column" in cause:
        return "the database is not migrated; run `flask db upgrade` first"
    return f"the database cannot be used: {cause}"


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
        account = management.create_account(session, name, tier, allowance)
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
        account = management.set_tier(session, name, None if tier == "none" else tier, allowance)
    click.echo(f"Account {account.name} has {_tier_text(account)} now.")


def _tier_text(account: Account) -> str:
    return f"tier {account.tier}" if account.tier else "no tier"


@accounts.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def list_accounts(as_json: bool) -> None:
    """List all accounts."""
    columns = ("id", "name", "tier", "per_minute", "per_hour", "per_day")
    with transaction() as session:
        found = session.scalars(select(Account).order_by(Account.id)).all()
    print_rows([{name: getattr(row, name) for name in columns} for row in found], columns, as_json)


@keys.command("create")
@click.option("--account", default=DEFAULT_ACCOUNT, show_default=True, help="Whose key it is.")
@click.option("--permissions", type=PermissionList(), required=True, help="E.g. read,write.")
@click.option("--label", default="", help="What the key is for, for your own lists.")
@click.option("--expires-at", type=Moment(), help="When it ends, e.g. 2027-01-31T00:00:00Z.")
@click.option("--expires-in", type=Duration(), help="After how long it ends, e.g. 90d.")
@click.option("--quiet", is_flag=True, help="Print the key alone, for scripts.")
def create_key(
    account: str,
    permissions: frozenset[Permission],
    label: str,
    expires_at: dt.datetime | None,
    expires_in: dt.timedelta | None,
    quiet: bool,
) -> None:
    """Mint a key; it is printed once and cannot be shown again."""
    if expires_at is not None and expires_in is not None:
        raise click.ClickException("give --expires-at or --expires-in, not both")
    if expires_in is not None:
        expires_at = utcnow() + expires_in
    with transaction() as session:
        minted = management.create_key(
            session, permissions, account_name=account, label=label, expires_at=expires_at
        )
    print_minted(minted, quiet)


@keys.command("list")
@click.option("--account", help="Only this account's keys.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def list_keys(account: str | None, as_json: bool) -> None:
    """List keys, revoked and expired ones too."""
    query = select(ApiKey).options(joinedload(ApiKey.account)).order_by(ApiKey.id)
    with transaction() as session:
        if account is not None:
            query = query.where(ApiKey.account == management.find_account(session, account))
        found = [key_row(record) for record in session.scalars(query)]
    print_rows(found, KEY_COLUMNS, as_json)


@keys.command("show")
@click.argument("key_id", metavar="ID", type=KEY_ID)
def show_key(key_id: int) -> None:
    """Show all that is known of the key ID."""
    with transaction() as session:
        record = management.find_key(session, key_id)
        row = key_row(record) | {
            "created_at": _text(record.created_at),
            "grace_ends_at": _text(record.grace_ends_at),
            "revoked_at": _text(record.revoked_at),
            "successor_id": record.successor_id,
        }
    for name, value in row.items():
        click.echo(f"{name + ':':15} {_cell(value)}")


@keys.command("rotate")
@click.argument("key_id", metavar="ID", type=KEY_ID)
@click.option("--grace", type=Duration(), default="24h", show_default=True, help="Old key works.")
@click.option("--quiet", is_flag=True, help="Print the new key alone, for scripts.")
def rotate_key(key_id: int, grace: dt.timedelta, quiet: bool) -> None:
    """Replace the key ID by a new one; the old one works until the grace period ends."""
    with transaction() as session:
        minted = management.rotate_key(session, key_id, grace)
    print_minted(minted, quiet)


@keys.command("revoke")
@click.argument("key_id", metavar="ID", type=KEY_ID)
def revoke_key(key_id: int) -> None:
    """End the key ID at once."""
    with transaction() as session:
        record = management.revoke_key(session, key_id)
    click.echo(f"Key {record.id} ({record.prefix}…) is revoked.")


KEY_COLUMNS = (
    "id",
    "prefix",
    "account",
    "label",
    "permissions",
    "state",
    "usage_count",
    "last_used_at",
    "expires_at",
)


def key_row(record: ApiKey) -> dict[str, Any]:
    """Return what lists show of a key."""
    return {
        "id": record.id,
        "prefix": record.prefix,
        "account": record.account.name,
        "label": record.label,
        "permissions": sorted_permissions(record.permissions),
        "state": record.state(utcnow()),
        "usage_count": record.usage_count,
        "last_used_at": _text(record.last_used_at),
        "expires_at": _text(record.expires_at),
    }


def print_minted(minted: MintedKey, quiet: bool) -> None:
    """Print a new key, alone or with what to know about it."""
    if quiet:
        click.echo(minted.key)
        return
    record = minted.record
    until = f"until {_text(record.expires_at)}" if record.expires_at else "without expiry"
    granted = ", ".join(sorted_permissions(record.permissions))
    click.echo(f"Key {record.id} of account {record.account.name} ({granted}), valid {until}:")
    click.echo(minted.key)
    click.echo("Store it now: only its hash is kept, it cannot be shown again.")


def print_rows(rows: Sequence[dict[str, Any]], columns: Sequence[str], as_json: bool) -> None:
    """Print ``rows`` as JSON or as an aligned table."""
    if as_json:
        click.echo(orjson.dumps(list(rows), option=orjson.OPT_INDENT_2))
        return
    table = [list(columns)] + [[_cell(row[name]) for name in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return "-" if value in (None, "") else str(value)


def _text(moment: dt.datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")
