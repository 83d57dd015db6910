"""Sessions: a random token in a cookie, its hash in the database that all nodes share.

A session ends after 12 hours without a request, after 7 days in any case, and immediately at
sign-out, when its member is removed or its account is suspended.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import (
    ColumnElement,
    Connection,
    Dialect,
    Engine,
    Executable,
    delete,
    select,
    update,
)
from sqlalchemy.orm import Session

from app.core.api_keys import redact_key_parts
from app.core.database import utcnow
from app.core.database.database_clock import database_time, statement_time, statement_time_before
from app.core.database.engine import read_rows
from app.identity.accounts.accounts import lock_account_row
from app.identity.accounts.models import Account
from app.identity.members.models import MAX_USER_AGENT_LENGTH, Member, MemberSession, Role
from app.identity.members.tokens import hash_token, new_token

_IDLE_TIMEOUT = dt.timedelta(hours=12)
MAX_SESSION_AGE = dt.timedelta(days=7)
# Minimum interval between writes of a session's last use, as pages cause many requests.
_SEEN_UPDATE_INTERVAL = dt.timedelta(minutes=1)


@dataclass(frozen=True)
class FoundSession:
    """A valid session, its token, and its member."""

    token: str = field(repr=False)
    session_id: int
    member_id: int
    email: str
    role: Role
    account_id: int
    account_name: str

    @property
    def can_change(self) -> bool:
        return self.role.can_change


@dataclass(frozen=True)
class Visitor:
    """The browser that sends a request: its address, if stored, user agent and current session."""

    address: str | None
    user_agent: str
    token: str | None


def open_session(session: Session, member: Member, visitor: Visitor) -> str:
    """Sign in ``member``; return the new session's token, which exists nowhere else.

    The current session of the browser ends.
    """
    token = new_token()
    now = database_time(session)
    is_ended = ~_is_valid(session.connection().dialect)
    if visitor.token is not None:
        is_ended |= MemberSession.token_hash == hash_token(visitor.token)
    session.execute(delete(MemberSession).where(is_ended), _now())
    session.add(
        MemberSession(
            token_hash=hash_token(token),
            member_id=member.id,
            created_at=now,
            last_seen_at=now,
            address=visitor.address,
            user_agent=_sanitize_user_agent(visitor.user_agent),
        )
    )
    member.last_sign_in_at = now
    session.flush()
    return token


def find_session(engine: Engine, token: str) -> FoundSession | None:
    """Return the valid session of ``token``, if there is one."""
    rows = read_rows(engine, _session_query(engine.dialect, hash_token(token)), **_now())
    if not rows:
        return None
    row = rows[0]
    if row.is_seen_long_ago:
        touch = update(MemberSession).where(MemberSession.id == row.id)
        with engine.begin() as connection:
            connection.execute(touch.values(last_seen_at=statement_time(engine.dialect)), _now())
    return FoundSession(
        token=token,
        session_id=row.id,
        member_id=row.member_id,
        email=row.email,
        role=Role(row.role),
        account_id=row.account_id,
        account_name=row.account_name,
    )


def current_role(connection: Connection, session_id: int, account_id: int) -> Role | None:
    """Return the role of the session's member, None if the session has ended.

    Locks the account and its members until the transaction ends.
    """
    lock_account_row(connection, account_id)
    session_role = select(Member.role).join(MemberSession, MemberSession.member_id == Member.id)
    is_session = (MemberSession.id == session_id) & _is_valid(connection.dialect)
    role = connection.scalar(session_role.where(is_session), _now())
    return None if role is None else Role(role)


def list_sessions(session: Session, member_id: int) -> Sequence[MemberSession]:
    """Return the valid sessions of a member, most recently used first."""
    query = (
        select(MemberSession)
        .where(MemberSession.member_id == member_id, _is_valid(session.connection().dialect))
        .order_by(MemberSession.last_seen_at.desc(), MemberSession.id.desc())
    )
    return session.scalars(query, _now()).all()


def end_session(session: Session, session_id: int, member_id: int) -> bool:
    """End a session of a member; return whether it existed."""
    is_session = (MemberSession.id == session_id) & (MemberSession.member_id == member_id)
    deleted = session.scalars(delete(MemberSession).where(is_session).returning(MemberSession.id))
    return deleted.one_or_none() is not None


def end_sessions(session: Session, member_id: int) -> None:
    session.execute(delete(MemberSession).where(MemberSession.member_id == member_id))


def end_account_sessions(session: Session, account_id: int) -> None:
    account_members = select(Member.id).where(Member.account_id == account_id)
    session.execute(delete(MemberSession).where(MemberSession.member_id.in_(account_members)))


def _now() -> dict[str, dt.datetime]:
    """Return the parameter of `statement_time` for a database without a clock."""
    return {"now": utcnow()}


def _session_query(dialect: Dialect, token_hash: str) -> Executable:
    return (
        select(
            MemberSession.id,
            MemberSession.member_id,
            Member.email,
            Member.role,
            Member.account_id,
            Account.name.label("account_name"),
            (
                MemberSession.last_seen_at < statement_time_before(dialect, _SEEN_UPDATE_INTERVAL)
            ).label("is_seen_long_ago"),
        )
        .join(Member, Member.id == MemberSession.member_id)
        .join(Account, Account.id == Member.account_id)
        .where(
            MemberSession.token_hash == token_hash,
            _is_valid(dialect),
            Account.suspended_at.is_(None),
        )
    )


def _is_valid(dialect: Dialect) -> ColumnElement[bool]:
    return (MemberSession.last_seen_at > statement_time_before(dialect, _IDLE_TIMEOUT)) & (
        MemberSession.created_at > statement_time_before(dialect, MAX_SESSION_AGE)
    )


def _sanitize_user_agent(user_agent: str) -> str:
    printable = (character for character in user_agent if character.isprintable())
    return redact_key_parts("".join(printable))[:MAX_USER_AGENT_LENGTH]
