"""Why something of members cannot be done; the text says what to do instead."""

from app.accounts.errors import AccountError


class MemberError(AccountError):
    """Members cannot be changed as asked."""


class NoSuchMemberError(MemberError):
    """There is no such member, or it is another account's."""


class UnfitPasswordError(MemberError):
    """This password cannot be chosen."""


class UnfitLinkError(MemberError):
    """A link is unknown, used, replaced or too old."""
