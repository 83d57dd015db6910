"""POST /anomalies: one series in, its anomalies, events and change points out."""

from app.api.anomalies.routes import blueprint

__all__ = ["blueprint"]
