"""The application's class, and access to its settings, its database and the request."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask import Flask, current_app, has_request_context

from app.api.request_state import request_state
from app.core.database import db, open_database
from app.core.settings import Settings

_DATABASE_EXTENSION = "database"


class Service(Flask):
    """Flask without its check, on each request, whether views and hooks are coroutines."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``func`` unchanged: the service has no coroutines."""
        return func


def init_database(app: Flask, url: str) -> None:
    """Make ``db`` the database at ``url`` in the contexts of ``app``, without connecting."""
    app.extensions[_DATABASE_EXTENSION] = open_database(url, Path(app.instance_path))
    db.find_engine = lambda: current_app.extensions[_DATABASE_EXTENSION]


def current_settings() -> Settings:
    """Return the settings of the application that handles the request or the command."""
    return current_app.config["SETTINGS"]


def current_request_id() -> str | None:
    """Return the id of the current request, empty before it has one; None outside of a request."""
    return request_state().request_id if has_request_context() else None
