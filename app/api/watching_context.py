"""The context of monitors and sources in a request."""

from flask import current_app

from app.api.current_settings import current_settings
from app.compute.jobs import EXTENSION, InProcessEngine
from app.watching.context import WatchingContext


def watching_context() -> WatchingContext:
    """Return the context of the application that handles the request or the command."""
    engine = current_app.extensions.get(EXTENSION, InProcessEngine())
    return WatchingContext(current_settings(), engine)
