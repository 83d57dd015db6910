"""/monitors: series whose points are judged on arrival, and the events found in them."""

from app.api.monitors import points, routes
from app.api.monitors.blueprint import blueprint

__all__ = ["blueprint", "points", "routes"]
