"""The forecasting engine: numbers in, numbers out. No Flask, no SQL, no HTTP in this package.

``forecast.py`` is the entry point; ``docs/developing/engine.md`` is the map.
"""
