"""GET /verify."""
