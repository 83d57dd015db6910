"""Sizes of a table with its forecasts, known before these are computed."""

import numpy as np

from app.tables.forecasts.types import ForecastOptions, TableToForecast


def count_repeated_characters(table: TableToForecast, options: ForecastOptions) -> int:
    """Return how many characters of names, descriptions and problems all rows of a long table have.

    A wide table has 0: its names are in the header.
    """
    if not table.style.text_headers:
        return 0
    return sum(
        options.count_rows(series) * sum(map(len, (*series.texts, series.problem)))
        for series in table.series
    )


def count_wide_rows(table: TableToForecast, options: ForecastOptions) -> int:
    """Return how many rows a wide table with the forecasts has at most, 0 for a long one.

    Series that end at the same time with the same step share the rows of their forecasts.
    """
    if table.style.text_headers or not table.series:
        return 0
    ends = {
        (
            series.times[-1].item(),
            series.calendar.frequency,
            series.calendar.step,
            type(series.calendar.axis),
        )
        for series in table.series
        if series.calendar is not None and not series.problem
    }
    row_count = len(ends) * options.horizon
    if options.has_history:
        row_count += np.unique(np.concatenate([series.times for series in table.series])).size
    return row_count
