"""Numbers as people write them: read as they were meant, or asked about."""

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.tables.answers import DecimalMark
from app.tables.numbers.number_parts import STEPS, NumberParts, number_parts
from app.tables.numbers.parsing import is_missing, value_of
from app.tables.reading import Reading
from tests.tables.tables import notes_of, read_text, requirements

# What is between thousands and before decimals, and around a number.
STYLES = {
    "English": (",", ".", "{}"),
    "German": (".", ",", "{} €"),
    "French": ("\u202f", ",", "{} %"),
    "Swiss": ("’", ".", "CHF {}"),
    "plain": ("", ".", "${}"),
}
WHOLE_NUMBERS = ["825", "975", "700", "850", "100", "375", "25", "50", "925", "550"]


def column(cells: list[str], **answers: object) -> Reading:
    return read_text([f"{2000 + i}-01-01\t{cell}" for i, cell in enumerate(cells)], **answers)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1.480,50", "1.000"], [1480.5, 1000]),
        (["1,480.50", "1,000"], [1480.5, 1000]),
        (["1.480", "0,5"], [1480, 0.5]),
        (["0.480", "1.480"], [0.48, 1.48]),
        (["1480.123"], [1480.123]),
        (["12,5", "1,480"], [12.5, 1.48]),
        (["1.234.567", "1.480"], [1234567, 1480]),
        (["1 234,5", "1\u202f234,5", "1\u00a0234,5"], [1234.5] * 3),
        (["1'234.5", "1’234.5"], [1234.5] * 2),
        (["€ 1,5", "1,5 €", "-€1,5", "EUR 1,5", "−1,5"], [1.5, 1.5, -1.5, 1.5, -1.5]),
        (["12 %", "3%"], [12, 3]),
        (["(12.5)", "+3"], [-12.5, 3]),
        (["1e5", "1.5E-3"], [1e5, 1.5e-3]),
        ([".5", "5."], [0.5, 5]),
        (["12k", "1.5M", "2 bn"], [12_000, 1.5e6, 2e9]),
        (["1,5 Mio", "12 Tsd."], [1.5e6, 12_000]),
    ],
)
def test_numbers_are_read_as_they_were_meant(cells: list[str], values: list[float]) -> None:
    assert column(cells).series[0].values == values


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        (["\\1,234.5", "￥1,234.5", "1,234.5￥", "＄1,234.5", "￦1,234.5", "￡ 1,234.5"], 1234.5),
        (["１，２３４．５", "￥１，２３４．５", "ر.س 1,234.5", "1,234.5 ر.س.\u200f"], 1234.5),
        (["-\\1,234.5", "－１，２３４．５", "(￥1,234.5)", "￥-1,234.5", "△￥1,234.5"], -1234.5),
        (["د.إ 1,234.50", "đ1,234.5", "Q 1,234.50", "Q1,234.50", "L 1,234.50"], 1234.5),
        (["1,234.5#", "1,234.5*", "1,234.5 †"], 1234.5),
        (["Bs. 1.234,50", "Gs. 1.234,5", "KM 1.234,50", "1.234,5 đ", "1.234,50 KM"], 1234.5),
    ],
)
def test_signs_before_and_after_are_read(cells: list[str], value: float) -> None:
    for cell in cells:
        read = {value_of(cell, mark) for mark in DecimalMark} - {None}
        assert read == {value}, cell


def test_each_step_to_a_bare_number_has_an_example() -> None:
    for part, form, rest, example in STEPS:
        assert form.sub(rest, example) != example
        assert not part or getattr(number_parts(example), part)
    assert number_parts("(12)").number == number_parts("12-").number == "-12"
    assert number_parts("EUR -$12").number == number_parts("kr-lei12").number == "-12"
    for cell, number in {"1,5 Mio. €": "1,5", "(1,5 Mio. €)": "-1,5"}.items():
        assert number_parts(cell) == NumberParts(number, "", " €", 1e6, "Mio")


@pytest.mark.parametrize("cell", ["Q1", "Q1.24", "L1", "Q1 24", "KM", "Bs.", "\\"])
def test_names_and_quarters_that_begin_like_an_amount_are_not_numbers(cell: str) -> None:
    assert all(value_of(cell, mark) is None for mark in DecimalMark)


def test_codes_for_missing_values_are_recognized() -> None:
    holes = ["", "NA", "n/a", "NaN", "-", "null", "#N/A", "k.A.", "…", "\\N"]
    assert [is_missing(cell) for cell in [*holes, "0", "7", "none left"]] == [True] * 10 + [
        False
    ] * 3


@pytest.mark.parametrize(
    ("write", "mark"),
    [
        (lambda n: f"{n / 1000:.3f}", DecimalMark.COMMA),  # of thousands: 1.000 and 200
        (lambda n: f"{n / 1000:.3f}".replace(".", ","), DecimalMark.POINT),
    ],
)
def test_the_mark_with_which_columns_add_up_is_not_asked(
    write: Callable[[int], str], mark: DecimalMark
) -> None:
    rows = [
        f"{2000 + i}-01-01\t{write(1000 + 13 * i)}\t{write(1200 + 17 * i)}\t{200 + 4 * i}"
        for i in range(20)
    ]
    reading = read_text(["date\tplan\tactual\tvariance", *rows])
    assert requirements(reading) == []
    assert reading.chosen.decimal is mark
    assert [series.values[1] for series in reading.series] == [1013, 1217, 204]
    shifted = [row.replace("\t2", "\t3", 1) for row in rows]
    assert requirements(read_text(["date\tplan\tactual\tother", *shifted])) == ["decimal"]


