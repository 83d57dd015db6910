"""Observability: metrics, counts shared by processes, and one log line per request."""
