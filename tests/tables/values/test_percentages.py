"""Shares among percentages are read as percentages, and said."""

import pytest

from app.tables.reading import Reading
from tests.tables.tables import notes_of, read_text


def read_rates(odd: str, *, usual: str = "{:.1f} %", delimiter: str = ",") -> Reading:
    cells = [odd if day == 9 else usual.format(4 + day / 20) for day in range(1, 30)]
    rows = [f"2024-01-{day:02}{delimiter}{cell}" for day, cell in enumerate(cells, 1)]
    return read_text([f"Date{delimiter}Rate", *rows])


def test_a_share_among_percentages_is_one_of_them() -> None:
    reading = read_rates("0.0380")
    assert reading.series[0].values[7:10] == [4.4, 3.8, 4.5]
    assert "Without a percent sign: line 10 in “Rate”; “0.0380” is read as 3.8 %." in notes_of(
        reading
    )
    assert reading.notation.number_forms[0]["decimals"] == 1


@pytest.mark.parametrize(
    ("odd", "value"), [("3.8", 3.8), ("0", 0), ("0.001", 0.001), ("0.04 %", 0.04), ("0.9", 0.9)]
)
def test_a_value_that_is_not_a_share_of_that_size_stays_as_it_is(odd: str, value: float) -> None:
    reading = read_rates(odd)
    assert reading.series[0].values[8] == value
    assert "percent sign" not in notes_of(reading)


def test_shares_without_any_percentage_stay_shares() -> None:
    reading = read_rates("0.0380", usual="{:.3f}")
    assert reading.series[0].values[8] == 0.038
    assert "percent sign" not in notes_of(reading)
