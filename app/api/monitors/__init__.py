"""/monitors: series whose points are judged on arrival, and the events found in them."""

from app.api.monitors import exposition, routes, routes_of_points
from app.api.monitors.blueprint import blueprint

__all__ = ["blueprint", "exposition", "routes", "routes_of_points"]
