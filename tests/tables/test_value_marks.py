"""Numbers with a mark of an office are read like the others, and the marks are named."""

from collections.abc import Callable

import pytest

from tests.tables.kinds.case import days
from tests.tables.tables import read_text, required, words

DAYS = days("2026-01-01", 40)
NUMBERS = [100 + i * 7 % 11 / 4 for i in range(40)]


def read_column(write: Callable[[int, float], str]):
    rows = [f"{day},{write(i, n)}" for i, (day, n) in enumerate(zip(DAYS, NUMBERS, strict=True))]
    return read_text(["day,index", *rows])


@pytest.mark.parametrize("mark", ["#", "*", "p", " p", " (r)", "(p)", " b", "e", " E", " [x]"])
def test_a_mark_behind_numbers_is_named_and_changes_nothing(mark: str) -> None:
    reading = read_column(lambda i, n: f"{n}{mark}" if i % 8 == 3 else f"{n}")
    assert required(reading) == []
    assert reading.series[0].values == NUMBERS
    assert reading.chosen.number_forms[0]["after"] == ""
    assert f"are read like the others: 5 with “{mark.strip()}”." in words(reading)


def test_different_marks_are_no_units_to_choose_from() -> None:
    reading = read_column(lambda i, n: f"{n} p" if i > 34 else f"{n} r" if i > 28 else f"{n}")
    assert required(reading) == []
    assert reading.series[0].values == NUMBERS


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (lambda i, n: f"{n / 100:.4f} b" if i == 3 else f"{n * 1e7:.0f}", 1_025_000_000),
        (lambda i, n: f"{n} p", 100),  # pence of all are a unit
    ],
)
def test_letters_that_are_units_or_billions_stay_these(
    write: Callable[[int, float], str], value: float
) -> None:
    reading = read_column(write)
    assert value in reading.series[0].values
    assert "with a mark" not in words(reading)
