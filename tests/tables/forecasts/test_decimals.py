"""Forecasts in a table have the decimals of its numbers."""

import csv

import numpy as np
import pytest

from app.tables.forecasts.files import write_forecasts
from app.tables.forecasts.types import (
    FileFormat,
    SeriesForecast,
)
from tests.tables.tables import WITH_HISTORY, table_to_forecast


@pytest.mark.parametrize(
    ("values", "number", "written"),
    [
        (["10630.64", "10011.50"], 10433.333333, "10433.33"),
        (["12", "15"], 13.333333, "13.3"),
        (["1.0834", "1.0912"], 1.08765432, "1.0877"),
        (["112.5", "118"], 115.333333, "115.3"),
        (["10630.123456", "10011.5"], 10433.333333, "10433.33"),
        (["0.001234", "0.00125"], 0.001239999, "0.00124"),
    ],
    ids=["money", "counts", "rates", "one decimal", "long", "small"],
)
def test_a_forecast_has_the_decimals_of_its_column(
    values: list[str], number: float, written: str
) -> None:
    rows = [f"2024-01-{day:02},{values[day % 2]}" for day in range(1, 29)]
    table = table_to_forecast("\n".join(rows).encode())
    numbers = np.array([number])
    forecast = SeriesForecast(numbers, numbers, numbers)
    file = write_forecasts(table, [forecast], WITH_HISTORY, FileFormat.CSV).decode()
    *history, future = [*csv.reader(file.splitlines())][1:]
    assert [float(row[1]) for row in history] == [float(values[day % 2]) for day in range(1, 29)]
    assert future[1] == written
