"""Requests and the answers they get: shown to developers, sent and compared by the tests.

Limits in the texts are those of the default settings.
"""

from app.api.examples.bad_data import BAD_DATA
from app.api.examples.bad_requests import BAD_REQUESTS
from app.api.examples.error import Answerer, ErrorExample
from app.api.examples.refusals import REFUSALS
from app.api.examples.unread import UNREAD

ERROR_EXAMPLES: tuple[ErrorExample, ...] = (*BAD_REQUESTS, *BAD_DATA, *REFUSALS, *UNREAD)
"""Every error that a client may meet."""


def answerers(status: int) -> str:
    """Return who answers with a status, in words."""
    found = {example.by for example in ERROR_EXAMPLES if example.status == status}
    return " or ".join(one for one in Answerer if one in found)
