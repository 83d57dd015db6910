"""A level that has changed or was interrupted: found, removed from a history, and its forecast.

Each search has other points to go by:

- ``recent_change``: a forecast from before the change, but few points since.
- ``recent_interruption``: the same, but the level returns, or may return.
- ``outage_and_change``: both of these, one after the other.
- ``old_change``: many points on both sides of the only step of a history.
- ``old_interruption``: many points on both sides of a segment away from them.
- ``app.forecasting.preprocessing.level_shifts``: the last change anywhere, cheaply, in a series
  with outliers. It is there as intervals need it, and the first three searches need intervals.

``app.anomalies`` looks for other changes: ``change_points`` for all of them, with an error rate,
``streaming`` with one point at a time, and no future.
"""
