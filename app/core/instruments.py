"""All metrics of the service; `docs/running/metrics-and-alerts.md` documents their use.

Labels never contain strings from clients: a route is the URL rule that matched, a method one of a
fixed set. If processes share counts, `app.core.metric_files` must be imported before this module.
"""

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()
_counter = partial(Counter, registry=REGISTRY)
_gauge = partial(Gauge, registry=REGISTRY)
_histogram = partial(Histogram, registry=REGISTRY)

_RESPONSE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_ENGINE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30)
_POINTS_BUCKETS = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
_SERIES_BUCKETS = (1, 10, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)

# Requests

HTTP_REQUESTS = _counter(
    "forecast_http_requests",
    "Completed requests by route (the URL rule that matched, or unmatched), method and status.",
    ["route", "method", "status"],
)
HTTP_SECONDS = _histogram(
    "forecast_http_request_duration_seconds",
    "Seconds from the start of a request to its response, by route.",
    ["route"],
    buckets=_RESPONSE_BUCKETS,
)
HTTP_IN_FLIGHT = _gauge(
    "forecast_http_requests_in_flight", "Requests in progress.", multiprocess_mode="livesum"
)

# The engine. A forecast's job is its model; the label `job` is Prometheus' own, for the target.

ENGINE_SECONDS = _histogram(
    "forecast_engine_duration_seconds",
    "Seconds from sending a job to the engine to its result, including the wait, by job.",
    ["engine_job"],
    buckets=_ENGINE_BUCKETS,
)
ENGINE_IN_FLIGHT = _gauge(
    "forecast_engine_jobs_in_flight",
    "Jobs being computed or waiting for a free engine process.",
    multiprocess_mode="livesum",
)
ENGINE_LIMIT = _gauge(
    "forecast_engine_jobs_limit",
    "Maximum number of jobs being computed or waiting; further ones are rejected.",
    multiprocess_mode="livemax",
)
ENGINE_WAIT = _gauge(
    "forecast_engine_wait_seconds",
    "Seconds that a job which came now would be expected to wait for a free engine process.",
    multiprocess_mode="livemostrecent",
)
ENGINE_WAIT_LIMIT = _gauge(
    "forecast_engine_wait_limit_seconds",
    "Maximum expected wait in seconds; jobs beyond it are rejected.",
    multiprocess_mode="livemax",
)
SERIES_POINTS = _histogram(
    "forecast_series_points", "Points of the series sent to the engine.", buckets=_POINTS_BUCKETS
)
BATCH_SERIES = _histogram(
    "forecast_batch_series",
    "Series per batch call, by job.",
    ["engine_job"],
    buckets=_SERIES_BUCKETS,
)
FALLBACKS = _counter(
    "forecast_fallbacks",
    "Forecasts by a simpler model because the requested one could not be fitted, by job.",
    ["engine_job"],
)
ENGINE_REJECTIONS = _counter(
    "forecast_engine_refusals", "Jobs rejected with 503 because too much was waiting."
)
ENGINE_FAILURES = _counter(
    "forecast_engine_failures",
    "Jobs that got 500 because the engine failed or took too long, by job.",
    ["engine_job"],
)

# Keys and limits

AUTHENTICATION_FAILURES = _counter(
    "forecast_authentication_failures",
    "Requests that got 401, by reason: no key (missing), or a key that is not valid (refused).",
    ["reason"],
)
LIMIT_REJECTIONS = _counter(
    "forecast_limit_refusals",
    "Requests that got 429, by the tier or permission level of the key, or anonymous.",
    ["tier"],
)

# Monitors

MONITOR_EVENTS = _counter(
    "forecast_monitor_events", "Events of monitors opened by points, by kind.", ["kind"]
)
MONITOR_RELEARNED = _counter(
    "forecast_monitor_relearned",
    "Times that a monitor's series changed for good and was learned anew.",
)
MONITOR_FIT_FAILURES = _counter(
    "forecast_monitor_fit_failures", "Fits of monitors that failed; the last fit was kept."
)

# Dependencies

DATABASE_FAILURES = _counter(
    "forecast_key_store_failures",
    "Requests that failed because the database was unavailable or returned an error.",
)
_LIMIT_STORE_FAILURES = _counter(
    "forecast_limit_store_failures", "Failed operations of the limit store."
)
LIMIT_STORE_UNAVAILABLE = _gauge(
    "forecast_limit_store_away",
    "Web workers that count limits in memory because the limit store is unavailable.",
    multiprocess_mode="livesum",
)
WEB_WORKERS = _gauge("forecast_web_workers", "Running web workers.", multiprocess_mode="livesum")


def record_limit_store_state(is_available: bool) -> None:
    """Record that the limit store has failed, or that it is available again."""
    LIMIT_STORE_UNAVAILABLE.set(not is_available)
    if not is_available:
        _LIMIT_STORE_FAILURES.inc()
