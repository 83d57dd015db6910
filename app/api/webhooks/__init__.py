"""/webhooks: receivers of messages, created, tested, rotated and deleted by name."""

from app.api.webhooks import routes
from app.api.webhooks.blueprint import blueprint

__all__ = ["blueprint", "routes"]
