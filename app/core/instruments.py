"""All metrics of the service; `docs/running/metrics-and-alerts.md` documents their use.

Labels never contain strings from clients: a route is the URL rule that matched, a method one of a
fixed set. If processes share counts, `app.core.metric_files` must be imported before this module.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()

RESPONSE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
ENGINE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30)
POINTS_BUCKETS = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
SERIES_BUCKETS = (1, 10, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)

# Requests

HTTP_REQUESTS = Counter(
    "forecast_http_requests",
    "Completed requests by route (the URL rule that matched, or unmatched), method and status.",
    ["route", "method", "status"],
    registry=REGISTRY,
)
HTTP_SECONDS = Histogram(
    "forecast_http_request_duration_seconds",
    "Seconds from the start of a request to its response, by route.",
    ["route"],
    buckets=RESPONSE_BUCKETS,
    registry=REGISTRY,
)
HTTP_IN_FLIGHT = Gauge(
    "forecast_http_requests_in_flight",
    "Requests in progress.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)

# The engine. A forecast's job is its model; the label `job` is Prometheus' own, for the target.

ENGINE_SECONDS = Histogram(
    "forecast_engine_duration_seconds",
    "Seconds from sending a job to the engine to its result, including the wait, by job.",
    ["engine_job"],
    buckets=ENGINE_BUCKETS,
    registry=REGISTRY,
)
ENGINE_IN_FLIGHT = Gauge(
    "forecast_engine_jobs_in_flight",
    "Jobs being computed or waiting for a free engine process.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
ENGINE_LIMIT = Gauge(
    "forecast_engine_jobs_limit",
    "Maximum number of jobs being computed or waiting; further ones are refused.",
    multiprocess_mode="livemax",
    registry=REGISTRY,
)
ENGINE_WAIT = Gauge(
    "forecast_engine_wait_seconds",
    "Seconds that a job which came now would be expected to wait for a free engine process.",
    multiprocess_mode="livemostrecent",
    registry=REGISTRY,
)
ENGINE_WAIT_LIMIT = Gauge(
    "forecast_engine_wait_limit_seconds",
    "Maximum of these seconds; beyond that, jobs are refused.",
    multiprocess_mode="livemax",
    registry=REGISTRY,
)
SERIES_POINTS = Histogram(
    "forecast_series_points",
    "Points of the series sent to the engine.",
    buckets=POINTS_BUCKETS,
    registry=REGISTRY,
)
BATCH_SERIES = Histogram(
    "forecast_batch_series",
    "Series of a call of many, by what is made of them.",
    ["engine_job"],
    buckets=SERIES_BUCKETS,
    registry=REGISTRY,
)
FALLBACKS = Counter(
    "forecast_fallbacks",
    "Forecasts by a simpler model because the requested one could not be fitted, by job.",
    ["engine_job"],
    registry=REGISTRY,
)
ENGINE_REFUSALS = Counter(
    "forecast_engine_refusals",
    "Jobs refused with 503 because too much was waiting.",
    registry=REGISTRY,
)
ENGINE_FAILURES = Counter(
    "forecast_engine_failures",
    "Jobs that got 500 because the engine failed or took too long, by job.",
    ["engine_job"],
    registry=REGISTRY,
)

# Keys and limits

AUTHENTICATION_FAILURES = Counter(
    "forecast_authentication_failures",
    "Requests that got 401, by reason: no key (missing), or a key that is not valid (refused).",
    ["reason"],
    registry=REGISTRY,
)
LIMIT_REFUSALS = Counter(
    "forecast_limit_refusals",
    "Requests that got 429, by the tier or permission level of the key, or anonymous.",
    ["tier"],
    registry=REGISTRY,
)

# Monitors

MONITOR_EVENTS = Counter(
    "forecast_monitor_events",
    "Events of monitors opened by points, by kind.",
    ["kind"],
    registry=REGISTRY,
)
MONITOR_RELEARNED = Counter(
    "forecast_monitor_relearned",
    "Times that a monitor's series changed for good and was learned anew.",
    registry=REGISTRY,
)
MONITOR_FIT_FAILURES = Counter(
    "forecast_monitor_fit_failures",
    "Fits of monitors that failed; the last fit was kept.",
    registry=REGISTRY,
)

# Dependencies

KEY_STORE_FAILURES = Counter(
    "forecast_key_store_failures",
    "Requests that failed because the database was unavailable or returned an error.",
    registry=REGISTRY,
)
LIMIT_STORE_FAILURES = Counter(
    "forecast_limit_store_failures", "Failed operations of the limit store.", registry=REGISTRY
)
LIMIT_STORE_AWAY = Gauge(
    "forecast_limit_store_away",
    "Web workers that count limits in memory because the limit store is unavailable.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
WEB_WORKERS = Gauge(
    "forecast_web_workers", "Running web workers.", multiprocess_mode="livesum", registry=REGISTRY
)


def record_limit_store(available: bool) -> None:
    """Record that the limit store has failed, or that it is available again."""
    LIMIT_STORE_AWAY.set(not available)
    if not available:
        LIMIT_STORE_FAILURES.inc()
