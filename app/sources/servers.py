"""The servers of sources, connected with their stored credentials."""

from typing import Any

from flask import current_app

from app.sources import client
from app.sources.client import Prometheus
from app.sources.secrets import unseal


def server_of(source: Any, seconds: float | None = None) -> Prometheus:
    """Return the server of a source in its row.

    Args:
        source: A row with ``url``, ``credentials`` and ``tenant``.
        seconds: The time limit of a request; None: that of polls.

    Raises:
        SourceError: Its URL is not allowed.
        UnreadableCredentialsError: Its credentials were encrypted with an unknown key.
    """
    config = current_app.config
    authorization = None
    if source.credentials is not None:
        authorization = unseal(source.credentials, config["SECRETS_KEY"])
    allowed = config["SOURCE_ALLOWED_NETWORKS"]
    limit = client.REQUEST_SECONDS if seconds is None else seconds
    return Prometheus(source.url, authorization, source.tenant, allowed, limit)
