"""``flask keys``: mint, list, rotate, revoke and audit API keys."""

import datetime as dt

import click
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from app.accounts import management
from app.accounts.audit import audit_trail
from app.accounts.models import DEFAULT_ACCOUNT, ApiKey
from app.accounts.permissions import Permission
from app.accounts.transaction import transaction
from app.cli.actor import operator
from app.cli.output import (
    EVENT_COLUMNS,
    KEY_COLUMNS,
    event_row,
    key_details,
    key_row,
    print_details,
    print_minted,
    print_rows,
)
from app.cli.parameters import Duration, KeyId, Moment, OneLineGroup, PermissionList
from app.database.clock import database_time

keys = OneLineGroup("keys", help="API keys: mint, list, rotate, revoke, audit.")


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
    with transaction() as session:
        if expires_in is not None:
            expires_at = database_time(session) + expires_in
        minted = management.create_key(
            session,
            operator(),
            permissions,
            account_name=account,
            label=label,
            expires_at=expires_at,
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
        now = database_time(session)
        found = [key_row(record, shared[record.lineage], now) for record in records]
    print_rows(found, KEY_COLUMNS, as_json)


@keys.command("show")
@click.argument("key_id", metavar="KEY_ID", type=KeyId())
def show_key(key_id: int) -> None:
    """Show all that is known of the key KEY_ID."""
    with transaction() as session:
        record = management.find_key(session, key_id)
        shared = management.shared_usage(session)[record.lineage]
        predecessor = session.scalar(select(ApiKey.id).where(ApiKey.successor_id == key_id))
        row = key_details(record, shared, predecessor, database_time(session))
    print_details(row)


@keys.command("rotate")
@click.argument("key_id", metavar="KEY_ID", type=KeyId())
@click.option(
    "--grace",
    type=Duration(),
    default="24h",
    show_default=True,
    help="How long the old key keeps working: 0h, 90m, 24h, 7d.",
)
@click.option("--quiet", is_flag=True, help="Print the new key alone, for scripts.")
def rotate_key(key_id: int, grace: dt.timedelta, quiet: bool) -> None:
    """Replace the key KEY_ID by a new one; the old one works until the grace period ends."""
    with transaction() as session:
        minted = management.rotate_key(session, operator(), key_id, grace)
    print_minted(minted, quiet)


@keys.command("revoke")
@click.argument("key_id", metavar="KEY_ID", type=KeyId())
def revoke_key(key_id: int) -> None:
    """End the key KEY_ID at once."""
    with transaction() as session:
        record = management.revoke_key(session, operator(), key_id)
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
