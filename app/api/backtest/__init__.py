"""POST /backtest: how good each model would have been at the end of a series."""
