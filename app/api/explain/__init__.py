"""POST /explain: what a forecast is made of."""

from app.api.explain.routes import blueprint

__all__ = ["blueprint"]
