"""The application's class."""

from collections.abc import Callable
from typing import Any

from flask import Flask


class Service(Flask):
    """Flask without its check, on each request, whether views and hooks are coroutines."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``func`` unchanged: the service has no coroutines."""
        return func
