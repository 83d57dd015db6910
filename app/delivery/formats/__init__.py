"""The formats of webhooks, one module each, named after the format and with a ``FORMAT``."""

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
    """Return the format of a webhook.

    Raises:
        UnknownFormatError: This release has no such format.
    """
    try:
        return FORMATS[name]
    except KeyError:
        raise UnknownFormatError(name) from None
