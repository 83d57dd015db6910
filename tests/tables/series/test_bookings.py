"""Bookings, several on some days and none on others: one question, no keys among the values."""

import datetime as dt

import pytest

from app.tables.answers import DecimalMark, Duplicates, Fill, Layout, PeriodAggregation
from tests.tables.kinds.case import to_text
from tests.tables.tables import notes_of, read_text, requirements

MATERIALS = {"10004711": "Hose", "10004745": "O-ring", "10004802": "Filter"}
MONTHS = PeriodAggregation.MONTH_TOTAL
FIRST = dt.date(2025, 1, 1)


def bookings() -> list[tuple[str, dt.date, int]]:
    """Material, day and quantity of a year, the first of the last material on 2 January."""
    booked = []
    for shift, material in enumerate(MATERIALS):
        for day in (FIRST + dt.timedelta(n) for n in range(365)):
            # Two on one day of five, one on another, none on the others.
            count = (day.toordinal() * 7 + shift) % 5 - 2 if day > FIRST or shift < 2 else 0
            booked += [(material, day, 1000 + day.day + shift)] * count
    return booked


def movements() -> str:
    """Return a list of SAP: signs behind numbers, whole quantities beside amounts with decimals."""
    rows = [
        f"|{material}|{MATERIALS[material]}|{261 + (n % 9 == 0)}|{day:%d.%m.%Y}"
        f"|{4900117001 + 3 * n}|{quantity / 1000:.3f}-|ST|{quantity % 900},{n % 90 + 10}-|EUR|"
        for n, (material, day, quantity) in enumerate(bookings())
    ]
    header = "|Material|Materialkurztext|BwA|Buch.dat.|Mat.Beleg|Menge|EME|Betrag|Währg|"
    return to_text(header, rows)


def test_bookings_are_asked_only_by_per() -> None:
    assert requirements(read_text(movements())) == ["per"]
    reading = read_text(movements(), per=MONTHS)
    assert requirements(reading) == []
    total = -sum(quantity for _, _, quantity in bookings())
    assert [(s.name, len(s.values)) for s in reading.series] == [("Menge", 12), ("Betrag", 12)]
    assert sum(reading.series[0].values) == total


def test_numbers_of_materials_movements_and_vouchers_are_not_values() -> None:
    message = notes_of(read_text(movements()))
    for text in (
        "“Material” has one number for each text",
        "“BwA” has codes",
        "“Mat.Beleg” numbers the rows",
    ):
        assert f"Not read: {text}." in message


def test_a_column_of_keys_that_is_asked_for_is_read() -> None:
    reading = read_text(movements(), columns=("Mat.Beleg",), per=MONTHS)
    assert [series.name for series in reading.series] == ["Mat.Beleg"]


@pytest.mark.parametrize("name", ["Energy total Wh", "Bytes"])
def test_counters_of_many_digits_are_values(name: str) -> None:
    rows = [f"{FIRST + dt.timedelta(n)},{123456789 + 4321 * n},{n % 7}" for n in range(60)]
    reading = read_text(to_text(f"date,{name},visits", rows))
    assert [series.name for series in reading.series] == [name, "visits"]


def test_orders_that_grow_are_values_and_an_order_is_not() -> None:
    rows = [f"{FIRST + dt.timedelta(n)},{10234 + 3 * n},{n % 7}" for n in range(60)]
    assert len(read_text(to_text("date,orders,visits", rows)).series) == 2
    assert len(read_text(to_text("date,order,visits", rows)).series) == 1


def test_columns_that_are_not_wanted_decide_the_decimal_mark() -> None:
    reading = read_text(movements(), columns=("Menge",), per=MONTHS)
    assert (requirements(reading), reading.chosen.decimal) == ([], DecimalMark.COMMA)


def test_a_month_of_a_series_that_began_a_day_later_is_whole() -> None:
    answers = {"layout": Layout.LONG, "columns": ("Menge",), "per": MONTHS}
    read = read_text(movements(), **answers).series
    for material, series in zip(MATERIALS, read, strict=True):
        own = [quantity for booked, _, quantity in bookings() if booked == material]
        assert (len(series.values), sum(series.values)) == (12, -sum(own))


def long_table(*firsts: int, days: int = 120) -> list[str]:
    """Return a series for each of the days on which one begins, counted from 1 January."""
    rows = [
        f"{name};{FIRST + dt.timedelta(n)};{n % 7 + 3}"
        for name, first in zip("ABCDE", firsts, strict=False)
        for n in range(first - 1, days)
    ]
    return ["item;date;qty", *rows]


def test_points_of_incomplete_months_are_counted_in_every_series() -> None:
    text = notes_of(read_text(long_table(1, 2), per=MONTHS))
    assert "Left out: 30 points of incomplete months (2025-01-01) in B." in text
    text = notes_of(read_text(long_table(15, 20, 1, 20, 2), per=MONTHS))
    assert "Left out: 71 points of incomplete months (2025-01-01) in A, B, D and 1 more." in text


def test_a_long_table_filled_with_zero_reaches_back_to_its_first_date() -> None:
    series = read_text(long_table(1, 2, 60), fill=Fill.ZERO).series
    assert [s.timestamps[0][:10] for s in series] == ["2025-01-01", "2025-01-01", "2025-03-01"]
    assert [s.values[:2] for s in series[:2]] == [[3, 4], [0, 4]]


