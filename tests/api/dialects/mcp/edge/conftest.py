"""The site of the tests of nginx, with its service and key."""

from tests.edge.conftest import gunicorn_socket, key, service, site

__all__ = ["gunicorn_socket", "key", "service", "site"]
