"""Record every request: one log line and the metrics, from the same data."""

import functools
import logging
import time
from collections.abc import Callable
from typing import Any

from flask import Flask, Response, request
from prometheus_client import Counter, Histogram

from app.anomalies.results import EventKind
from app.api.request_state import begin_request_state, request_state
from app.core import instruments
from app.forecasting.model_ids import MODEL_IDS
from app.identity.accounts.authentication import KeyHolder
from app.identity.limits.tiers import LEVEL_ALLOWANCES, TIERS, permission_level

access_log = logging.getLogger("app.access")

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_ANONYMOUS = "anonymous"
_MISSING, _INVALID = "missing", "refused"


def register_request_log(app: Flask) -> None:
    _export_zeros()
    app.wsgi_app = _count_in_flight(app.wsgi_app)  # type: ignore[method-assign]
    app.before_request(begin_request_state)
    app.after_request(_record_request)


def _export_zeros() -> None:
    """Export counters as 0 from the start, so that the first increase is visible."""
    for model in MODEL_IDS:
        instruments.FALLBACKS.labels(model)
        instruments.ENGINE_FAILURES.labels(model)
    for kind in EventKind:
        instruments.MONITOR_EVENTS.labels(kind)
    for tier in (*TIERS, *LEVEL_ALLOWANCES, _ANONYMOUS):
        instruments.LIMIT_REJECTIONS.labels(tier)
    for reason in (_MISSING, _INVALID):
        instruments.AUTHENTICATION_FAILURES.labels(reason)


def _count_in_flight(wsgi_app: Callable[..., Any]) -> Callable[..., Any]:
    gauge = instruments.HTTP_IN_FLIGHT

    def call(environ: Any, start_response: Any) -> Any:
        gauge.inc()
        try:
            return wsgi_app(environ, start_response)
        finally:
            gauge.dec()

    return call


def _record_request(response: Response) -> Response:
    state = request_state()
    seconds = time.perf_counter() - state.started_at
    route = request.url_rule.rule if request.url_rule else None
    status = response.status_code
    holder, details = state.caller, state.job_details
    _record_metrics(route, status, seconds, holder)
    if details is not None and details.fallback_count:
        instruments.FALLBACKS.labels(details.label).inc(details.fallback_count)
    if access_log.isEnabledFor(logging.INFO):
        fields = {
            "method": request.method,
            "route": route,
            "status": status,
            "milliseconds": round(seconds * 1000, 1),
            "key_id": holder.key_id if holder else None,
            "account": holder.account_name if holder else None,
            "model": details.label if details else None,
            "series": details.series_count if details else None,
            "points": details.point_count if details else None,
            "horizon": details.horizon if details else None,
            "fallback": details.has_fallback if details else None,
            "limit": response.headers.get("X-RateLimit-Limit", type=int),
            "remaining": response.headers.get("X-RateLimit-Remaining", type=int),
        }
        access_log.info("request", extra={"fields": fields})
    return response


def _record_metrics(
    route: str | None, status: int, seconds: float, holder: KeyHolder | None
) -> None:
    method = request.method if request.method in _METHODS else "other"
    requests, durations = _request_metrics(route or "unmatched", method, status)
    requests.inc()
    durations.observe(seconds)
    if status == 401:
        reason = _INVALID if request_state().was_key_sent else _MISSING
        instruments.AUTHENTICATION_FAILURES.labels(reason).inc()
    elif status == 429:
        tier = (holder.tier or permission_level(holder.permissions)) if holder else _ANONYMOUS
        instruments.LIMIT_REJECTIONS.labels(tier).inc()


@functools.cache
def _request_metrics(route: str, method: str, status: int) -> tuple[Counter, Histogram]:
    """Return the cached metrics for a kind of request; a lookup takes as long as counting."""
    return (
        instruments.HTTP_REQUESTS.labels(route, method, status),
        instruments.HTTP_SECONDS.labels(route),
    )
