"""APIs of other vendors, served under their own paths: what their clients send and read.

One table. From it derive which header carries the key, which content types a body may have, which
fields an error has beside ``error``, the documents, and what nginx passes on and responds.
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
    """What clients of an API send and expect.

    Attributes:
        name: One word, for the documents.
        prefix: What its paths start with, in lower case.
        key_header: The header that carries the key; ``Authorization`` may carry it as well.
        error_code: The code of an error, at the top of its body.
        error_message: The message beside the code and in ``error``.
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
    """Return those of ``endpoints`` in the dialect of ``path``, or in none if it has none."""
    dialect = dialect_of(path)
    return [one for one in endpoints if dialect_of(one.path) is dialect]


def dialect_of(path: str) -> Dialect | None:
    """Return the dialect of a path; None: our own.

    The path may start with several slashes, and have the prefix in any case or without the slash
    at its end: an unknown path of this form, too, gets errors of the dialect.
    """
    bare = f"/{path.lstrip('/')}/".lower()
    return next((one for one in DIALECTS if bare.startswith(one.prefix)), None)
