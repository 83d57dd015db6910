"""The forecasting engine: numbers in, numbers out. No Flask, no SQL, no HTTP in this package.

``forecast.py`` is the entry point; ``docs/developing/engine.md`` says how a forecast is made. The
modules here, in the order in which a forecast needs them:

1. ``jobs/`` forecasts many windows, and compares a forecast with limits; ``types`` and
   ``model_ids`` are shared by all.
2. What is removed from a history and added again: ``effects``, ``season_shift``; ``levels/``:
   changes and interruptions of a level, near the end and long ago. ``notices`` reports them.
3. Before a model learns: ``preparation``; ``preprocessing/``: season, outliers, transformations.
4. Forecasts of members: ``regression``, ``arma/``, ``exponential_growth``, with ``past_origins``,
   ``step_errors`` and ``error_ranking`` for their errors; ``attempt`` runs what may fail.
5. One forecast of them: ``combination``, ``growth``, and ``fallback`` where no model can learn.
6. ``explanation`` splits the median again.
"""
