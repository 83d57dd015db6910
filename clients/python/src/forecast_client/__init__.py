"""The Python client of the forecast service: from a DataFrame to a forecast."""

from forecast_client.async_client import AsyncForecastClient
from forecast_client.client import ForecastClient
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
from forecast_client.key_results import Key
from forecast_client.many import Many, NotSentError
from forecast_client.monitor_results import Appended, Monitor, MonitorEvent, MonitorPoint
from forecast_client.results import (
    Backtest,
    Band,
    ChangePoint,
    Detection,
    Event,
    Forecast,
    ModelScore,
    Verification,
    Window,
)
from forecast_client.series import Prepared, prepare
from forecast_client.settings import InsecureUrlWarning
from forecast_client.version import __version__
from forecast_client.webhook_results import Webhook, WebhookAttempt

__all__ = [
    "Appended",
    "AsyncForecastClient",
    "AuthenticationError",
    "Backtest",
    "Band",
    "ChangePoint",
    "DataError",
    "Detection",
    "Event",
    "FieldError",
    "Forecast",
    "ForecastClient",
    "ForecastError",
    "InsecureUrlWarning",
    "InvalidRequestError",
    "Key",
    "Many",
    "ModelScore",
    "Monitor",
    "MonitorEvent",
    "MonitorPoint",
    "NotFoundError",
    "NotSentError",
    "PermissionDeniedError",
    "Prepared",
    "RateLimitError",
    "ResponseError",
    "ServerError",
    "ServiceConnectionError",
    "ServiceTimeoutError",
    "ServiceUnavailableError",
    "SettingsError",
    "UnexpectedResponseError",
    "Verification",
    "Webhook",
    "WebhookAttempt",
    "Window",
    "__version__",
    "prepare",
]
