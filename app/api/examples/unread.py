"""Errors of requests that the application never reads: gunicorn or nginx answers in its place."""

from http import HTTPStatus

from app.api.examples.error import Answerer, ErrorExample
from app.api.statuses import UNREAD_ISSUES

COME_BACK = "Send the request again as late as `Retry-After` says"


def _refused(
    name: str, status: int, when: str, remedy: str, circumstance: str, path: str = "/forecast"
) -> ErrorExample:
    """Return the example of what gunicorn refuses."""
    return ErrorExample(
        name,
        status,
        when,
        remedy,
        HTTPStatus(status).phrase,
        {"issue": UNREAD_ISSUES[status]},
        path=path,
        circumstance=circumstance,
        by=Answerer.SERVER,
    )


UNREAD: tuple[ErrorExample, ...] = (
    _refused(
        "no-valid-http",
        400,
        "The request is not valid HTTP.",
        "Leave the head of a request to an HTTP library, and put no line breaks or characters "
        "beyond ASCII into headers.",
        "There is a space in the name of a header.",
    ),
    _refused(
        "head-too-slow",
        408,
        "The head of the request was not whole within 10 s.",
        "Send the request again in one piece. A body that pauses for 10 s is answered 400; nginx "
        "answers neither and ends the connection.",
        "The client sends half of the head and waits.",
    ),
    _refused(
        "path-too-long",
        414,
        "The path or its query is too long.",
        "Send parameters in the body and the key in the header `Authorization`: no endpoint takes "
        "a query.",
        "The query has 10,000 characters.",
    ),
    _refused(
        "unknown-expectation",
        417,
        "The header `Expect` wants something other than `100-continue`.",
        "Send the request without this header.",
        "There is a header `Expect: 200-ok`.",
    ),
    _refused(
        "headers-too-large",
        431,
        "The headers are too many or too long.",
        "Send the headers of the API reference alone, and no cookies.",
        "There are 150 headers.",
    ),
    _refused(
        "unknown-transfer-encoding",
        501,
        "The header `Transfer-Encoding` is unknown.",
        "Send the length of the body in `Content-Length`, or the body in chunks.",
        "There is a header `Transfer-Encoding: gzip`.",
    ),
    ErrorExample(
        "not-running",
        502,
        "The service is not running.",
        "Send the request again later; an operator finds the cause in the log of the service.",
        "Service is not running",
        {"issue": "the service is not running at the moment; send the request again later"},
        method="GET",
        path="/verify",
        circumstance="The service has been stopped.",
        by=Answerer.NGINX,
    ),
    ErrorExample(
        "no-node-free",
        503,
        "Every node has as many forecasts as it computes and keeps waiting, or none is running.",
        f"{COME_BACK}, then back off exponentially.",
        "Service is busy",
        {"issue": "too many forecasts are waiting, or no node runs; send the request again in 2 s"},
        circumstance="All nodes have their fill.",
        answer_headers={"Retry-After": "2"},
        by=Answerer.NGINX,
    ),
    ErrorExample(
        "maintenance",
        503,
        "The service is under maintenance.",
        f"{COME_BACK}, and go on in such steps: maintenance may take minutes.",
        "Service is under maintenance",
        {"issue": "the service is under maintenance; send the request again later"},
        circumstance="The operator has switched the service to maintenance.",
        answer_headers={"Retry-After": "10"},
        by=Answerer.NGINX,
    ),
    ErrorExample(
        "no-answer-in-time",
        504,
        "The service did not answer in time.",
        "Send the request again later. It may have cost one request of the limit.",
        "Service did not answer in time",
        {"issue": "the service did not answer in time; send the request again later"},
        circumstance="The service hangs.",
        by=Answerer.NGINX,
    ),
    _refused(
        "unknown-http-version",
        505,
        "The HTTP version is unknown.",
        "Send HTTP/1.1; behind nginx HTTP/2 works as well.",
        "The request line ends in `HTTP/9.9`.",
    ),
)
"""In the order in which they are shown."""
