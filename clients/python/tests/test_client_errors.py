"""Each failure raises an exception that says what to do, also if no service responds."""

import logging
import pickle
from collections.abc import Callable
from typing import NamedTuple

import httpx
import pytest

import forecast_client as fc
from scripted import KEY, MONTHS, Scripted, Step, ok, page, rejection

Make = Callable[..., Scripted]
KINDS = {
    400: fc.InvalidRequestError,
    401: fc.AuthenticationError,
    403: fc.PermissionDeniedError,
    404: fc.NotFoundError,
    405: fc.InvalidRequestError,
    413: fc.InvalidRequestError,
    415: fc.InvalidRequestError,
    422: fc.InvalidRequestError,
    429: fc.RateLimitError,
    500: fc.ServerError,
    502: fc.ServiceUnavailableError,
    503: fc.ServiceUnavailableError,
    504: fc.ServiceUnavailableError,
}


def error_of(made: Scripted) -> fc.ForecastError:
    """Return the error that a forecast raises."""
    with pytest.raises(fc.ForecastError) as raised:
        made.run(lambda client: client.forecast(MONTHS, 2))
    return raised.value


@pytest.mark.parametrize("status", [422, 429, 503])
def test_a_rejection_passes_from_a_worker_process_with_all_that_it_says(
    scripted: Make, status: int
) -> None:
    error = error_of(scripted(rejection(status, X_Request_Id="r-1"), retries=0))
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
    assert isinstance(copy, fc.ResponseError)
    assert copy.request_id == "r-1"


@pytest.mark.parametrize("status", KINDS)
def test_a_rejection_is_raised_as_its_kind(scripted: Make, status: int) -> None:
    error = error_of(scripted(rejection(status, X_Request_Id="r-1"), retries=0))
    assert type(error) is KINDS[status]
    assert (error.status, error.code, error.request_id) == (status, "CODE", "r-1")


def test_a_rejected_series_says_where_and_what_and_has_all_defects(scripted: Make) -> None:
    defects = [
        {"field": "series[0].values[1]", "issue": "missing: send a number", "provided": None},
        {"field": "series[0].values[7]", "issue": "not a number", "provided": "x"},
    ]
    error = error_of(scripted(rejection(422, "Invalid data", defects[0] | {"errors": defects})))
    assert isinstance(error, fc.InvalidRequestError)
    assert (error.field, error.issue) == ("series[0].values[1]", "missing: send a number")
    assert error.errors[1] == fc.FieldError("series[0].values[7]", "not a number", "x")
    words = "Invalid data: series[0].values[1]: missing: send a number (and 1 more in .errors)"
    assert str(error) == words


def test_an_issue_without_a_field_is_reported(scripted: Make) -> None:
    error = error_of(scripted(rejection(404, "Not Found", {"issue": "there is no monitor 'x'"})))
    assert str(error) == "Not Found: there is no monitor 'x'"
    assert (error.field, error.issue) == (None, "there is no monitor 'x'")


def test_a_wrong_key_says_where_to_set_another(scripted: Make) -> None:
    error = error_of(scripted(rejection(401)))
    assert "FORECAST_KEY" in str(error)


def test_a_failure_names_the_request_for_the_log(scripted: Make) -> None:
    error = error_of(scripted(rejection(500, "Failed", X_Request_Id="r-7")))
    assert str(error) == "Failed (status 500, request r-7)"


@pytest.mark.parametrize(
    "response",
    [page(200), page(404), page(403), ok([]), ok({"other": 1}), httpx.Response(200), ok("x", 500)],
    ids=["page 200", "page 404", "page 403", "list", "other members", "empty", "string"],
)
def test_a_response_of_another_server_is_an_unexpected_response(
    scripted: Make, response: Step
) -> None:
    error = error_of(scripted(response))
    assert isinstance(error, fc.UnexpectedResponseError)
    assert error.status == response.status_code
    assert f"status {error.status}" in str(error)
    assert "https://forecast.example/api/forecast" in str(error)
    assert response.text[:20] in str(error)


