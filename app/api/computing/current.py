"""The compute engine of the current application, and what watching needs of it."""

from flask import current_app

from app.api.service import current_settings
from app.compute.jobs import ENGINE_EXTENSION, ComputeEngine, InProcessEngine
from app.watching.context import WatchingContext


def current_compute_engine() -> ComputeEngine:
    return current_app.extensions.get(ENGINE_EXTENSION, InProcessEngine())


def watching_context() -> WatchingContext:
    """Return the context of the application that handles the request or the command."""
    return WatchingContext(current_settings(), current_compute_engine())
