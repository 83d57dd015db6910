"""Read dates, and write them alike. The path of one cell, such as ``03/04/2024``:

1. ``columns`` finds the columns that have dates, and their kind: whole dates, dates without a year,
   fiscal years, … Its modules ask ``cells`` whether a cell can be a date.
2. ``cells`` matches the cell with the patterns in ``forms`` (which contain ``clocks``, and words
   of ``languages`` and ``month_names``); ``part_values`` makes numbers of the parts: a
   ``ParsedDate``.
3. ``notation`` finds what only the other cells show, such as whether VI is a month.
4. ``rows`` parses all cells of the column, and asks what comes first, the day or the month;
   ``weekdays`` may know. By kind, ``yearless``, ``fiscal`` or ``counted`` asks for a year or a
   start; ``year_labels`` and ``time_zones`` say what is special about years and offsets.
5. ``date_style`` describes how the cells are written, for the dates of a forecast.

``year_labels`` and ``day_clock`` are for tables in which a date is spread over several cells.
"""
