"""The HTTP API: callers, requests, blueprints, responses and errors."""
