"""The requests and responses shown to developers."""

from app.api.declaration import Json
from app.api.examples import Examples

EXAMPLES = Examples(__package__)
FORECAST_REQUEST: Json = EXAMPLES.requests["forecast"]
FORECAST: Json = EXAMPLES.responses["forecast"]
"""What ``FORECAST_REQUEST`` gets of v2/forecast, its numbers rounded to one decimal."""
