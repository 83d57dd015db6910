"""The servers of sources, connected with their stored credentials."""

import contextlib
import math
from typing import Any

from app.core.settings import Settings
from app.watching.sources import client
from app.watching.sources.client import Prometheus, Waiting
from app.watching.sources.secrets import decrypt


def server_of(
    settings: Settings,
    source: Any,
    total_seconds: float = math.inf,
    waiting: Waiting = contextlib.nullcontext,
) -> Prometheus:
    """Return the server of a source in its row.

    Args:
        settings: The settings of this process.
        source: A row with ``url``, ``credentials`` and ``tenant``.
        total_seconds: The time limit of all requests together; each has that of polls.
        waiting: Opened for as long as a request waits for the network.

    Raises:
        UrlError: It is not allowed.
        UnreadableCredentialsError: Its credentials were encrypted with an unknown key.
    """
    authorization = None
    if source.credentials is not None:
        authorization = decrypt(source.credentials, settings.secrets_key)
    return Prometheus(
        source.url,
        authorization,
        source.tenant,
        settings.source_allowed_networks,
        min(client.REQUEST_SECONDS, total_seconds),
        total_seconds,
        waiting,
    )
