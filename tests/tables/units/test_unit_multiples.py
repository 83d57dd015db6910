"""Multiples of one unit in a column are converted, and never mixed with others."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest

from app.tables.errors import WrongAnswerError
from app.tables.reading import Suggestion
from tests.tables.tables import notes_of, read_text, requirements

DAYS = [date(2026, 8, 1) + timedelta(day) for day in range(60)]
NUMBERS = [900 + day * 37 % 141 for day in range(60)]


def switch(unit: str, multiple: str, size: int = 1000) -> Callable[[int], str]:
    """Return how a number is written: beyond 1,000 in the multiple."""
    return lambda n: f"{n} {unit}" if n < 1000 else f"{n / size:.6f} {multiple}"


def column(write: Callable[[int], str], **answers: object):
    rows = [f"{day},{write(n)}" for day, n in zip(DAYS, NUMBERS, strict=True)]
    return read_text(["Day,Load", *rows], **answers)


@pytest.mark.parametrize(
    ("unit", "multiple", "size"),
    [
        ("MiB", "GiB", 1024),
        ("kB/s", "MB/s", 1000),
        ("KWH", "MWh", 1000),
        ("g", "kg", 1000),
        ("ml", "l", 1000),
        ("ms", "s", 1000),
        ("min", "h", 60),
        ("万円", "億円", 10_000),
        ("Mil", "Bil", 1000),
        ("mm", "cm", 10),
        ("mm", "m", 1000),
        ("bytes", "kB", 1000),
        ("bits", "Mbit", 1_000_000),
    ],
)
def test_multiples_of_a_unit_are_converted_to_the_most_frequent(
    unit: str, multiple: str, size: int
) -> None:
    reading = column(switch(unit, multiple, size))
    assert requirements(reading) == []
    assert reading.series[0].values == pytest.approx(NUMBERS, rel=1e-6)
    assert reading.notation.number_forms[0]["after"] == f" {unit}"
    assert f"In “Load”, values are converted: 1 {multiple} is {size:,} {unit}." in notes_of(reading)


def test_b_beside_other_byte_units_does_not_mean_billions() -> None:
    reading = column(switch("B", "kB"))
    assert reading.series[0].values == pytest.approx(NUMBERS, rel=1e-6)
    assert reading.notation.number_forms[0]["after"] == " B"


@pytest.mark.parametrize("unit", ["m", "mW", "MW", "g", "kWh", "Flaschen"])
def test_a_unit_with_one_letter_of_the_wrong_size_is_that_of_the_others(unit: str) -> None:
    odd = unit.swapcase()
    reading = column(lambda n: f"{n} {odd if n == NUMBERS[7] else unit}")
    assert requirements(reading) == []
    assert reading.series[0].values == NUMBERS
    is_of_size = unit in ("kWh", "Flaschen")  # KwH and fLASCHEN can be nothing else
    remark = f"“{NUMBERS[7]} {odd}” is read as {NUMBERS[7]} {unit}, like the others; check it."
    assert (remark in notes_of(reading)) != is_of_size


@pytest.mark.parametrize(
    ("name", "write", "unit"),
    [
        ("Load", lambda n: f"{n}m" if n < 1000 else f"{n / 1000:.6f}km", 1),
        ("Rain", lambda n: f"{n} mm", 1),
        ("Rain", lambda n: f"{n}mm", 1),
        ("Depth", lambda n: f"{n}m", 1),
        ("Load", lambda n: f"{n}m", 1_000_000),
        ("Load", lambda n: f"${n}mm", 1_000_000),
    ],
)
def test_m_means_millions_only_where_nothing_is_measured(
    name: str, write: Callable[[int], str], unit: int
) -> None:
    rows = [f"{day},{write(n)}" for day, n in zip(DAYS, NUMBERS, strict=True)]
    reading = read_text([f"Day,{name}", *rows])
    assert reading.series[0].values == pytest.approx([n * unit for n in NUMBERS])
    read = f"In “{name}”, “{write(900)}” is read as 900,000,000."
    assert (read in notes_of(reading)) == (unit > 1)


def test_three_decimals_of_a_multiple_are_not_read_as_thousands() -> None:
    reading = column(lambda n: f"{n} g" if n < 1000 else f"{n / 1000:.3f} kg")
    assert reading.series[0].values == pytest.approx(NUMBERS)


def test_the_answered_unit_is_that_of_all_values() -> None:
    reading = column(switch("g", "kg"), unit="kg")
    assert reading.series[0].values == pytest.approx([n / 1000 for n in NUMBERS])


@pytest.mark.parametrize(
    ("write", "unit"),
    [
        (lambda n: f"{n}" if n < 1000 else f"{n / 1000:.6f} kW", 1),
        (lambda n: f"{n} K" if n < 1000 else f"{n / 1000:.6f} Mil", 1000),
        (lambda n: f"{n}M" if n < 1000 else f"{n / 1000:.6f}G", 1_000_000),
        (lambda n: f"{n}M" if n < 1000 else f"{n / 1000:.6f}MM", 1000),
        (lambda n: f"{n} k" if n < 1000 else f"{n / 1000:.6f} mil", 1000),
        (lambda n: f"{n}" if n < 1000 else f"{n / 1000:.6f} mil", 1),
        (lambda n: f"{n}" if n < 1000 else f"{n / 1000:.6f} B", 1),  # Turkish bin
    ],
)
def test_numbers_without_a_unit_are_not_mixed_with_multiples(
    write: Callable[[int], str], unit: int
) -> None:
    assert column(write).series[0].values == pytest.approx([n * unit for n in NUMBERS])


def test_numbers_without_a_unit_have_the_unit_of_numbers_of_their_size() -> None:
    reading = column(lambda n: f"{n / 100} kg" if n % 2 else f"{n / 100}")
    assert reading.series[0].values == [n / 100 for n in NUMBERS]


def test_numbers_without_a_unit_are_left_out_beside_several_except_zeros() -> None:
    def write(n: int) -> str:
        return "0" if n == 1000 else f"{n}" if n % 10 == 7 else switch("ml", "l")(n)

    reading = column(write, fill="linear")
    count = sum(n % 10 == 7 for n in NUMBERS)
    assert f"Left out in “Load”: {count} values in another unit." in notes_of(reading)
    assert "not numbers" not in notes_of(reading)
    assert reading.series[0].original_count == len(NUMBERS) - count


def test_units_that_are_not_multiples_open_a_question() -> None:
    assert requirements(column(switch("lb", "kg"))) == ["unit"]


def two_columns(first: Callable[[int], str], second: Callable[[int], str], **answers: object):
    rows = [f"{day},{first(n)},{second(n)}" for day, n in zip(DAYS, NUMBERS, strict=True)]
    return read_text(["Day,Flour,Milk", *rows], **answers)


def test_a_column_without_the_answered_unit_is_converted_by_its_own() -> None:
    flour, milk = two_columns(switch("g", "kg"), switch("ml", "l"), unit="g").series
    assert flour.values == milk.values == pytest.approx(NUMBERS)


def test_a_column_without_the_answered_unit_is_left_out_if_its_own_are_mixed() -> None:
    reading = two_columns(
        lambda n: f"{n} EUR" if n % 2 else f"{n} $", switch("lb", "l"), unit="EUR"
    )
    assert [series.name for series in reading.series] == ["Flour"]
    assert reading.series[0].values == [n for n in NUMBERS if n % 2]
    [remark] = [remark for remark in reading.remarks if remark.code == "column_not_read"]
    assert remark.remark == "Not read: “Milk” has values in lb, l."
    advice = "To read it, name only it in `columns`."
    assert remark.suggestion == Suggestion("columns", "Milk", advice)


def test_several_units_open_a_question_although_another_column_is_converted() -> None:
    reading = two_columns(switch("g", "kg"), switch("lb", "l"))
    assert requirements(reading) == ["unit"]


def test_a_unit_that_no_column_has_is_named_as_wrong() -> None:
    with pytest.raises(WrongAnswerError) as error:
        column(switch("g", "kg"), unit="EUR")
    assert error.value.issue == "no column has values in this unit; send one of: g, kg"
