"""/keys: the API keys of an account, managed with a key that has the permission `admin`."""

from app.api.keys import routes
from app.api.keys.blueprint import blueprint

__all__ = ["blueprint", "routes"]
