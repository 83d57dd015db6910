"""Gunicorn's side of the service: its web worker, and what it refuses by itself."""
