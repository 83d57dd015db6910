"""GET /metrics: the metrics of all web workers in Prometheus' format, for configured addresses.

The address of a request is trusted only if no unknown proxy can have replaced it: behind a proxy
that `TRUSTED_PROXIES` does not count, every client would have the proxy's address.
"""

import ipaddress

from flask import Blueprint, Response, request
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from app.api.computing.current import current_compute_engine
from app.api.errors.api_error import ApiError
from app.api.service import current_settings
from app.core import instruments
from app.core.database import db
from app.core.metric_files import collect_metrics
from app.ops.metrics.database_metrics import DatabaseMetrics

blueprint = Blueprint("metrics", __name__)


@blueprint.get("/metrics")
def metrics() -> Response:
    """Return all metrics to an allowed address, 403 to others."""
    address = _caller_address()
    allowed = current_settings().metrics_allowed
    if address is None or not any(address in network for network in allowed):
        issue = (
            f"METRICS_ALLOWED does not include {address or 'the address of this request'}; send "
            "the request from an address that it includes"
        )
        raise ApiError(403, "Address may not read metrics", issue)
    if (wait := current_compute_engine().expected_wait_seconds()) is not None:
        instruments.ENGINE_WAIT.set(wait)
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    registry = CollectorRegistry()
    registry.register(collect_metrics())
    registry.register(DatabaseMetrics(db.engine, current_settings().monitor_metrics))
    return Response(encode(registry), content_type=content_type)


def _caller_address() -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the client's address, None if there is none or it may be a proxy's."""
    forwarded = request.headers.getlist("X-Forwarded-For")
    hops = len(",".join(forwarded).split(",")) if forwarded else 0
    trusted = current_settings().proxies
    if "Forwarded" in request.headers or (hops and not 0 < trusted <= hops):
        return None
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return None  # a Unix socket
    return getattr(address, "ipv4_mapped", None) or address
