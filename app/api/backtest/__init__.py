"""POST /backtest."""
