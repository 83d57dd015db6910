"""/monitors: series whose points are judged on arrival, and the events found in them."""

from app.api.monitors import routes, routes_of_points
from app.api.monitors.blueprint import blueprint

__all__ = ["blueprint", "routes", "routes_of_points"]
