"""GET /healthz and GET /readyz: whether this node can serve."""

from app.api.health.routes import blueprint

__all__ = ["blueprint"]
