"""Readings of meters, which only grow, are not added up."""

import pytest

from app.tables.answers import PeriodAggregation
from tests.tables.kinds.case import days, to_text
from tests.tables.tables import notes_of, read_text

READINGS = [10_000 + 20 * i + i * i % 17 for i in range(60)]


def table(name: str, readings: list[int], step: int = 1) -> str:
    dates = days("2024-01-01", len(readings))
    return to_text(
        f"date,{name}", [f"{d},{v}" for d, v in zip(dates, readings, strict=True)][::step]
    )


@pytest.mark.parametrize("name", ["kWh", "energy", "Zählerstand m³"])
@pytest.mark.parametrize("step", [1, -1])
def test_weeks_of_a_meter_have_its_last_reading(name: str, step: int) -> None:
    reading = read_text(table(name, READINGS, step), per=PeriodAggregation.WEEK_TOTAL)
    assert reading.series[0].values[:2] == [READINGS[6], READINGS[13]]
    assert f"“{name}” only grows" in notes_of(reading)


def test_a_short_column_is_a_meter_only_by_its_name() -> None:
    assert "only grows" in notes_of(read_text(table("Zählerstand", READINGS[:12])))
    assert "only grows" not in notes_of(read_text(table("sales", READINGS[:12])))


def test_a_meter_may_be_replaced() -> None:
    replaced = [*READINGS[:30], *(v - 10_000 for v in READINGS[30:])]
    assert "only grows" in notes_of(read_text(table("meter reading", replaced)))
    assert "only grows" not in notes_of(read_text(table("energy", replaced)))


def test_values_that_grow_by_one_step_are_no_readings() -> None:
    assert "only grows" not in notes_of(read_text(table("visits", [*range(100, 160)])))


def test_the_meters_of_a_long_table_grow_each() -> None:
    dates = days("2024-01-01", 60)
    rows = [
        f"{d},{m},{v * n}"
        for d, v in zip(dates, READINGS, strict=True)
        for n, m in ((1, "A"), (2, "B"))
    ]
    reading = read_text(to_text("date,meter,kWh", rows), per=PeriodAggregation.WEEK_TOTAL)
    assert [series.values[0] for series in reading.series] == [READINGS[6], 2 * READINGS[6]]
