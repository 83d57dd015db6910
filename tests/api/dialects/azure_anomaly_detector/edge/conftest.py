"""The fixtures of nginx, its service and a key."""

from tests.edge.conftest import gunicorn_socket, key, service, site

__all__ = ["gunicorn_socket", "key", "service", "site"]