def test_a_series_with_a_step_of_its_own_gets_no_zeros_between_its_values() -> None:
    rows = [f"A;{FIRST + dt.timedelta(n)};{n % 7 + 3}" for n in range(120)]
    rows += [f"B;{FIRST + dt.timedelta(7 * n + 1)};{n % 7 + 3}" for n in range(16)]
    _, weekly = read_text(["item;date;qty", *rows], fill=Fill.ZERO, layout=Layout.LONG).series
    assert (weekly.data_frequency, 0 in weekly.values) == ("Weekly", False)


def test_daily_values_with_a_few_corrections_and_gaps_are_not_bookings() -> None:
    there = [n for n in range(200) if n % 40]
    second = [n for n in there if n % 50 == 1]
    rows = [f"{FIRST + dt.timedelta(n)},{n % 7 + 3}" for n in sorted([*there, *second])]
    assert requirements(read_text(to_text("date,sales", rows))) == ["duplicates"]


def test_rows_of_items_that_lack_most_days_open_a_question_by_per() -> None:
    days = [FIRST + dt.timedelta(n) for n in range(300)]
    rows = [
        f"{day},{'ABCDEFG'[(n * n * 3 + 2 * also) % 7]},{n % 9 + 1}"
        for n, day in enumerate(days)
        for also in (0, 1)
    ]
    reading = read_text(to_text("date,item,qty", rows))
    asked = [question.question for question in reading.questions if question.parameter == "per"]
    assert asked == ["The dates are irregular: add them up by day?"]


def test_series_with_longer_steps_of_their_own_are_not_called_irregular() -> None:
    rows = [f"{FIRST + dt.timedelta(n)},A,{n % 7 + 3}" for n in range(140)]
    rows += [
        f"{FIRST + dt.timedelta(7 * n + shift)},{name},{n + 3}"
        for shift, name in enumerate("BCDEFGH")
        for n in range(20)
    ]
    reading = read_text(to_text("date,item,qty", rows), layout=Layout.LONG)
    assert "irregular" not in notes_of(reading)


def test_a_counter_beside_regular_times_is_a_value_and_a_voucher_is_not() -> None:
    rows = [f"{FIRST + dt.timedelta(n)},{123456789 + 17 * n},{n % 7}" for n in range(60)]
    assert len(read_text(to_text("date,energy_wh,visits", rows)).series) == 2
    assert len(read_text(to_text("date,Nr dokumentu,visits", rows)).series) == 1


def bank_statement(column: str = "Customer") -> str:
    """Return bookings of a year with whom they were, most of whom have few."""
    amounts = (-88_412.17, 90_123.45, -1_704.08, 12.3, -250.99)
    days = [FIRST + dt.timedelta(n) for n in range(365) for _ in range(n * 7 % 5 - 2)]
    rows = [f"{day},Shop {n * n % 61},{amounts[n % 5]}" for n, day in enumerate(days)]
    return to_text(f"Date,{column},Amount", rows)


@pytest.mark.parametrize("answers", [{}, {"fill": Fill.ZERO}])
def test_bookings_of_all_payees_added_up_lack_no_month(answers: dict[str, object]) -> None:
    added_up = {"layout": Layout.COLUMNS, "duplicates": Duplicates.SUM}
    text = bank_statement()
    assert requirements(read_text(text, **added_up)) == ["per"]
    reading = read_text(text, per=MONTHS, **added_up, **answers)
    [series] = reading.series
    assert [question.parameter for question in reading.questions if question.required] == []
    assert (len(series.values), series.missing) == (12, [])
    assert "illed" not in notes_of(reading)


def test_bookings_of_all_payees_are_one_series_without_an_answer() -> None:
    assert requirements(read_text(bank_statement("Payee"))) == ["per"]
    [series] = read_text(bank_statement("Payee"), per=MONTHS).series
    assert len(series.values) == 12


def test_a_total_of_large_amounts_that_nearly_cancel_is_rounded() -> None:
    [series] = read_text(bank_statement(), layout=Layout.COLUMNS, per=MONTHS).series
    assert series.values == [round(value, 2) for value in series.values]


def test_bookings_of_every_other_day_are_asked_only_by_per() -> None:
    steps = [3, 1, 0, 0, 2, 2, 1, 1, 3, 2, 1, 3] * 5
    days = [FIRST + dt.timedelta(sum(steps[:n])) for n in range(len(steps))]
    table = to_text("day,amount", [f"{day},{n}" for n, day in enumerate(days)])
    assert requirements(read_text(table)) == ["per"]
    [series] = read_text(table, per=PeriodAggregation.DAY_TOTAL).series
    assert (sum(series.values), len(series.values)) == (sum(range(60)), (days[-1] - FIRST).days + 1)


@pytest.mark.parametrize(
    "labels",
    [
        [f"Closing balance 2024-{month:02}" for month in range(1, 7)],
        ["Opening balance", *["Stock"] * 4, "Closing balance"],
    ],
)
def test_a_list_of_balances_or_levels_keeps_its_first_and_last_row(labels: list[str]) -> None:
    rows = [f"2024-{n + 1:02}-01,{label},{100.5 + n} EUR" for n, label in enumerate(labels)]
    [series] = read_text(["Date,Kind,Amount", *rows]).series
    assert series.values == [100.5 + n for n in range(6)]
