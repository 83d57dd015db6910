"""/monitors: series that are judged as their points arrive, and the events found in them."""

from app.api.monitors.routes import blueprint

__all__ = ["blueprint"]
