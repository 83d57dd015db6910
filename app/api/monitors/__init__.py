"""/monitors: series that are judged as their points arrive, and the events found in them."""

from app.api.monitors import routes, verdicts
from app.api.monitors.blueprint import blueprint

__all__ = ["blueprint", "routes", "verdicts"]
