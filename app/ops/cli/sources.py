"""``forecast-service sources``: list their queries, poll one now, encrypt credentials again."""

import datetime as dt
from typing import Any

import click
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.api.service import current_settings
from app.core.database import db
from app.core.database.engine import read_session, write_session
from app.identity.accounts.models import DEFAULT_ACCOUNT, Account
from app.ops.cli.groups import DatabaseGroup
from app.ops.cli.output import listed_row, print_details, print_rows
from app.ops.cli.parameters import json_option
from app.watching.models.sources import (
    MAX_SOURCE_NAME_LENGTH,
    QueryState,
    SourceQuery,
    SourceRow,
    query_name,
)

_COLUMNS = (
    "account", "source", "query", "state", "series", "read_to", "next_poll_at",
    "failing_since", "problem",
)  # fmt: skip

# Characters; twice the length of the longest user and password, escaped and encrypted.
_MAX_SEALED_LENGTH = 2**19
SOURCES_PER_PAGE = 100

sources = DatabaseGroup("sources", help="Sources: list their queries, poll one, rotate secrets.")


@sources.command("list")
@click.option("--failing", is_flag=True, help="Only queries that are failing or refused.")
@json_option
def list_queries(failing: bool, as_json: bool) -> None:
    """List the queries of all sources with their states."""
    query = (
        select(SourceQuery, SourceRow.name, Account.name)
        .join(SourceRow, SourceRow.id == SourceQuery.source_id)
        .join(Account, Account.id == SourceRow.account_id)
        .order_by(Account.name, SourceRow.name, query_name())
    )
    if failing:
        query = query.where(SourceQuery.state.in_([QueryState.FAILING, QueryState.REFUSED]))
    with read_session() as session:
        rows = [_row(*row) for row in session.execute(query)]
    print_rows(rows, _COLUMNS, as_json)


@sources.command("poll")
@click.argument("name", metavar="SOURCE/QUERY")
@click.option("--account", default=DEFAULT_ACCOUNT, show_default=True, help="Name of the account.")
def poll_now(name: str, account: str) -> None:
    """Poll SOURCE/QUERY now, and print the counts, or the problem with status 1."""
    # Imported here and below, as the other commands need neither the poller nor cryptography.
    from app.watching.context import WatchingContext
    from app.watching.sources import leases
    from app.watching.sources.polling import poll_query

    source, _, query = name.partition("/")
    id_query = (
        select(SourceQuery.id)
        .join(SourceRow, SourceRow.id == SourceQuery.source_id)
        .join(Account, Account.id == SourceRow.account_id)
        .where(Account.name == account, SourceRow.name == source, query_name() == query)
    )
    with read_session() as session:
        query_id = session.scalar(id_query)
    if query_id is None:
        raise click.ClickException(f"the account {account!r} has no query {name!r}")
    lease = leases.acquire_lease(query_id)
    if lease is None:
        raise click.ClickException("a worker polls it at the moment, or the account is suspended")
    details = poll_query(WatchingContext(current_settings()), lease, is_manual=True)
    print_details(details)
    if "problem" in details:
        click.get_current_context().exit(1)


@sources.command("rotate-secrets")
def rotate_secrets() -> None:
    """Encrypt all credentials with the first key of SECRETS_KEY; the others can then be removed."""
    from app.watching.sources.credentials_cipher import reencrypt
    from app.watching.sources.source_records import UnreadableCredentialsError

    keys = current_settings().secrets_key
    if not keys:
        raise click.ClickException("SECRETS_KEY is not set, so no credentials are stored")
    query = select(SourceRow.id, SourceRow.name, SourceRow.credentials).where(
        SourceRow.credentials.is_not(None)
    )
    with write_session() as session:
        rows = session.execute(query.with_for_update()).all()
        for row in rows:
            try:
                sealed = reencrypt(row.credentials, keys)
            except UnreadableCredentialsError:
                raise click.ClickException(
                    f"no key of SECRETS_KEY decrypts the credentials of the source {row.name!r}; "
                    "nothing is changed"
                ) from None
            update_row = update(SourceRow).where(SourceRow.id == row.id)
            session.execute(update_row.values(credentials=sealed))
    click.echo(f"{len(rows)} encrypted with the first key.")


@sources.command("check-secrets")
@click.option(
    "--forget-credentials",
    is_flag=True,
    help="Remove the credentials that no key decrypts; their accounts send them again.",
)
def check_secrets(forget_credentials: bool) -> None:
    """Fail if there are credentials that no key of SECRETS_KEY decrypts."""
    with write_session() as session:
        number, unreadable = _find_unreadable_credentials(session)
        if forget_credentials:
            for source_id in unreadable:
                clear_row = update(SourceRow).where(SourceRow.id == source_id)
                session.execute(clear_row.values(credentials=None, authorization_type=None))
    db.engine.dispose()  # SQLite merges its log into the file, which a restore then moves
    if unreadable and not forget_credentials:
        raise click.ClickException(
            f"no key of SECRETS_KEY decrypts the credentials of {len(unreadable)} of {number} "
            f"sources, such as {next(iter(unreadable.values()))!r}; append the key that did, "
            "SECRETS_KEY=PRESENT,EARLIER: the file .environment beside each copy of the database "
            "has it; if it is lost, --forget-credentials removes these credentials"
        )
    forgotten = f", {len(unreadable)} removed" if unreadable else ""
    click.echo(f"{number - len(unreadable)} can be decrypted{forgotten}.")


def _find_unreadable_credentials(session: Session) -> tuple[int, dict[int, str]]:
    """Return the number of sources with credentials, and the names by id of unreadable ones."""
    from app.watching.sources.credentials_cipher import decrypt
    from app.watching.sources.source_records import UnreadableCredentialsError

    # A copy that is restored is untrusted: its columns may be longer than this service writes.
    page = (
        select(
            SourceRow.id,
            func.substr(SourceRow.name, 1, MAX_SOURCE_NAME_LENGTH),
            func.substr(SourceRow.credentials, 1, _MAX_SEALED_LENGTH),
        )
        .where(SourceRow.credentials.is_not(None))
        .order_by(SourceRow.id)
        .limit(SOURCES_PER_PAGE)
    )
    number = 0
    last = 0
    unreadable = {}
    while rows := session.execute(page.where(SourceRow.id > last)).all():
        for source_id, name, sealed in rows:
            try:
                decrypt(sealed, current_settings().secrets_key)
            except UnreadableCredentialsError:
                unreadable[source_id] = name
        number, last = number + len(rows), rows[-1].id
    return number, unreadable


def _row(query: SourceQuery, source: str, account: str) -> dict[str, Any]:
    seconds = query.read_to
    read_to = None if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC)
    name = query.path_name or query.name
    return listed_row(query, _COLUMNS, account=account, source=source, query=name, read_to=read_to)
