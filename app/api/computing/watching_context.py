"""The context of monitors and sources in a request."""

from app.api.computing.engine_jobs import current_compute_engine
from app.api.service import current_settings
from app.watching.context import WatchingContext


def watching_context() -> WatchingContext:
    """Return the context of the application that handles the request or the command."""
    return WatchingContext(current_settings(), current_compute_engine())
