"""Signing in by password."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.members.emails import normalize
from app.members.models import Member
from app.members.passwords import is_right


def members_opened(session: Session, email: str, password: str) -> Sequence[Member]:
    """Return the members with this address, of whatever account, whose password it is."""
    query = select(Member).where(Member.email == normalize(email)).order_by(Member.id)
    candidates = session.scalars(query).all()
    if not candidates:
        is_right(password, None)
    return [member for member in candidates if is_right(password, member.password_hash)]
