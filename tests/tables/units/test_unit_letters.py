"""Letters after numbers are read by the others of their column, and by its name."""

import pytest

from tests.tables.kinds.case import days, to_text
from tests.tables.tables import notes_of, read_text

DAYS = days("2024-01-01", 20)
CPUS = ["250m", "1", "1500m", "2"]


def column(name: str, cells: list[str]) -> list[str]:
    rows = [f"{day},{cells[i % len(cells)]}" for i, day in enumerate(DAYS)]
    return to_text(f"day,{name}", rows)


@pytest.mark.parametrize(
    ("name", "cells", "values"),
    [
        ("cpu", CPUS, [0.25, 1, 1.5, 2]),
        ("value", CPUS, [0.25, 1, 1.5, 2]),
        ("value", ["250m", "1", "750m"], [0.25, 1, 0.75]),
        ("value", ["250m", "245", "751m"], [250e6, 245, 751e6]),
        ("CPU usage", ["100m", "120m"], [0.1, 0.12]),
        ("used by pods", ["100m", "120m"], [0.1, 0.12]),
        ("revenue", ["250m", "310m"], [250e6, 310e6]),
        ("revenue", ["250m", "1"], [250e6, 1]),
        ("revenue", ["1.5m", "1200"], [1.5e6, 1200]),
    ],
)
def test_m_is_milli_of_cpus_and_else_a_million(
    name: str, cells: list[str], values: list[float]
) -> None:
    reading = read_text(column(name, cells))
    assert reading.series[0].values[: len(values)] == values
    read = "250,000,000" if values[0] == 250e6 else f"{values[0]:,.15g}"
    assert f"“{cells[0]}” is read as {read}." in notes_of(reading)


@pytest.mark.parametrize("name", ["duration", "Call duration", "Dauer", "downtime", "water level"])
def test_m_is_a_minute_or_a_metre_by_the_name_of_its_column(name: str) -> None:
    reading = read_text(column(name, ["75m", "90m", "60m"]))
    assert reading.series[0].values[:3] == [75, 90, 60]
    assert "is read as" not in notes_of(reading)
