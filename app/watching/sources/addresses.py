"""URLs of the servers of sources and Alertmanagers."""

from collections.abc import Sequence

from app.core.http.addresses import SOURCE_URLS, Network, Target, check_url
from app.core.http.errors import UrlError


def check_base_url(url: str, allowed: Sequence[Network]) -> Target:
    """Return the parts of the URL of a server, under which the paths of its API are.

    Raises:
        UrlError: It is malformed or has a query, or its host is not allowed.
    """
    target = check_url(url, allowed, SOURCE_URLS)
    if "?" in target.path:
        raise UrlError("send no query (?…): only the server, and the path before /api")
    return target


def origin_of(url: str, allowed: Sequence[Network]) -> tuple[bool, str, int] | None:
    """Return scheme, host and port of ``url``, None if the rules no longer allow it."""
    try:
        target = check_base_url(url, allowed)
    except UrlError:
        return None
    return target.is_plain, target.host, target.port
