"""Convert responses and failed connections to results and exceptions; no I/O."""

import datetime as dt
import email.utils
import json
from typing import Any, TypeVar
from urllib.request import getproxies, proxy_bypass

import httpx

from forecast_client import errors
from forecast_client.calls import Call

T = TypeVar("T")
MAX_RETRY_AFTER_SECONDS = 1e9
MAX_SHOWN_LENGTH = 80  # characters of an unexpected response
ERRORS: dict[int, type[errors.ResponseError]] = {
    401: errors.AuthenticationError,
    403: errors.PermissionDeniedError,
    404: errors.NotFoundError,
    429: errors.RateLimitError,
    502: errors.ServiceUnavailableError,
    503: errors.ServiceUnavailableError,
    504: errors.ServiceUnavailableError,
}
WRONG_KEY = (
    "the service does not accept the API key: it is unknown, expired, revoked, or its account is "
    "suspended; pass another, or set FORECAST_KEY"
)
# A body that is nested too deeply is a RecursionError.
UNREADABLE = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
# The request was not sent.
NOT_SENT = (
    *(httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout),
    *(httpx.ProxyError, httpx.UnsupportedProtocol),
)


def result_of(call: Call[T], response: httpx.Response) -> T:
    """Return the result of a call.

    Raises:
        ResponseError: The service rejected the request, or failed.
        UnexpectedResponseError: The response is not the service's.
    """
    if not response.is_success:
        error = error_of(response)
        if not (call.is_absence_success and isinstance(error, errors.NotFoundError)):
            raise error
    try:
        return call.read(response)
    except UNREADABLE as error:
        raise _unexpected_error(response) from error


def error_of(response: httpx.Response) -> errors.ForecastError:
    """Return the exception for a response that is not a success."""
    status = response.status_code
    try:
        error = json.loads(_without_key(response, response.text))["error"]
        message, code = str(error["message"]), str(error["code"])
        details = dict(error.get("details") or {})
        defects = _field_errors(details)
    except UNREADABLE:
        return _unexpected_error(response)
    kind = ERRORS.get(status, errors.InvalidRequestError if status < 500 else errors.ServerError)
    request_id = response.headers.get("X-Request-Id")
    return kind(
        _message(status, message, defects, request_id),
        status=status,
        code=code,
        details=details,
        errors=defects,
        request_id=request_id,
        retry_after=retry_after(response.headers),
    )


def _field_errors(details: dict[str, Any]) -> tuple[errors.FieldError, ...]:
    defects = details.get("errors") or ([details] if "issue" in details else [])
    return tuple(
        errors.FieldError(defect.get("field"), str(defect["issue"]), defect.get("provided"))
        for defect in defects
    )


def _message(
    status: int, message: str, defects: tuple[errors.FieldError, ...], request_id: str | None
) -> str:
    if status == 401:
        return WRONG_KEY
    if defects:
        first = defects[0]
        message += f": {first.field}: {first.issue}" if first.field else f": {first.issue}"
    if len(defects) > 1:
        message += f" (and {len(defects) - 1} more in .errors)"
    if status >= 500 and request_id:
        message += f" (status {status}, request {request_id})"
    return message


def _unexpected_error(response: httpx.Response) -> errors.UnexpectedResponseError:
    status, url = response.status_code, response.request.url
    if response.has_redirect_location:
        target = _without_key(response, response.headers["Location"])
        message = f"{url} redirects to {target}: pass the URL of the service itself"
    else:
        kind = response.headers.get("Content-Type", "no type").split(";")[0]
        start = " ".join(_without_key(response, response.text)[: 4 * MAX_SHOWN_LENGTH].split())[
            :MAX_SHOWN_LENGTH
        ]
        message = (
            f"the response of {url} is not the forecast service's (status {status}, {kind}): "
            f"{start!r}; check the URL, and proxies on the way"
        )
    return errors.UnexpectedResponseError(
        message, status=status, retry_after=retry_after(response.headers)
    )


def _without_key(response: httpx.Response, text: str) -> str:
    """Redact the key in a text of the response, as some proxies repeat it."""
    key = response.request.headers.get("Authorization", "").removeprefix("Bearer ")
    return text.replace(key, "ak_…") if key else text


def retry_after(headers: httpx.Headers) -> float | None:
    """Return the seconds of ``Retry-After`` (RFC 9110, 10.2.3), None if it is absent or invalid.

    A date is compared with the response's date, so that the clocks need not agree.
    """
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), MAX_RETRY_AFTER_SECONDS)
    until = _moment(text)
    if until is None:
        return None
    now = _moment(headers.get("Date", "")) or dt.datetime.now(dt.UTC)
    return max(0.0, (until - now).total_seconds())


def _moment(text: str) -> dt.datetime | None:
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def connection_error(error: httpx.RequestError, url: str) -> errors.ServiceConnectionError:
    """Return the exception for a request that got no response."""
    was_sent = not isinstance(error, NOT_SENT)
    if isinstance(error, httpx.TimeoutException):
        problem = "sent no response in time" if was_sent else "could not be reached in time"
        message = f"the service at {url} {problem}: try again later, or with a larger timeout"
        return errors.ServiceTimeoutError(message, was_sent=was_sent)
    reason = f" ({error})" if str(error) else ""
    problem = "the connection broke" if was_sent else "no service responds"
    proxy = _proxy_setting(url)
    route = f" through the proxy in {proxy} of the environment" if proxy else ""
    checks = f"the URL, {proxy}," if proxy else "the URL,"
    message = f"{problem} at {url}{route}{reason}: check {checks} and whether the service runs"
    return errors.ServiceConnectionError(message, was_sent=was_sent)


def _proxy_setting(url: str) -> str | None:
    """Return the variable of the environment with the proxy for ``url``, if it has one."""
    parsed = httpx.URL(url)
    proxies = getproxies()
    kinds = (kind for kind in (parsed.scheme, "all") if proxies.get(kind))
    kind = None if proxy_bypass(parsed.host) else next(kinds, None)
    return kind and f"{kind.upper()}_PROXY"
