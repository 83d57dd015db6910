"""POST /forecast: one series in, a median and a prediction interval out."""

from app.api.forecast.routes import blueprint

__all__ = ["blueprint"]
