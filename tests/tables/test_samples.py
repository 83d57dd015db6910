"""Samples of tables: bounded in cells, spread over all rows."""

import pandas as pd

from app.tables.table import is_mostly, sample_height, sample_rows


def test_a_wide_table_is_judged_by_fewer_rows_but_by_some() -> None:
    heights = [sample_height(width, 50, max_cells=1000) for width in (0, 1, 40, 5_000)]
    assert heights == [50, 50, 25, 5]


def test_a_sample_reaches_the_end_of_the_table() -> None:
    rows = pd.DataFrame(range(101))
    sample = sample_rows(rows, 10)
    assert len(sample) <= 10
    assert sample.index[-1] >= 90
    assert len(sample_rows(rows.iloc[:3], 10)) == 3


def test_half_of_the_cells_are_not_most_and_no_cells_are_nothing() -> None:
    assert not is_mostly(["1", "a"], str.isdigit)
    assert is_mostly(["1", "2", "a"], str.isdigit)
    assert not is_mostly([], str.isdigit)
