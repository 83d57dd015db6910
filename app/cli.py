"""The admin's commands: ``flask accounts …``, ``flask keys …`` and ``flask backups …``.

Each command is done wholly, what it changes in one transaction, or one line on stderr says why not.
"""

import contextlib
import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from flask import Flask
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session, joinedload

from app.accounts import management
from app.accounts.audit import audit_trail
from app.accounts.management import AccountError
from app.accounts.models import DEFAULT_ACCOUNT, Account, ApiKey
from app.accounts.permissions import Permission
from app.backups import BackupError, back_up, remove_old
from app.cli_output import (
    EVENT_COLUMNS,
    KEY_COLUMNS,
    event_row,
    key_details,
    key_row,
    print_details,
    print_minted,
    print_rows,
)
from app.cli_types import Duration, KeyId, Moment, OneLineGroup, PermissionList
from app.database import db, utcnow
from app.limits.tiers import TIERS, Allowance
from app.schema import unfit_schema

accounts = OneLineGroup("accounts", help="Accounts and their subscription tiers.")
keys = OneLineGroup("keys", help="API keys: mint, list, rotate, revoke, audit.")
backups = OneLineGroup("backups", help="Copies of the database.")


def register_commands(app: Flask) -> None:
    """Add the admin's commands to ``flask``."""
    app.cli.add_command(accounts)
    app.cli.add_command(keys)
    app.cli.add_command(backups)


@contextlib.contextmanager
def transaction() -> Iterator[Session]:
    """Give a session whose work is committed at the end, or one clear line and nothing done.

    Raises:
        click.ClickException: The database cannot be used, or it has another schema than this code.
    """
    try:
        with Session(db.engine, expire_on_commit=False) as session, session.begin():
            problem = unfit_schema(session.connection())
            if problem is not None:
                raise click.ClickException(problem)
            yield session
    except AccountError as error:
        raise click.ClickException(str(error)) from None
    except SQLAlchemyError as error:
        raise click.ClickException(_database_problem(error)) from None


def _database_problem(error: SQLAlchemyError) -> str:
    cause = str(error.orig if isinstance(error, DBAPIError) else error).strip().split("\n")[0]
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
        records = session.scalars(query).all()  # first: a lineage has its usage from then on
        shared = management.shared_usage(session)
        found = [key_row(record, shared[record.lineage]) for record in records]
    print_rows(found, KEY_COLUMNS, as_json)


@keys.command("show")
@click.argument("key_id", metavar="KEY_ID", type=KeyId())
def show_key(key_id: int) -> None:
    """Show all that is known of the key KEY_ID."""
    with transaction() as session:
        record = management.find_key(session, key_id)
        shared = management.shared_usage(session)[record.lineage]
        predecessor = session.scalar(select(ApiKey.id).where(ApiKey.successor_id == key_id))
        row = key_details(record, shared, predecessor)
    print_details(row)


@keys.command("rotate")
@click.argument("key_id", metavar="KEY_ID", type=KeyId())
@click.option("--grace", type=Duration(), default="24h", show_default=True, help="Old key works.")
@click.option("--quiet", is_flag=True, help="Print the new key alone, for scripts.")
def rotate_key(key_id: int, grace: dt.timedelta, quiet: bool) -> None:
    """Replace the key KEY_ID by a new one; the old one works until the grace period ends."""
    with transaction() as session:
        minted = management.rotate_key(session, key_id, grace)
    print_minted(minted, quiet)


@keys.command("revoke")
@click.argument("key_id", metavar="KEY_ID", type=KeyId())
def revoke_key(key_id: int) -> None:
    """End the key KEY_ID at once."""
    with transaction() as session:
        record = management.revoke_key(session, key_id)
    click.echo(f"Key {record.id} ({record.prefix}…) is revoked.")


@keys.command("audit")
@click.option("--account", help="Only this account's events.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def audit(account: str | None, as_json: bool) -> None:
    """Show who changed which account or key, when and from where; the newest last."""
    with transaction() as session:
        only = None if account is None else management.find_account(session, account)
        found = [event_row(event) for event in audit_trail(session, only)]
    print_rows(found, EVENT_COLUMNS, as_json)


@backups.command("create")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--keep", type=click.IntRange(1), help="Remove all copies there but that many.")
def create_backup(folder: Path, keep: int | None) -> None:
    """Copy the database into FOLDER, while the service goes on."""
    try:
        copy = back_up(db.engine.url, folder)
        removed = [] if keep is None else remove_old(folder, keep)
    except (BackupError, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"Copied to {copy} ({copy.stat().st_size:,} bytes); {len(removed)} old removed.")
