"""Where sources and Alertmanagers may be: `app.delivery.addresses` with rules of their own."""

from collections.abc import Sequence

from app.delivery.addresses import Network, Target, UrlRules, WebhookUrlError, check_url

RULES = UrlRules("SOURCE_ALLOWED_NETWORKS", "send them as authorization", allows_http=True)
NOT_RESOLVED = (
    f"the host does not resolve, or not only to public addresses and those that {RULES.setting} "
    "allows"
)


def check_base_url(url: str, allowed: Sequence[Network]) -> Target:
    """Return the parts of the URL of a server, under which the paths of its API are.

    Raises:
        WebhookUrlError: It is malformed or has a query, or its host is not allowed.
    """
    target = check_url(url, allowed, RULES)
    if "?" in target.path:
        raise WebhookUrlError("send no query (?…): only the server, and the path before /api")
    return target


def origin_of(url: str, allowed: Sequence[Network]) -> tuple[bool, str, int] | None:
    """Return scheme, host and port of ``url``, None if the rules no longer allow it."""
    try:
        target = check_base_url(url, allowed)
    except WebhookUrlError:
        return None
    return target.is_plain, target.host, target.port
