"""/sources: servers with Prometheus' API, and their queries, whose series are monitors."""

from app.api.sources import query_routes, routes
from app.api.sources.blueprint import blueprint

__all__ = ["blueprint", "query_routes", "routes"]
