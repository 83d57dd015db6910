"""The exceptions of this package. Each message says what to do; none contains a key."""

from dataclasses import KW_ONLY, dataclass
from typing import Any


@dataclass(frozen=True)
class FieldError:
    """A defect of a request: the field, the issue, and the value that was sent."""

    field: str | None
    issue: str
    provided: Any = None


class ForecastError(Exception):
    """The base of all exceptions of this package.

    ``retry_after``: the seconds that the service asks to wait; None if it does not.
    """

    retry_after: float | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled by their positional arguments, without those named.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[ForecastError], arguments: tuple[Any, ...], state: Any) -> ForecastError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


def as_forecast_error(error: Exception) -> ForecastError:
    """Return ``error``, wrapped if it is not an error of this package."""
    if isinstance(error, ForecastError):
        return error
    unexpected = ForecastError(f"unexpected {type(error).__name__}: {error}")
    unexpected.__cause__ = error
    return unexpected


class ArgumentError(ForecastError, ValueError):
    """An argument is missing or invalid: ``argument`` (None for the data), and its ``issue``."""

    def __init__(self, issue: str, argument: str | None = None) -> None:
        super().__init__(issue if argument is None else f"{argument}: {issue}")
        self.issue = issue
        self.argument = argument


class SettingsError(ArgumentError):
    """The URL, the key or another setting of a client is missing or wrong."""


class DataError(ArgumentError):
    """The data or an argument cannot be sent as they are; the message says what to change."""


@dataclass(eq=False, repr=False)
class ServiceConnectionError(ForecastError):
    """The connection failed; ``was_sent``: the service may have received the request."""

    message: str
    _: KW_ONLY
    was_sent: bool


class ServiceTimeoutError(ServiceConnectionError):
    """The service did not respond in time."""


@dataclass(eq=False, repr=False)
class UnexpectedResponseError(ForecastError):
    """The response is not from the service, but perhaps from a proxy or another server."""

    message: str
    _: KW_ONLY
    status: int
    retry_after: float | None = None


@dataclass(eq=False, repr=False)
class ResponseError(ForecastError):
    """The service rejected a request, or failed.

    ``errors``: all defects (20 at most). ``field``, ``issue``: of the first one. ``details``:
    as in the response. ``request_id``: identifies the request in the service's log.
    """

    message: str
    _: KW_ONLY
    status: int
    code: str
    details: dict[str, Any]
    errors: tuple[FieldError, ...] = ()
    request_id: str | None = None
    retry_after: float | None = None

    @property
    def field(self) -> str | None:
        """The field of the first defect, such as ``series[0].values[17]``."""
        return self.errors[0].field if self.errors else None

    @property
    def issue(self) -> str | None:
        """The first defect, and what to send instead."""
        return self.errors[0].issue if self.errors else None


class InvalidRequestError(ResponseError):
    """The request is wrong: ``field`` says where, ``issue`` what to send instead."""


class AuthenticationError(ResponseError):
    """The key is missing, unknown, expired or revoked."""


class PermissionDeniedError(ResponseError):
    """The key lacks the permission, or the service requires HTTPS."""


class NotFoundError(ResponseError):
    """There is no such monitor, key or path."""


class RateLimitError(ResponseError):
    """The rate limit is exceeded; retry after ``retry_after`` seconds."""


class ServiceUnavailableError(ResponseError):
    """The service is busy, under maintenance, or not running behind its proxy."""


class ServerError(ResponseError):
    """The service failed; its log has the ``request_id``."""
