"""APIs that others made, answered under their own paths: what their clients send and read.

One table. From it derive which header carries the key, which types a body may have, what stands
beside ``error`` at the top of an error, the documents, and what nginx passes on and says.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.api.azure_anomaly_detector.dialect import KEY_HEADER, PREFIX, error_code, error_message

if TYPE_CHECKING:
    from app.api.declaration import Endpoint
    from app.api.errors import ApiError


@dataclass(frozen=True)
class Dialect:
    """How clients of an API speak.

    Attributes:
        name: One word, for the documents.
        prefix: What its paths start with, in lower case.
        key_header: The header that carries the key; ``Authorization`` may carry it as well.
        error_code: The code of an error, which stands at the top of its body.
        error_message: The message that stands beside it, and in ``error``.
        media_types: The types of a body beside ``application/json``.
    """

    name: str
    prefix: str
    key_header: str
    error_code: Callable[["ApiError"], str]
    error_message: Callable[["ApiError"], str]
    media_types: tuple[str, ...] = ()


# Databricks notebooks of its documentation send text/json.
AZURE = Dialect("Azure", PREFIX, KEY_HEADER, error_code, error_message, ("text/json",))
DIALECTS = (AZURE,)


def endpoints_near(path: str, endpoints: Iterable["Endpoint"]) -> list["Endpoint"]:
    """Return those of ``endpoints`` that are of the dialect of ``path``, or of none as it is."""
    dialect = dialect_of(path)
    return [one for one in endpoints if dialect_of(one.path) is dialect]


def dialect_of(path: str) -> Dialect | None:
    """Return the dialect of a path; None: our own.

    The path may start with several slashes, and have the prefix in any case or without the slash
    at its end: whoever asks for an unknown path so reads errors of the dialect.
    """
    bare = f"/{path.lstrip('/')}/".lower()
    return next((one for one in DIALECTS if bare.startswith(one.prefix)), None)
