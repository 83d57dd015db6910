"""Numbers with a mark of an office are read like the others, and the marks are named."""

from collections.abc import Callable

import pytest

from tests.tables.kinds.case import days
from tests.tables.tables import notes_of, read_text, requirements

DAYS = days("2026-01-01", 40)
NUMBERS = [100 + i * 7 % 11 / 4 for i in range(40)]


def read_column(write: Callable[[int, float], str]):
    rows = [f"{day},{write(i, n)}" for i, (day, n) in enumerate(zip(DAYS, NUMBERS, strict=True))]
    return read_text(["day,index", *rows])


@pytest.mark.parametrize("mark", ["#", "*", "p", " p", " (r)", "(p)", " b", "e", " E", " [x]"])
def test_a_mark_behind_numbers_is_named_and_changes_nothing(mark: str) -> None:
    reading = read_column(lambda i, n: f"{n}{mark}" if i % 8 == 3 else f"{n}")
    assert requirements(reading) == []
    assert reading.series[0].values == NUMBERS
    assert reading.notation.number_forms[0]["after"] == ""
    assert f"are read like the others: 5 with “{mark.strip()}”." in notes_of(reading)


def test_different_marks_are_no_units_to_choose_from() -> None:
    reading = read_column(lambda i, n: f"{n} p" if i > 34 else f"{n} r" if i > 28 else f"{n}")
    assert requirements(reading) == []
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
    assert "with a mark" not in notes_of(reading)


@pytest.mark.parametrize("sign", ["CR", " CR", " DR", "DB"])
def test_the_sign_of_an_account_beside_plain_numbers_says_minus(sign: str) -> None:
    reading = read_column(lambda i, n: f"{n}{sign}" if i % 4 == 3 else f"{n}")
    assert reading.series[0].values == [-n if i % 4 == 3 else n for i, n in enumerate(NUMBERS)]
    assert f"In “index”, {sign.strip()} is read as minus." in notes_of(reading)


@pytest.mark.parametrize(("debit", "credit"), [("Dr", "Cr"), ("S", "H"), ("DB", "CR")])
def test_debits_have_the_same_sign_in_all_columns(debit: str, credit: str) -> None:
    rows = [f"{day};{i + 10},5{debit};{i + 20},5{credit}" for i, day in enumerate(DAYS)]
    rows[7] = f"{DAYS[7]};17,5{credit};27,5{debit}"
    rows[9] = f"{DAYS[9]};19,5{debit};29,5{debit}"
    first, second = read_text(["day;sales;costs", *rows]).series
    assert first.values[:2] == [10.5, 11.5]
    assert second.values[:2] == [-20.5, -21.5]
    assert (first.values[7], second.values[7]) == (-17.5, 27.5)


def test_a_minus_behind_a_number_is_read_before_an_unknown_unit() -> None:
    rows = [f"{day};1.{100 + i},002{'-' * (i % 2)} ST" for i, day in enumerate(DAYS)]
    assert read_text(["day;Menge", *rows]).series[0].values[:2] == [1100.002, -1101.002]
