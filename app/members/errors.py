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

    def __init__(self) -> None:
        super().__init__(
            "this link does not work any more: it works once, for 24 hours, and a newer one ends "
            "it; ask whoever sent it for a new one"
        )


class IdentityProviderError(Exception):
    """The provider does not vouch for a member; the text says what was wrong, without secrets."""


class IdentityProviderBusyError(Exception):
    """Others wait for the provider: there is no turn for this sign-in."""


class SuspendedError(MemberError):
    """The account is suspended: nobody signs in to it."""

    def __init__(self) -> None:
        super().__init__(
            "this account is suspended, so that nobody can sign in to it; "
            "ask the operator of this service"
        )
