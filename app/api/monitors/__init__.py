"""/monitors: series whose points are judged on arrival, and the events found in them."""

from app.api.monitors import exposition, point_routes, routes
from app.api.monitors.blueprint import blueprint

__all__ = ["blueprint", "exposition", "point_routes", "routes"]
