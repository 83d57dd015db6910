"""GET /metrics: the metrics of all web workers in Prometheus' format."""

from app.ops.metrics.routes import blueprint

__all__ = ["blueprint"]
