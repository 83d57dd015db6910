"""Every metric of the service. `docs/running/metrics-and-alerts.md` says what each is good for.

No label comes from what a client sends: a route is the rule that matched, a method one of a few.
Where processes share counts, `app.observability.processes` is imported before this module.
"""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)

disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()

ANSWER_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
ENGINE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30)
POINTS_BUCKETS = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)

# Requests

HTTP_REQUESTS = Counter(
    "forecast_http_requests",
    "Answered requests by route (the rule that matched, or unmatched), method and status.",
    ["route", "method", "status"],
    registry=REGISTRY,
)
HTTP_SECONDS = Histogram(
    "forecast_http_request_duration_seconds",
    "Seconds from the start of a request to its answer, by route.",
    ["route"],
    buckets=ANSWER_BUCKETS,
    registry=REGISTRY,
)
HTTP_IN_FLIGHT = Gauge(
    "forecast_http_requests_in_flight",
    "Requests that are being answered.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)

# The engine. A forecast's job is its model; `job` alone is Prometheus' own label, of the target.

ENGINE_SECONDS = Histogram(
    "forecast_engine_duration_seconds",
    "Seconds from handing a job to the engine to its result, waiting included, by job.",
    ["engine_job"],
    buckets=ENGINE_BUCKETS,
    registry=REGISTRY,
)
ENGINE_IN_FLIGHT = Gauge(
    "forecast_engine_jobs_in_flight",
    "Jobs that are being computed or wait for a free engine process.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
ENGINE_LIMIT = Gauge(
    "forecast_engine_jobs_limit",
    "Jobs that are computed or wait at most; what comes then is refused.",
    multiprocess_mode="livemax",
    registry=REGISTRY,
)
SERIES_POINTS = Histogram(
    "forecast_series_points",
    "Points of the series that were handed to the engine.",
    buckets=POINTS_BUCKETS,
    registry=REGISTRY,
)
FALLBACKS = Counter(
    "forecast_fallbacks",
    "Forecasts that a simpler model made because the one asked for could not be fitted, by job.",
    ["engine_job"],
    registry=REGISTRY,
)
ENGINE_REFUSALS = Counter(
    "forecast_engine_refusals",
    "Jobs refused with 503 because too many waited.",
    registry=REGISTRY,
)
ENGINE_FAILURES = Counter(
    "forecast_engine_failures",
    "Jobs answered 500 because the engine failed or took too long, by job.",
    ["engine_job"],
    registry=REGISTRY,
)

# Keys and limits

AUTHENTICATION_FAILURES = Counter(
    "forecast_authentication_failures",
    "Requests answered 401, by reason: no key was sent (missing), or one not accepted (refused).",
    ["reason"],
    registry=REGISTRY,
)
LIMIT_REFUSALS = Counter(
    "forecast_limit_refusals",
    "Requests answered 429, by the tier or permission level of the key, or anonymous.",
    ["tier"],
    registry=REGISTRY,
)

# Monitors

MONITOR_EVENTS = Counter(
    "forecast_monitor_events",
    "Events that points of monitors opened, by kind.",
    ["kind"],
    registry=REGISTRY,
)

# What the service stands on

KEY_STORE_FAILURES = Counter(
    "forecast_key_store_failures",
    "Requests that failed because the database did not answer or refused.",
    registry=REGISTRY,
)
LIMIT_STORE_FAILURES = Counter(
    "forecast_limit_store_failures",
    "Times that the limit store was asked and did not answer.",
    registry=REGISTRY,
)
LIMIT_STORE_AWAY = Gauge(
    "forecast_limit_store_away",
    "Web workers that count limits by themselves because the limit store is away.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
WEB_WORKERS = Gauge(
    "forecast_web_workers",
    "Web workers that run.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
