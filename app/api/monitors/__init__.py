"""/monitors: series whose points are judged on arrival, and the events found in them."""

from app.api.monitors import exposition, forecast_routes, point_routes, routes
from app.api.monitors.blueprint import blueprint

__all__ = ["blueprint", "exposition", "forecast_routes", "point_routes", "routes"]
