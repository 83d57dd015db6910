"""GET /metrics: the metrics of all web workers in Prometheus' format."""

from app.api.metrics.routes import blueprint

__all__ = ["blueprint"]
