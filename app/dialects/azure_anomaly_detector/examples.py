"""The requests and responses shown to developers."""

from app.api.declaration import Json
from app.api.examples import Examples

EXAMPLES = Examples(__package__)
ENTIRE_REQUEST: Json = EXAMPLES.requests["entire"]
ENTIRE: Json = EXAMPLES.responses["entire"]
"""What ``ENTIRE_REQUEST`` gets of entire, its numbers rounded to one decimal."""
