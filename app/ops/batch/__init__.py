"""Forecast every series of a table, on the cores of this machine or of a cluster.

The engine runs where the rows are: no HTTP, no database. Nothing here imports Flask or SQLAlchemy,
so that a worker of a cluster needs the engine's libraries only.
"""
