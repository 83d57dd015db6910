"""GET /usage: the calls of an account over time."""

from app.api.usage.routes import blueprint

__all__ = ["blueprint"]
