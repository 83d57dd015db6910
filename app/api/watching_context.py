"""The context of monitors and sources in a request."""

from app.api.current_settings import current_settings
from app.api.jobs import current_engine
from app.watching.context import WatchingContext


def watching_context() -> WatchingContext:
    """Return the context of the application that handles the request or the command."""
    return WatchingContext(current_settings(), current_engine())
