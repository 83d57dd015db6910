"""The Python client of the forecast service: from a DataFrame to a forecast."""

from forecast_client.client import AsyncForecastClient, ForecastClient
from forecast_client.errors import (
    AuthenticationError,
    DataError,
    FieldError,
    ForecastError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ResponseError,
    ServerError,
    ServiceConnectionError,
    ServiceTimeoutError,
    ServiceUnavailableError,
    SettingsError,
    UnexpectedResponseError,
)
from forecast_client.many import Many
from forecast_client.monitors import Appended, LimitForecast
from forecast_client.parallel_calls import NotSentError
from forecast_client.records import (
    Band,
    ChangePoint,
    Event,
    Key,
    Limit,
    ModelScore,
    Monitor,
    MonitorEvent,
    MonitorPoint,
    Query,
    Reached,
    ReachedSide,
    Source,
    Webhook,
    WebhookAttempt,
    Window,
)
from forecast_client.results import Backtest, Detection, Forecast, Verification
from forecast_client.series import Prepared, PreparedSeries, prepare
from forecast_client.settings import InsecureUrlWarning
from forecast_client.version import __version__

__all__ = [
    "Appended", "AsyncForecastClient", "AuthenticationError", "Backtest", "Band", "ChangePoint",
    "DataError", "Detection", "Event", "FieldError", "Forecast", "ForecastClient", "ForecastError",
    "InsecureUrlWarning", "InvalidRequestError", "Key", "Limit", "LimitForecast", "Many",
    "ModelScore", "Monitor", "MonitorEvent", "MonitorPoint", "NotFoundError", "NotSentError",
    "PermissionDeniedError", "Prepared", "PreparedSeries", "Query", "RateLimitError", "Reached",
    "ReachedSide", "ResponseError", "ServerError", "ServiceConnectionError", "ServiceTimeoutError",
    "ServiceUnavailableError", "SettingsError", "Source", "UnexpectedResponseError", "Verification",
    "Webhook", "WebhookAttempt", "Window", "__version__", "prepare",
]  # fmt: skip
