"""POST /backtest: how good each model would have been at the end of a series."""

from app.api.backtest.routes import blueprint

__all__ = ["blueprint"]