@pytest.mark.parametrize(("cell", "thousand"), [("1.480", "comma"), ("12,345", "point")])
def test_a_thousand_that_may_be_a_decimal_is_asked_with_both(cell: str, thousand: str) -> None:
    reading = column(["950", cell, "720"])
    assert requirements(reading) == ["decimal"]
    assert reading.series == []
    assert f"Line 2: “{cell}” may have a thousands separator or a decimal mark" in notes_of(reading)
    whole = float(cell.replace(".", "").replace(",", ""))
    reading = column([cell], decimal=DecimalMark(thousand))
    assert reading.series[0].values == [whole]
    assert f"{DecimalMark(thousand).other.capitalize()}s read as thousands separators." in notes_of(
        reading
    )
    decimal = column([cell], decimal=DecimalMark(thousand).other)
    assert decimal.series[0].values == [whole / 1000]
    assert decimal.questions[0].required is False


@pytest.mark.parametrize(
    ("months", "is_english"),
    [("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", True), ("jan feb mrt apr mei jun", False)],
)
def test_english_months_say_that_a_comma_groups_thousands(months: str, is_english: bool) -> None:
    rows = [f'{month}-19,"{104 + 3 * i},{327 + i}"' for i, month in enumerate(months.split())]
    reading = read_text(["Month,Sales", *rows])
    assert requirements(reading) == ([] if is_english else ["decimal"])
    if is_english:
        assert reading.series[0].values[:2] == [104327, 107328]


def test_another_column_of_the_same_hand_shows_the_mark() -> None:
    text = "day;price;units\n" + "\n".join(
        f"2024-01-0{day};{day},50;1.48{day}" for day in (1, 2, 3)
    )
    reading = read_text(text)
    assert requirements(reading) == []
    assert reading.series[1].values == [1481, 1482, 1483]
    assert reading.chosen.decimal == "comma"


def test_a_column_of_whole_numbers_has_the_mark_of_the_others() -> None:
    rows = [f"2024-{month:02}-01\t{100 + month}\t{73 + month},5" for month in range(1, 13)]
    reading = read_text(["Month\tParis\tLyon", *rows])
    assert [form["decimal"] for form in reading.notation.number_forms] == [DecimalMark.COMMA] * 2
    assert reading.chosen.decimal is DecimalMark.COMMA


def test_a_letter_behind_one_number_is_not_the_unit_of_all() -> None:
    rows = [f"2024-01-{day:02},{'8l' if day == 9 else 70 + day}" for day in range(1, 31)]
    assert read_text(["Day,Sold", *rows]).notation.number_forms[0]["after"] == ""


def test_marks_that_contradict_each_other_open_a_question() -> None:
    assert requirements(column(["1.5", "1,5"])) == ["decimal"]
    reading = column(["1.5", "1,5"], decimal=DecimalMark.COMMA)
    assert reading.series[0].values == [1.5]
    assert "Left out line 1: “1.5” is not a number." in notes_of(reading)


@pytest.mark.parametrize("cell", ["twelve", "1.48.0", "1e999", "1e101", "9" * 100, "--3"])
def test_a_cell_that_is_not_a_number_is_left_out_and_named(cell: str) -> None:
    reading = column(["1", cell, "3"])
    assert reading.series[0].values == [1, 3]
    assert f"Left out line 2: “{cell[:29]}" in notes_of(reading)


@given(st.floats(-1e9, 1e9).filter(lambda value: abs(value) >= 0.01), st.sampled_from(DecimalMark))
def test_a_number_with_its_mark_named_comes_back(value: float, mark: DecimalMark) -> None:
    written = f"{value:,.2f}".translate(str.maketrans(",.", mark.other.character + mark.character))
    assert value_of(written, mark) == float(f"{value:.2f}")


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@given(cents=st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=8))
def test_numbers_of_each_country_are_read_without_a_question(
    style: tuple[str, str, str], cents: list[int]
) -> None:
    assume(cents[-1] != 0)  # a first zero at the end is asked about
    group, mark, around = style
    numbers = [f"{abs(value) / 100:,.2f}".replace(".", "#") for value in cents]
    numbers = [number.replace(",", group).replace("#", mark) for number in numbers]
    signed = ["-" * (value < 0) + number for value, number in zip(cents, numbers, strict=True)]
    reading = column([around.format(number) for number in signed])
    assert reading.series[0].values == [value / 100 for value in cents]
    assert reading.questions == []
    assert reading.notation.number_forms[0]["decimals"] == 2


@pytest.mark.parametrize(
    ("marked", "asks"),
    [
        (["3.500", "1.000"], []),
        (["3.500-", "1.000-"], []),
        (["3,500", "1,250"], []),
        (["3.500"], ["decimal"]),
        (["3.512", "1.000"], ["decimal"]),
    ],
)
def test_zeros_at_the_end_beside_whole_numbers_show_thousands(
    marked: list[str], asks: list[str]
) -> None:
    reading = column([*WHOLE_NUMBERS, *marked])
    assert requirements(reading) == asks
    if not asks:
        assert max(map(abs, reading.series[0].values)) == 3500


@pytest.mark.parametrize(
    "whole", [["12", "25", "30", "41", "15", "22", "18", "19", "35", "9"], WHOLE_NUMBERS]
)
def test_weights_with_decimals_beside_whole_ones_open_a_question(whole: list[str]) -> None:
    assert requirements(column([*whole[:9], "3.500", "7.255"])) == ["decimal"]