def test_a_page_with_status_200_does_not_count_as_a_deletion(scripted: Make) -> None:
    made = scripted(page(200))
    with pytest.raises(fc.UnexpectedResponseError):
        made.run(lambda client: client.monitors.delete("cpu"))


def test_a_redirect_is_not_followed_with_the_key(scripted: Make) -> None:
    made = scripted(httpx.Response(301, headers={"Location": "https://other.example/forecast"}))
    error = error_of(made)
    assert "redirects to https://other.example/forecast" in str(error)
    assert len(made.requests) == 1


@pytest.mark.parametrize("bypass", [False, True])
def test_a_proxy_of_the_environment_is_named_without_its_password(
    scripted: Make, monkeypatch: pytest.MonkeyPatch, bypass: bool
) -> None:
    monkeypatch.setenv("https_proxy", "http://me:secret@127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "forecast.example" if bypass else "")
    message = str(error_of(scripted(httpx.ConnectError("refused"), retries=0)))
    assert ("HTTPS_PROXY" in message) is not bypass
    assert "secret" not in message


@pytest.mark.parametrize("status", [200, 503])
def test_a_body_that_is_nested_too_deeply_is_an_unexpected_response(
    scripted: Make, status: int
) -> None:
    error = error_of(scripted(httpx.Response(status, text="[" * 200_000), retries=0))
    assert type(error) is fc.UnexpectedResponseError


def test_a_wait_of_many_digits_is_bounded(scripted: Make) -> None:
    error = error_of(scripted(rejection(429, Retry_After="9" * 400)))
    assert error.retry_after == 1e9


class BrokenConnection(NamedTuple):
    """An error of httpx, the error that it becomes, and whether the request may have arrived."""

    cause: Exception
    kind: type[fc.ForecastError]
    was_sent: bool


BROKEN_CONNECTIONS = {
    "rejected": BrokenConnection(
        httpx.ConnectError("refused"), fc.ServiceConnectionError, was_sent=False
    ),
    "no address": BrokenConnection(
        httpx.ConnectTimeout(""), fc.ServiceTimeoutError, was_sent=False
    ),
    "silent": BrokenConnection(httpx.ReadTimeout(""), fc.ServiceTimeoutError, was_sent=True),
    "broken": BrokenConnection(httpx.ReadError(""), fc.ServiceConnectionError, was_sent=True),
    "cut off": BrokenConnection(
        httpx.RemoteProtocolError("peer closed"), fc.ServiceConnectionError, was_sent=True
    ),
    "garbled": BrokenConnection(
        httpx.DecodingError("bad gzip"), fc.ServiceConnectionError, was_sent=True
    ),
}


@pytest.mark.parametrize("name", BROKEN_CONNECTIONS)
def test_a_connection_that_fails_is_raised_with_the_address(scripted: Make, name: str) -> None:
    cause, kind, was_sent = BROKEN_CONNECTIONS[name]
    error = error_of(scripted(cause, retries=0))
    assert type(error) is kind
    assert error.was_sent is was_sent
    assert "https://forecast.example/api" in str(error)
    assert error.__cause__ is cause


@pytest.mark.parametrize(
    "response",
    [
        page(502, f"<p>Authorization: Bearer {KEY}</p>"),
        rejection(403, f"the key {KEY} lacks a permission"),
        httpx.Response(302, headers={"Location": f"https://x.example/?key={KEY}"}),
        rejection(401, KEY, {"issue": KEY}),
    ],
    ids=["page", "rejection", "redirect", "wrong key"],
)
def test_the_key_is_in_no_message_repr_or_log(
    scripted: Make, response: Step, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = scripted(response, retries=1)
    error = error_of(made)
    texts = [str(error), repr(error), repr(vars(error)), repr(made.client), caplog.text]
    assert KEY not in " ".join(texts)
    assert made.requests[0].headers["Authorization"] == f"Bearer {KEY}"
