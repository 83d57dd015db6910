"""Errors about members; the message says what to do instead."""

from app.identity.accounts.errors import AccountError


class MemberError(AccountError):
    """A change of members is not possible."""


class NoSuchMemberError(MemberError):
    """There is no such member, or it belongs to another account."""


class InvalidPasswordError(MemberError):
    """This password cannot be chosen."""


class InvalidLinkError(MemberError):
    """A link is unknown, used, replaced or too old."""

    def __init__(self) -> None:
        super().__init__(
            "this link is no longer valid: it works once, within 24 hours, and a newer link "
            "replaces it; ask the sender for a new one"
        )


class IdentityProviderError(Exception):
    """The provider does not confirm a member; the message says why, without secrets."""


class IdentityProviderBusyError(Exception):
    """Too many other sign-ins are waiting for the provider."""


class SuspendedSignInError(MemberError):
    """The account is suspended: nobody can sign in."""

    def __init__(self) -> None:
        super().__init__(
            "this account is suspended, so nobody can sign in; ask the operator of this service"
        )
