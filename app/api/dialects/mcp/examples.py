"""The requests and responses shown to developers."""

from app.api.examples import Examples

EXAMPLES = Examples(__package__)
CALL = EXAMPLES.success("call", "A forecast of three months")
