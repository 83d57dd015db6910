"""Create, change and delete sources.

A change locks the account first, as the creation of a monitor does.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from app.core.database import utcnow
from app.core.http.addresses import Network, Target, check_url
from app.core.http.errors import UrlError
from app.core.settings import Settings
from app.identity.accounts.accounts import lock_account_row
from app.identity.accounts.audit import Action, Actor
from app.identity.accounts.changes import changed_columns, check_quota, open_change, record_change
from app.identity.accounts.errors import NameTakenError, TooManyError
from app.watching.models.sources import QUERIES, SOURCES, QueryState, query_name
from app.watching.sources.credentials_cipher import decrypt, encrypt
from app.watching.sources.query_registry import delete_query
from app.watching.sources.series import labels_json
from app.watching.sources.source_reader import find_source_row, get_source_row
from app.watching.sources.source_records import (
    SOURCE_URLS,
    Authorization,
    AuthorizationNeededError,
    NoSuchSourceError,
    SourceSettings,
    UnreadableCredentialsError,
)

# Columns whose settings have other names.
_SETTING_NAMES = dict.fromkeys(("authorization_type", "credentials"), "authorization")


def put_source(
    settings: Settings,
    actor: Actor,
    account_id: int,
    name: str,
    source_settings: SourceSettings,
    *,
    must_be_new: bool = False,
    must_exist: bool = False,
) -> bool:
    """Create a source, or replace the settings of the one with this name.

    A change leaves an event in the audit trail, as all changes of sources and queries do.

    Return whether it is new. Raise AuthorizationNeededError, NoSecretsKeyError or TooManyError;
    NameTakenError if there is one with this name, and it ``must_be_new``; NoSuchSourceError if
    there is none, and it ``must_exist``.
    """
    with open_change(actor) as connection:
        lock_account_row(connection, account_id)
        row = find_source_row(connection, account_id, name)
        if row is not None and must_be_new:
            raise NameTakenError("source")
        if row is None and must_exist:
            raise NoSuchSourceError(name)
        values = {
            "url": source_settings.url,
            "tenant": source_settings.tenant,
            "alertmanagers": json.dumps([*source_settings.alertmanagers]),
            "labels": labels_json(source_settings.labels),
        } | _credentials(settings, row, source_settings)
        if row is not None:
            connection.execute(update(SOURCES).where(SOURCES.c.id == row.id).values(values))
            if changed := changed_columns(row, values, _SETTING_NAMES):
                detail = f"{name}: {changed}"
                record_change(connection, actor, Action.SOURCE_CHANGED, account_id, detail)
            update_queries = update(QUERIES).where(QUERIES.c.source_id == row.id)
            unread = update_queries.where(QUERIES.c.state != QueryState.LIVE)
            connection.execute(unread.values(next_poll_at=utcnow()))
            return False
        check_quota(
            connection,
            SOURCES.c.account_id == account_id,
            TooManyError("source", settings.sources_per_account, "SOURCES_PER_ACCOUNT"),
        )
        initial = {"account_id": account_id, "name": name, "created_at": utcnow()}
        connection.execute(insert(SOURCES).values(initial | values))
        record_change(connection, actor, Action.SOURCE_CREATED, account_id, name)
    return True


def delete_source(actor: Actor, account_id: int, name: str) -> None:
    """Delete a source with its queries and their monitors.

    Raise NoSuchSourceError if the account has no source of this name.
    """
    while True:
        with open_change(actor) as connection:
            lock_account_row(connection, account_id)
            source = get_source_row(connection, account_id, name)
            names = select(query_name()).where(QUERIES.c.source_id == source.id)
            queries = connection.scalars(names).all()
            if not queries:
                connection.execute(delete(SOURCES).where(SOURCES.c.id == source.id))
                record_change(connection, actor, Action.SOURCE_DELETED, account_id, name)
                return
        for query in queries:
            delete_query(actor, account_id, name, query)
            # What is partly deleted is deleted completely.
            actor = replace(actor, check_rights=None)


def _credentials(
    settings: Settings, row: Row[Any] | None, source_settings: SourceSettings
) -> dict[str, Any]:
    """Return the columns of the authorization, none if it stays as it is."""
    authorization, keys = source_settings.authorization, settings.secrets_key
    has_stored = row is not None and row.credentials is not None
    if isinstance(authorization, Authorization):
        if row is not None and has_stored and _is_stored(row.credentials, authorization, keys):
            return {}
        encrypted = encrypt(authorization, keys)
        return {"authorization_type": authorization.type, "credentials": encrypted}
    if authorization is None or row is None or not has_stored:
        return {"authorization_type": None, "credentials": None}
    allowed = settings.source_allowed_networks
    if _origin(row.url, allowed) != _origin(source_settings.url, allowed):
        raise AuthorizationNeededError
    return {}


def _origin(url: str, allowed: Sequence[Network]) -> Target | None:
    """Return scheme, host and port of ``url``, None if the present rules forbid it."""
    try:
        return replace(check_url(url, allowed, SOURCE_URLS), path="")
    except UrlError:
        return None


def _is_stored(sealed: str, authorization: Authorization, keys: Sequence[str]) -> bool:
    """Return whether these are the credentials that are stored; encrypted, the same ones differ."""
    try:
        return decrypt(sealed, keys) == authorization
    except UnreadableCredentialsError:
        return False
