"""Rows that are totals of others are left out, if they have few names."""

import pytest

from tests.tables.kinds.case import days, lines
from tests.tables.tables import read_text, words


def with_totals(count: int) -> str:
    """A total of another name on each day."""
    rows = []
    for i, day in enumerate(days("2023-01-01", count)):
        rows += [f"{day},a,{i}", f"{day},b,{2 * i + 1}", f"{day},Total of run {i},{3 * i + 1}"]
    return lines("date,part,value", rows)


@pytest.mark.parametrize(("count", "are_left_out"), [(200, True), (201, False)])
def test_totals_of_up_to_200_names_are_left_out(count: int, *, are_left_out: bool) -> None:
    reading = read_text(with_totals(count))
    assert ("a total of other rows" in words(reading)) is are_left_out
    if are_left_out:
        assert [series.name for series in reading.series] == ["a", "b"]
        assert [len(series.values) for series in reading.series] == [count, count]
