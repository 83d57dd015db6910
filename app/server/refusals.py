"""What gunicorn refuses by itself, in the service's Error body.

A request that is no valid HTTP never reaches the application. Gunicorn answers it with a page of
HTML; behind a proxy, which lets some of them through, clients would take that for the service's.
"""

import time
import uuid
from http import HTTPStatus

import orjson
from gunicorn.http import errors

from app.api.response_headers import API_VERSION
from app.api.statuses import UNREAD_ISSUES, error_code


class SlowHeadError(Exception):
    """The head of a request did not come in time."""


STATUSES: dict[type[Exception], int] = {
    SlowHeadError: 408,
    errors.LimitRequestLine: 414,
    errors.ExpectationFailed: 417,
    errors.LimitRequestHeaders: 431,
    errors.UnsupportedTransferCoding: 501,
    errors.InvalidHTTPVersion: 505,
    # These are the service's own fault, though the parser's classes of errors hold them.
    errors.ConfigurationProblem: 500,
    errors.InvalidResponseHeader: 500,
    errors.InvalidResponseHeaderName: 500,
}


def refusal_status(error: BaseException) -> int:
    """Return the status that ``error`` of gunicorn's parser means; any other error is 500."""
    for kind, status in STATUSES.items():
        if isinstance(error, kind):
            return status
    return 400 if isinstance(error, errors.ParseException) else 500


def refusal(status: int, per_minute: int) -> bytes:
    """Return a whole HTTP answer with the Error body; the limit shown is that of an address."""
    phrase = HTTPStatus(status).phrase
    body = orjson.dumps(
        {
            "error": {
                "code": error_code(status),
                "message": phrase,
                "details": {"issue": UNREAD_ISSUES[status]},
            }
        }
    )
    head = [
        f"HTTP/1.1 {status} {phrase}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"X-Request-Id: {uuid.uuid4().hex}",
        f"X-Api-Version: {API_VERSION}",
        f"X-RateLimit-Limit: {per_minute}",
        f"X-RateLimit-Remaining: {per_minute}",
        f"X-RateLimit-Reset: {int(time.time())}",
    ]
    return "\r\n".join([*head, "", ""]).encode() + body
