"""GET /metrics: the counts of all web workers in Prometheus' format, for addresses of a setting.

The address of a request is only believed where no unknown proxy may have put its own in its place:
behind one that `TRUSTED_PROXIES` does not count, every client would look like the proxy.
"""

import ipaddress

from flask import Blueprint, Response, current_app, request
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from app.api.errors import ApiError
from app.database import db
from app.observability.processes import all_counts
from app.observability.stored import StoredMetrics
from app.setting_readers import Network

blueprint = Blueprint("metrics", __name__)


@blueprint.get("/metrics")
def metrics() -> Response:
    """Answer all counts to an allowed address, 403 to any other."""
    address = _caller_address()
    allowed: tuple[Network, ...] = current_app.config["METRICS_ALLOWED"]
    if address is None or not any(address in network for network in allowed):
        issue = (
            f"METRICS_ALLOWED does not name {address or 'the address of this request'}; send the "
            "request from an address that it names"
        )
        raise ApiError(403, "Metrics are not for this address", {"issue": issue})
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    registry = CollectorRegistry()
    registry.register(all_counts())
    registry.register(StoredMetrics(db.engine, current_app.config["MONITOR_METRICS"]))
    return Response(encode(registry), content_type=content_type)


def _caller_address() -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The client's address, or None when a proxy may stand in its place or there is none."""
    forwarded = request.headers.getlist("X-Forwarded-For")
    hops = len(",".join(forwarded).split(",")) if forwarded else 0
    trusted: int = current_app.config["TRUSTED_PROXIES"]
    if "Forwarded" in request.headers or (hops and not 0 < trusted <= hops):
        return None
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return None  # a Unix socket
    return getattr(address, "ipv4_mapped", None) or address
