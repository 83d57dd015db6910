"""Why an account or key cannot be changed as asked: what commands print, and what HTTP goes by."""

from collections.abc import Iterable

from app.accounts.permissions import Permission, sorted_permissions


class AccountError(Exception):
    """An account or key cannot be changed as asked; the text says why and what to do."""


class NoSuchAccountError(AccountError):
    """There is no account of this name or id."""

    def __init__(self, account: str | int) -> None:
        super().__init__(f"there is no account {account!r}; `flask accounts list` shows them all")


class SuspendedAccountError(AccountError):
    """A suspended account gets no keys."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the account {name!r} is suspended; `flask accounts resume` lets it work again"
        )


class NoSuchKeyError(AccountError):
    """There is no key with this id, or it is another account's."""

    def __init__(self, key_id: int | str) -> None:
        super().__init__(f"there is no key {key_id}; `flask keys list` shows them all")


class KeyStateError(AccountError):
    """A key's state does not allow the change."""


class AlreadyRevokedError(KeyStateError):
    """The key is revoked already."""


class ExpiryError(AccountError):
    """A key cannot end at this moment."""


class GraceError(AccountError):
    """A grace period cannot be as long as this."""


class NotGrantableError(AccountError):
    """Who asks for a key has not all the permissions that it would have."""

    def __init__(self, asked: Iterable[Permission], within: Iterable[Permission]) -> None:
        self.lacking = sorted_permissions(set(asked) - set(within))
        super().__init__(f"nobody grants what they have not: {', '.join(self.lacking)}")
