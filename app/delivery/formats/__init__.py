"""The formats of webhooks, one module each, named after the format and with a ``FORMAT``."""

from app.core.http.addresses import host_of
from app.delivery.formats import pagerduty, standard, teams, text
from app.delivery.formats.types import MessageFormat, UnknownFormatError

DEFAULT_FORMAT = "standard"
FORMATS: dict[str, MessageFormat] = {
    DEFAULT_FORMAT: standard.FORMAT,
    "pagerduty": pagerduty.FORMAT,
    "teams": teams.FORMAT,
    "text": text.FORMAT,
}


def find_format(name: str) -> MessageFormat:
    """Return the format called ``name``; raise UnknownFormatError if this release has none."""
    try:
        return FORMATS[name]
    except KeyError:
        raise UnknownFormatError(name) from None


def format_at(url: str) -> str | None:
    """Return the format that the host of a webhook's URL reads; None if the host may read any."""
    host = host_of(url)
    for name, entry in FORMATS.items():
        if any(f".{host}".endswith(f".{domain}") for domain in entry.hosts):
            return name
    return None
