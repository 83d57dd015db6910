"""A fill of zero is right for calls at night; of their duration and the like it is said."""

import pytest

from app.tables.answers import Fill
from tests.tables.tables import notes_of, read_text

OPEN = range(8, 20)


def calls(header: str = "Time,Calls,AHT (s)", *, first: int = 270) -> list[str]:
    values = {
        (day, hour): (9 + hour * day % 7, first + hour) for day in range(1, 5) for hour in OPEN
    }
    rows = [f"2024-01-0{d} {h:02}:00,{n},{time}" for (d, h), (n, time) in values.items()]
    return [header, *rows]


def test_zeros_filled_into_averages_are_reported() -> None:
    text = notes_of(read_text(calls(), fill=Fill.ZERO))
    remark = (
        "“AHT (s)” is never 0 in the table, but 0 was filled in 36 times: forecast it on its own"
    )
    assert remark in text
    assert "“Calls” is never" not in text


@pytest.mark.parametrize(
    ("header", "first", "fill"),
    [
        ("Time,Calls,AHT (s)", 270, Fill.PREVIOUS),
        ("Time,Calls,AHT (s)", -8, Fill.ZERO),  # zero at eight
        ("Time,Calls,Visits", 270, Fill.ZERO),
        ("Time,North,South", 270, Fill.ZERO),
    ],
)
def test_other_values_are_not_named(header: str, first: int, fill: Fill) -> None:
    assert "is never 0" not in notes_of(read_text(calls(header, first=first), fill=fill))
