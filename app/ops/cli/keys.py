"""``forecast-service keys``: create, list, rotate, revoke and audit API keys."""

import datetime as dt
from collections.abc import Callable

import click
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from app.core.database.database_clock import database_time
from app.core.database.engine import read_session, write_session
from app.identity.accounts import keys as key_store
from app.identity.accounts.accounts import get_account
from app.identity.accounts.audit import AuditEvent, audit_trail
from app.identity.accounts.errors import NoSuchAccountError
from app.identity.accounts.key_records import usage_by_lineage
from app.identity.accounts.keys import MAX_GRACE_PERIOD
from app.identity.accounts.models import DEFAULT_ACCOUNT, ApiKey
from app.identity.accounts.permissions import PERMISSION_MEANINGS, Permission
from app.identity.accounts.texts import expiry_text
from app.ops.cli.actor import operator_actor
from app.ops.cli.groups import DatabaseGroup, WrongOptionError, with_remedy
from app.ops.cli.output import (
    KEY_COLUMNS,
    abort_if_unprinted,
    key_details,
    key_list_row,
    listed_row,
    print_created_key,
    print_details,
    print_rows,
)
from app.ops.cli.parameters import DURATION, PERMISSIONS, TIMESTAMP, json_option, key_argument

_PERMISSIONS_HELP = (
    "What the key may do, separated by commas: "
    + "; ".join(f"{name}: {meaning}" for name, meaning in PERMISSION_MEANINGS.items())
    + "."
)

keys = DatabaseGroup("keys", help="API keys: create, list, change, rotate, revoke, audit.")


def expiry_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of an expiry: a time, or how long from now."""
    at_help = "When the key expires, e.g. 2027-01-31T00:00:00Z; UTC if there is no offset."
    in_help = "How long until the key expires, e.g. 90d."
    expires_in = click.option("--expires-in", type=DURATION, help=in_help)
    expires_at = click.option("--expires-at", type=TIMESTAMP, help=at_help)
    return expires_at(expires_in(command))


@keys.command("create")
@click.option(
    "--account", default=DEFAULT_ACCOUNT, show_default=True, help="The account that owns the key."
)
@click.option("--permissions", type=PERMISSIONS, required=True, help=_PERMISSIONS_HELP)
@click.option("--label", default="", help="What the key is for; shown in lists.")
@expiry_options
@click.option("--quiet", is_flag=True, help="Print only the key, for scripts.")
def create_key(
    account: str,
    permissions: frozenset[Permission],
    label: str,
    expires_at: dt.datetime | None,
    expires_in: dt.timedelta | None,
    quiet: bool,
) -> None:
    """Create a key; it is printed once and cannot be shown again."""
    if expires_at is not None and expires_in is not None:
        raise WrongOptionError("give --expires-at or --expires-in, not both")
    with write_session() as session:
        created = key_store.create_key(
            session,
            operator_actor(),
            get_account(session, account).id,
            permissions,
            label=label,
            expires_at=_expiry(session, expires_at, expires_in),
        )
        with abort_if_unprinted():
            print_created_key(created, quiet)


@keys.command("list")
@click.option("--account", help="Only this account's keys.")
@json_option
def list_keys(account: str | None, as_json: bool) -> None:
    """List keys, including expired and revoked ones.

    A key is active, rotated (works until its grace period ends), suspended (with its account),
    expired or revoked.
    """
    query = select(ApiKey).options(joinedload(ApiKey.account)).order_by(ApiKey.id)
    with read_session() as session:
        if account is not None:
            query = query.where(ApiKey.account == get_account(session, account))
        # Read before the usage, so that every lineage in the list has one.
        records = session.scalars(query).all()
        shared = usage_by_lineage(session)
        now = database_time(session)
        rows = [key_list_row(record, shared[record.lineage], now) for record in records]
    print_rows(rows, KEY_COLUMNS, as_json)


@keys.command("show")
@key_argument
@json_option
def show_key(key_id: int, as_json: bool) -> None:
    """Show the details of the key KEY_ID."""
    with read_session() as session:
        record = key_store.get_key(session, key_id)
        shared = usage_by_lineage(session)[record.lineage]
        predecessor = session.scalar(select(ApiKey.id).where(ApiKey.successor_id == key_id))
        row = key_details(record, shared, predecessor, database_time(session))
    print_details(row, as_json)


@keys.command("set-label")
@key_argument
@click.argument("label")
def set_label(key_id: int, label: str) -> None:
    """Set what the key KEY_ID is for; an empty LABEL removes the label."""
    with write_session() as session:
        record = key_store.change_key(session, operator_actor(), key_id, label=label)
    state = f"is now labelled {record.label!r}" if record.label else "has no label now"
    click.echo(f"Key {record.id} ({record.prefix}…) {state}.")


@keys.command("set-expiry")
@key_argument
@expiry_options
@click.option("--never", is_flag=True, help="The key never expires.")
def set_expiry(
    key_id: int, expires_at: dt.datetime | None, expires_in: dt.timedelta | None, never: bool
) -> None:
    """Change when the key KEY_ID expires, unless it has expired or is revoked."""
    if [expires_at is not None, expires_in is not None, never].count(True) != 1:
        raise WrongOptionError("give exactly one of --expires-at, --expires-in and --never")
    with write_session() as session:
        expiry = _expiry(session, expires_at, expires_in)
        record = key_store.change_key(session, operator_actor(), key_id, expires_at=expiry)
    click.echo(f"Key {record.id} ({record.prefix}…) is now valid {expiry_text(expiry)}.")


def _expiry(
    session: Session, expires_at: dt.datetime | None, expires_in: dt.timedelta | None
) -> dt.datetime | None:
    return expires_at if expires_in is None else database_time(session) + expires_in


@keys.command("rotate")
@key_argument
@click.option(
    "--grace",
    type=DURATION,
    default="24h",
    show_default=True,
    help=f"How long the old key keeps working: 0h, 90m, 24h, 7d; at most {MAX_GRACE_PERIOD.days}d.",
)
@click.option("--quiet", is_flag=True, help="Print only the new key, for scripts.")
def rotate_key(key_id: int, grace: dt.timedelta, quiet: bool) -> None:
    """Replace the key KEY_ID with a new one; the old one works until the grace period ends."""
    with write_session() as session:
        created = key_store.rotate_key(session, operator_actor(), key_id, grace)
        with abort_if_unprinted():
            print_created_key(created, quiet)


@keys.command("revoke")
@key_argument
def revoke_key(key_id: int) -> None:
    """Revoke the key KEY_ID immediately."""
    with write_session() as session:
        record = key_store.revoke_key(session, operator_actor(), key_id)
    click.echo(f"Key {record.id} ({record.prefix}…) is revoked.")


@keys.command("audit")
@click.option("--account", help="Only this account's events.")
@json_option
def audit(account: str | None, as_json: bool) -> None:
    """Show who changed which account, key or member, when and from where, newest last.

    The actor is an operator (os_user, sudo_user, host), a key (by_key_id, by_prefix) or a member;
    for keys and members, address is where the request came from. Events of deleted accounts are
    shown only without --account.
    """
    columns = AuditEvent.__table__.c.keys()
    with read_session() as session:
        try:
            only = None if account is None else get_account(session, account)
        except NoSuchAccountError as error:
            raise click.ClickException(
                f"{with_remedy(error)}; to see events of a deleted account, leave out --account"
            ) from None
        rows = [listed_row(event, columns) for event in reversed(audit_trail(session, only))]
    print_rows(rows, columns, as_json)
