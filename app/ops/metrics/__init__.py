"""GET /metrics: the metrics of all web workers in Prometheus' format."""
