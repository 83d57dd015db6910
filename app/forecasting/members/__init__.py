"""Members: one forecasting method a file, of two kinds.

Those of the short recipes and the fallback take a history and a horizon (``types.Member``). Those
of the long recipes take a ``validation.Task`` and their own settings, and return one forecast, or
a list with one for each scale or setting, each with its backtest at the task's past origins.
"""
