"""Errors about accounts and keys: commands add a remedy to the message, the API maps the class."""

from collections.abc import Iterable

from app.core.text import key_like_issue
from app.identity.accounts.permissions import Permission, sorted_permissions
from app.timeseries.words import count_of, plural_of


class AccountError(Exception):
    """An account or key cannot be changed; the message says why and what to do."""


class TooManyError(Exception):
    """The ``owner`` already has ``max_count`` of the ``noun``, the most that ``setting`` allows."""

    def __init__(self, noun: str, max_count: int, setting: str, owner: str = "account") -> None:
        super().__init__(f"the {owner} has {count_of(max_count, noun)}, the most allowed")
        self.plural = plural_of(noun)
        self.max_count = max_count
        self.setting = setting


class NameTakenError(Exception):
    """What was to be created has the name of an existing ``noun`` of the ``owner``."""

    def __init__(self, noun: str, owner: str = "account") -> None:
        super().__init__(f"the {owner} has a {noun} of this name")


class NoSuchAccountError(AccountError):
    """There is no account with this name or id."""

    def __init__(self, account: str | int) -> None:
        super().__init__(f"there is no account {account!r}")


class CustomLimitsError(AccountError):
    """The custom limits of an account are missing, or its tier does not allow any."""


class SuspendedAccountError(AccountError):
    """A suspended account cannot get keys."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the account {name!r} is suspended")


class NoSuchKeyError(AccountError):
    """There is no key with this id, or it belongs to another account."""

    def __init__(self, key_id: int | str) -> None:
        super().__init__(f"there is no key {key_id}")


class KeyLikeNameError(AccountError):
    """A name, which others will see, contains an API key; the message does not repeat it."""

    def __init__(self, noun: str) -> None:
        super().__init__(key_like_issue(noun))


class KeyStateError(AccountError):
    """A key's state does not allow the change."""


class AlreadyRevokedError(KeyStateError):
    """The key is revoked already."""


class ExpiryError(AccountError):
    """A key cannot expire at this time."""


class NotGrantableError(AccountError):
    """The new key would have permissions that its creator lacks."""

    def __init__(self, requested: Iterable[Permission], allowed: Iterable[Permission]) -> None:
        self.lacking = sorted_permissions(set(requested) - set(allowed))
        super().__init__(f"cannot grant permissions that you lack: {', '.join(self.lacking)}")
