"""What can go wrong, as exceptions. Each message says what to do; none holds a key."""

from dataclasses import KW_ONLY, dataclass
from typing import Any


@dataclass(frozen=True)
class FieldError:
    """A defect of a request: where it is, what it is, and what was sent there."""

    field: str | None
    issue: str
    provided: Any = None


class ForecastError(Exception):
    """Whatever this package raises.

    ``retry_after`` is how many seconds the service asks to wait, None where it says nothing.
    """

    retry_after: float | None = None


def as_forecast_error(error: Exception) -> ForecastError:
    """Return an error as one of this package; one that it does not know is the cause of another."""
    if isinstance(error, ForecastError):
        return error
    unexpected = ForecastError(f"unexpected {type(error).__name__}: {error}")
    unexpected.__cause__ = error
    return unexpected


class ArgumentError(ForecastError, ValueError):
    """What a caller gave is missing or wrong.

    ``argument`` is its name, None where it is the data; ``issue`` says what is wrong with it.
    """

    def __init__(self, issue: str, argument: str | None = None) -> None:
        super().__init__(issue if argument is None else f"{argument}: {issue}")
        self.issue = issue
        self.argument = argument


class SettingsError(ArgumentError):
    """The client cannot be made: its URL, key or another setting is missing or wrong."""


class DataError(ArgumentError):
    """The data or an argument cannot be sent as they are; the message says what to change."""


@dataclass(eq=False, repr=False)
class ServiceConnectionError(ForecastError):
    """There is no connection to the service.

    ``was_sent`` is whether the service may have got the request.
    """

    message: str
    _: KW_ONLY
    was_sent: bool


class ServiceTimeoutError(ServiceConnectionError):
    """The service did not respond in time."""


@dataclass(eq=False, repr=False)
class UnexpectedResponseError(ForecastError):
    """The response is not one of the service: most often a proxy's page, or another address."""

    message: str
    _: KW_ONLY
    status: int
    retry_after: float | None = None


@dataclass(eq=False, repr=False)
class ResponseError(ForecastError):
    """The service refused a request, or failed.

    ``field`` and ``issue`` are those of the first defect, ``errors`` are all of them (20 at most).
    ``details`` is what the response says besides; ``request_id`` finds it in the service's log.
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
        """Where the first defect is, such as ``series[0].values[17]``."""
        return self.errors[0].field if self.errors else None

    @property
    def issue(self) -> str | None:
        """What the first defect is, and what to send instead."""
        return self.errors[0].issue if self.errors else None


class InvalidRequestError(ResponseError):
    """The request is wrong: ``field`` says where, ``issue`` what to send instead."""


class AuthenticationError(ResponseError):
    """The key is missing, unknown, expired or revoked."""


class PermissionDeniedError(ResponseError):
    """The key may not do this, or the service wants HTTPS."""


class NotFoundError(ResponseError):
    """There is no such monitor, key or path."""


class RateLimitError(ResponseError):
    """A limit is used up; ``retry_after`` is the seconds until there is room again."""


class ServiceUnavailableError(ResponseError):
    """The service is busy, under maintenance, or not running behind its proxy."""


class ServerError(ResponseError):
    """The service failed; its log has the ``request_id``."""
