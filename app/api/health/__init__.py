"""GET /healthz and GET /readyz: whether this node can serve."""
