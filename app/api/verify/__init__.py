"""GET /verify: what a key may do and how much of its limit is left."""

from app.api.verify.routes import blueprint

__all__ = ["blueprint"]
