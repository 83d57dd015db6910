"""Sign-ins at the identity provider: only the browser that began one can complete it, and once."""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.core.database.database_clock import database_time
from app.identity.members.models import SignInFlow
from app.identity.members.tokens import hash_token, new_token

FLOW_LIFETIME = dt.timedelta(minutes=10)


@dataclass(frozen=True)
class Flow:
    """The parameters of a sign-in: ``account`` is the one that the member chose, if any."""

    nonce: str
    code_verifier: str
    account: str | None


def begin_sign_in(session: Session, account: str | None) -> tuple[str, Flow]:
    """Begin a sign-in; return its state, which exists nowhere else, and its parameters."""
    now = database_time(session)
    session.execute(delete(SignInFlow).where(SignInFlow.expires_at <= now))
    state = new_token()
    flow = Flow(new_token(), new_token(), account)
    session.add(
        SignInFlow(
            state_hash=hash_token(state),
            nonce=flow.nonce,
            code_verifier=flow.code_verifier,
            account=account,
            expires_at=now + FLOW_LIFETIME,
        )
    )
    return state, flow


def consume_flow(session: Session, state: str) -> Flow | None:
    """Return and delete the sign-in with ``state``; None if it is too old or unknown."""
    has_state = SignInFlow.state_hash == hash_token(state)
    row = session.execute(
        delete(SignInFlow)
        .where(has_state)
        .returning(
            SignInFlow.nonce, SignInFlow.code_verifier, SignInFlow.account, SignInFlow.expires_at
        )
    ).one_or_none()
    if row is None or row.expires_at <= database_time(session):
        return None
    return Flow(row.nonce, row.code_verifier, row.account)
