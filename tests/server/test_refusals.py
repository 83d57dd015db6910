"""What gunicorn refuses before the application is asked has the Error body."""

import orjson
import pytest
from gunicorn.http import errors

from app.api.examples import ERROR_EXAMPLES, ErrorExample, Origin
from app.api.statuses import UNREAD_ISSUES
from app.server.refusals import STATUSES, SlowHeadError, refusal, refusal_status
from tests.support.api import CODES

SHOWN = [example for example in ERROR_EXAMPLES if example.by == Origin.SERVER]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.InvalidRequestLine(""), 400),
        (errors.InvalidHeader(""), 400),
        (errors.InvalidChunkSize(b""), 400),
        (SlowHeadError(), 408),
        (errors.LimitRequestLine(1, 1), 414),
        (errors.ExpectationFailed(""), 417),
        (errors.LimitRequestHeaders(""), 431),
        (errors.InvalidResponseHeader(""), 500),
        (errors.ConfigurationProblem(""), 500),
        (ZeroDivisionError(), 500),
        (SystemExit(1), 500),
        (errors.UnsupportedTransferCoding(""), 501),
        (errors.InvalidHTTPVersion(""), 505),
    ],
)
def test_a_refusal_has_the_status_of_its_cause(error: BaseException, status: int) -> None:
    assert refusal_status(error) == status


@pytest.mark.parametrize("status", sorted({*STATUSES.values(), 400}))
def test_a_refusal_is_one_answer_with_the_error_body_and_the_standard_headers(status: int) -> None:
    head, _, body = refusal(status, per_minute=60).partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    error = orjson.loads(body)["error"]
    assert first.startswith(f"HTTP/1.1 {status} ")
    assert error["code"] == CODES[status]
    assert error["details"] == {"issue": UNREAD_ISSUES[status]}
    assert headers["Content-Length"] == str(len(body))
    assert headers["Content-Type"] == "application/json"
    assert headers["X-RateLimit-Limit"] == headers["X-RateLimit-Remaining"] == "60"
    assert headers["X-Api-Version"] == "1.0.0"
    assert {"X-RateLimit-Reset", "X-Request-Id"} <= set(headers)
    assert headers["Connection"] == "close"


@pytest.mark.parametrize("example", SHOWN, ids=lambda example: example.name)
def test_developers_are_shown_what_is_answered(example: ErrorExample) -> None:
    body = refusal(example.status, per_minute=60).partition(b"\r\n\r\n")[2]
    assert orjson.loads(body) == example.response


def test_every_refusal_but_a_failure_is_shown() -> None:
    assert {example.status for example in SHOWN} == {*UNREAD_ISSUES} - {500}
