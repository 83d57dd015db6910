"""Gaps are reported by their first timestamp, or filled on request, with a note."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forecast_client import DataError, Prepared, prepare

NAN = math.nan


def daily_series(values: list[float], **options: Any) -> Prepared:
    index = pd.date_range("2024-01-01", periods=len(values), freq="D")
    return prepare(pd.Series(values, index=index), **options)


def test_a_missing_value_is_named() -> None:
    issue = r'2024-01-03 has no value, the first of 2; points are 1 day apart: .*with fill="lin'
    with pytest.raises(DataError, match=issue):
        daily_series([1, 2, NAN, 4, NAN, 6])


def test_a_missing_timestamp_is_named() -> None:
    index = pd.date_range("2024-01-31", periods=12, freq="ME").delete(4)
    with pytest.raises(DataError, match="missing: 2024-05-31 has no value; points are 1 month"):
        prepare(pd.Series(np.arange(11.0), index=index))


def test_a_missing_hour_of_a_zone_is_named_in_it() -> None:
    index = pd.date_range("2024-03-30", periods=48, freq="h", tz="Europe/Berlin").delete(30)
    with pytest.raises(DataError, match=r"2024-03-31 07:00:00\+02:00 has no value"):
        prepare(pd.Series(np.arange(47.0), index=index))


@pytest.mark.parametrize(
    ("fill", "values", "notes"),
    [
        ("linear", [1, 2, 3, 4, 4], "2 missing points filled (linear), the first is 2024-01-04"),
        ("previous", [1, 1, 1, 4, 4], "(previous)"),
    ],
)
def test_points_before_the_first_value_are_left_out(
    fill: Any, values: list[float], notes: str
) -> None:
    given_values = [NAN, 1, 2, NAN, 4, NAN] if fill == "linear" else [NAN, 1, NAN, NAN, 4, NAN]
    prepared = daily_series(given_values, fill=fill)
    assert list(prepared.values) == values
    assert prepared.timestamps[0] == "2024-01-02T00:00:00"
    assert prepared.notes[0] == "1 point at the start without a value left out"
    assert notes in prepared.notes[1]


def test_zero_fill_fills_the_ends_too() -> None:
    prepared = daily_series([NAN, 1, 2, NAN, 4, NAN], fill="zero")
    assert list(prepared.values) == [0, 1, 2, 0, 4, 0]
    assert prepared.notes == ("3 missing points filled (zero), the first is 2024-01-01",)


def test_there_is_no_note_if_nothing_was_filled() -> None:
    assert daily_series([1, 2, 3, 4], fill="linear").notes == ()


def test_duplicates_without_a_value_do_not_count() -> None:
    index = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-02", "2024-01-03"])
    series = pd.Series([1, NAN, 5, 3], index=index)
    for how in ("sum", "mean", "last"):
        assert list(prepare(series, duplicates=how).values) == [1, 5, 3]  # type: ignore[arg-type]


@given(st.data())
def test_linear_filling_is_that_of_pandas(data: st.DataObject) -> None:
    size = data.draw(st.integers(14, 40))
    numbers = st.floats(-1e6, 1e6)
    values = data.draw(st.lists(numbers, min_size=size, max_size=size))
    # Neither an end is missing, nor half of the values.
    gone = data.draw(st.sets(st.integers(1, size - 2), max_size=size // 5))
    kept = [position for position in range(size) if position not in gone]
    index = pd.date_range("2024-01-01", periods=size, freq="D")
    full = pd.Series(values, index=index)
    expected = full.iloc[kept].reindex(index).interpolate().to_list()
    order = data.draw(st.permutations(kept))
    prepared = prepare(full.iloc[order], fill="linear")
    assert prepared.values == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert prepared.index(prepared.timestamps).equals(index)
