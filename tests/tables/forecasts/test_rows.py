"""The rows of a wide table are those of its forecasts."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from app.tables.forecasts.dates import DateCell
from app.tables.forecasts.rows import table_of_forecasts
from app.tables.forecasts.types import (
    ForecastPair,
    SeriesForecast,
)
from tests.tables.tables import WITH_HISTORY, table_to_forecast

OPTIONS = replace(WITH_HISTORY, horizon=3, includes_history=False)
FIRST = dt.date(2024, 1, 1)


def dates_of(second: Mapping[int, int], *, do_all_fail: bool = False) -> list[str]:
    """Return the dates of the rows of a table of 60 days with a second column."""
    rows = [f"{FIRST + dt.timedelta(i)},{100 + i},{second.get(i, '')}" for i in range(60)]
    content = "\n".join(["Day,A,B", *rows]).encode()
    table = table_to_forecast(content)
    numbers = np.ones(3)
    pairs = [
        ForecastPair(
            history,
            SeriesForecast.of_problem("failed")
            if history.problem or do_all_fail
            else SeriesForecast(numbers, numbers, numbers),
        )
        for history in table.series
    ]
    cells = [row.cells[0] for row in table_of_forecasts(pairs, table.style, OPTIONS).rows]
    return [cell.text for cell in cells if isinstance(cell, DateCell)]


@pytest.mark.parametrize(
    "second", [{58: 5, 59: 6}, {2: 5, 3: 6}, {10: 5, 24: 6}, {59: 1}, {i: i for i in range(9)}]
)
def test_a_column_without_a_forecast_adds_no_rows(second: Mapping[int, int]) -> None:
    assert dates_of(second) == ["2024-03-01", "2024-03-02", "2024-03-03"]


def test_a_column_that_ends_earlier_has_rows_of_its_forecast() -> None:
    early = {i: i for i in range(40)}
    assert dates_of(early)[:3] == ["2024-02-10", "2024-02-11", "2024-02-12"]
    assert len(dates_of(early)) == 6


def test_dates_stay_though_every_column_fails() -> None:
    assert dates_of({}, do_all_fail=True) == ["2024-03-01", "2024-03-02", "2024-03-03"]
