"""Columns that name the series of rows, in tables of very many series."""

from dataclasses import replace

import pytest

from app.tables.results import Duplicates, Layout, NotATableError
from tests.tables.tables import BOUNDS, read_text

MANY = replace(BOUNDS, max_series=2_000)


def panel(series: int, days: int = 10) -> list[str]:
    """Return a long table of complete series."""
    rows = (
        f"store {n},2024-01-{day:02},{n + day}" for n in range(series) for day in range(1, days + 1)
    )
    return ["store,day,sales", *rows]


def purchases(customers: int) -> list[str]:
    """Several customers a day, each of whom bought on a few days only."""
    rows = (
        f"2024-01-{1 + (7 * n + 3 * k) % 28:02},c{n},{n + k}"
        for n in range(customers)
        for k in range(3)
    )
    return ["day,customer,amount", *rows]


def test_more_than_500_complete_series_are_series_where_the_bounds_allow_them() -> None:
    reading = read_text(panel(600), MANY)
    assert (len(reading.series), reading.chosen.layout) == (600, Layout.LONG)


def test_series_beyond_the_bounds_are_refused_with_the_bound() -> None:
    with pytest.raises(NotATableError, match="send at most 2,000 series"):
        read_text(panel(2_001), MANY)


def test_many_customers_with_a_few_purchases_each_are_not_series_unless_that_is_said() -> None:
    reading = read_text(purchases(600), MANY, duplicates=Duplicates.SUM)
    assert [series.name for series in reading.series] == ["amount"]
    assert len(read_text(purchases(600), MANY, layout=Layout.LONG).series) == 600
