"""Sizes of a table with its forecasts, known before these are computed."""

import numpy as np

from app.tables.forecasts.types import ForecastOptions, TableToForecast


def count_repeated_characters(table: TableToForecast, options: ForecastOptions) -> int:
    """Return how many characters the rows of a long table repeat.

    They repeat names and their descriptions, and problems.

    0 for a wide table, whose names are in its header.
    """
    if not table.style.text_headers:
        return 0
    return sum(
        options.count_rows(history) * sum(map(len, (*history.texts, history.problem)))
        for history in table.series
    )


def count_wide_rows(table: TableToForecast, options: ForecastOptions) -> int:
    """Return how many rows a wide table with the forecasts has at most, 0 for a long one.

    Series that end at the same time with the same step share the rows of their forecasts.
    """
    if table.style.text_headers or not table.series:
        return 0
    ends = {
        (
            history.times[-1].item(),
            history.calendar.frequency,
            history.calendar.step,
            type(history.calendar.axis),
        )
        for history in table.series
        if history.calendar is not None and not history.problem
    }
    rows = len(ends) * options.horizon
    if options.has_history:
        rows += np.unique(np.concatenate([history.times for history in table.series])).size
    return rows
