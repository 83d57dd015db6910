"""Read users' tables: the bytes of a file become series, questions, or an error.

``read_table.py`` runs the steps; a folder has each of them. In their order:

1. ``text``, ``workbooks`` and ``json`` make a table of the bytes.
2. ``rows`` and ``pivots`` arrange it: one table, with a row for each date.
3. ``dates`` finds the dates, ``header`` the names of columns, ``names`` those of series.
4. ``amounts`` and ``values`` read the numbers; ``numbers``, ``codes`` and ``units`` are in cells.
5. ``series`` puts them on a grid, and ``ends`` finds where data end and plans begin.

``forecasts`` forecasts the series, and writes a table again. What a table leaves open is asked,
never guessed.

What is known of a table after each step has a type:

====================  ==============================  ==============================================
type                  module                          what is known
====================  ==============================  ==============================================
``Table``             ``table``                       cells, as strings
``DateColumns``       ``dates.columns.date_columns``  which columns have the dates
``Heading``           ``header.heading``              names of columns, and the rows below them
``RowDates``          ``dates.rows``                  the date of each row
``DatedTable``        ``dated_table``                 all of these, and which rows count
``RowNames``          ``layout``                      which series each row belongs to
``PlainColumn``       ``values.without_units``        a column of cells without units
``ValueColumn``       ``dated_values``                a column of numbers
``DatedValues``       ``dated_values``                dates, names and numbers of these rows
``UngriddedSeries``   ``dated_values``                a series: one value for each date of the table
``GriddedSeries``     ``series.gridded_series``       the same with a step, gaps known or filled
``TableSeries``       ``reading``                     a series as the API returns it
``SeriesToForecast``  ``forecasts.types``             a series as the engine takes it
====================  ==============================  ==============================================

One ``reading.Reading`` goes through all steps. It has the answers and the bounds of the reading,
and what was asked, reported and chosen.
"""
