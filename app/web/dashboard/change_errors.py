"""The errors of changes that a form shows at one of its fields."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from app.delivery.webhook_records import NoSuchWebhookError
from app.identity.accounts.errors import NameTakenError, TooManyError
from app.watching.monitors.settings.errors import ShortUnitError
from app.watching.sources.source_records import (
    AuthorizationNeededError,
    NoSecretsKeyError,
    QueryFixedError,
)
from app.web.dashboard.filters import sentence
from app.web.dashboard.forms import Form

# The field and the problem of each error.
_FIELD_PROBLEMS: Mapping[type[Exception], Callable[[Any], tuple[str, str]]] = {
    NameTakenError: lambda error: ("name", f"{error}: choose another, or change that one"),
    TooManyError: lambda error: ("name", f"{error}: delete one, or ask the operator for more"),
    NoSuchWebhookError: lambda _: ("webhook", "this webhook was deleted: choose another one"),
    ShortUnitError: lambda error: ("step", str(error)),
    AuthorizationNeededError: lambda _: (
        "credentials",
        "the stored credentials are for another server: enter them again, or choose none",
    ),
    NoSecretsKeyError: lambda _: (
        "credentials",
        "this service cannot store credentials yet: ask the operator to set SECRETS_KEY",
    ),
    QueryFixedError: lambda error: (
        error.field,
        "it cannot change: its monitors have learned from it. Save the new one under another name, "
        "and delete this one",
    ),
}


@contextmanager
def collect_field_errors(form: Form) -> Iterator[None]:
    """Let a change within the block fail with an error of ``form`` at the field that caused it."""
    try:
        yield
    except tuple(_FIELD_PROBLEMS) as error:
        describe = next(text for kind, text in _FIELD_PROBLEMS.items() if isinstance(error, kind))
        field, problem = describe(error)
        form.errors[field] = sentence(problem)
