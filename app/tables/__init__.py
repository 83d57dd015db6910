"""Read users' tables: the bytes of a file become series, questions, or an error.

``read.py`` runs the steps; a folder has each of them. In their order:

1. ``text``, ``workbooks`` and ``json`` make a table of the bytes.
2. ``rows`` and ``pivots`` arrange it: one table, with a row for each date.
3. ``dates`` finds the dates, ``header`` the names of columns, ``names`` those of series.
4. ``amounts`` and ``values`` read the numbers; ``numbers``, ``codes`` and ``units`` are in cells.
5. ``series`` puts them on a grid, and ``ends`` finds where data end and plans begin.

``forecasts`` forecasts the series, and writes a table again. What a table leaves open is asked,
never guessed.
"""
