"""/keys: the API keys of an account, managed by those of its keys that have the permission."""

from app.api.keys import routes
from app.api.keys.blueprint import blueprint

__all__ = ["blueprint", "routes"]
