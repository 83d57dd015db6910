"""Requests and the answers they get: shown to developers, sent and compared by the tests.

Limits in the texts are those of the default settings.
"""

from app.api.examples.bad_data import BAD_DATA
from app.api.examples.bad_requests import BAD_REQUESTS
from app.api.examples.error import ErrorExample
from app.api.examples.refusals import REFUSALS

ERROR_EXAMPLES: tuple[ErrorExample, ...] = (*BAD_REQUESTS, *BAD_DATA, *REFUSALS)
"""Every error that a client may meet."""
