"""A running balance has its last value where other columns are added up."""

import datetime as dt
import random
from collections.abc import Sequence
from itertools import groupby

import pytest

from app.tables.answers import Duplicates, Fill, Layout, PeriodAggregation, Summary
from tests.tables.tables import notes_of, read_text, requirements

Booking = tuple[dt.date, float, float]  # day, amount, balance after it
HEADER = "Date,Text,Amount,Balance"
FIRST = dt.date(2024, 1, 1)
ORDERS = ("oldest first", "newest first", "newest day first", "newest of a day first")
NEIGHBOURS = {
    "sales and returns": lambda i: (100 + i % 7, i % 3, 100 + i % 7 - i % 3),
    "prices that never change": lambda i: (5, 0, 10 + i % 4),
    "quantities": lambda i: (i * 37 % 11, i * 53 % 17, i * 71 % 13),
    "one more each time": lambda i: (1, i * 7 % 5, i + 3),
}


def bookings(days: int = 42, balance: float = 5_000) -> list[Booking]:
    """Return one to three bookings a day, none on every fifth."""
    numbers, made = random.Random(7), []
    for day in range(days):
        for _ in range(0 if day % 5 == 3 else 1 + day % 3):
            amount = round(numbers.uniform(-200, 210), 2)
            balance = round(balance + amount, 2)
            made.append((FIRST + dt.timedelta(day), amount, balance))
    return made


ROWS = bookings()
ROWS_BY_DAY = {day: [*rows] for day, rows in groupby(ROWS, lambda row: row[0])}


def ordered_bookings(order: str) -> list[Booking]:
    by_day = [*ROWS_BY_DAY.values()]
    if order.startswith("newest") and "of a day" not in order:
        by_day.reverse()
    is_reversed = order in ("newest first", "newest of a day first")
    return [row for rows in by_day for row in (rows[::-1] if is_reversed else rows)]


def statement(rows: Sequence[Booking] = ROWS, header: str = HEADER) -> str:
    return "\n".join(
        [header, *(f"{d},payment {i},{a:.2f},{b:.2f}" for i, (d, a, b) in enumerate(rows))]
    )


def closing_balance(first: dt.date, days: int) -> float:
    return [b for d, _, b in ROWS if d < first + dt.timedelta(days)][-1]


CLOSING = [closing_balance(FIRST + dt.timedelta(day), 1) for day in range(42)]
AMOUNTS = [
    round(sum(a for _, a, _ in ROWS_BY_DAY.get(FIRST + dt.timedelta(day), [])), 2)
    for day in range(42)
]


@pytest.mark.parametrize("order", ORDERS)
def test_a_day_has_its_last_balance_or_else_that_of_the_day_before(order: str) -> None:
    text = statement(ordered_bookings(order))
    assert requirements(read_text(text)) == ["per"]
    reading = read_text(text, per=PeriodAggregation.DAY_TOTAL)
    amount, balance = reading.series
    assert balance.values == CLOSING
    assert amount.values == pytest.approx(AMOUNTS)
    assert (amount.missing, balance.missing) == ([], [])
    assert balance.summary is Summary.AVERAGE
    assert "“Balance” is a running balance: it is not added up" in notes_of(reading)


@pytest.mark.parametrize("order", ORDERS)
def test_a_balance_that_is_read_on_its_own_is_the_same(order: str) -> None:
    text = statement(ordered_bookings(order))
    asked = read_text(text, columns=["Balance"])
    [question] = [q for q in asked.questions if q.parameter == "per"]
    assert question.question == "Several a day: take the last by day?"
    assert question.choices[0].value == "day-total"
    assert question.choices[0].meaning == "the last value of each day"
    [balance] = read_text(text, columns=["Balance"], per=PeriodAggregation.DAY_TOTAL).series
    assert balance.values == CLOSING


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("duplicates", [Duplicates.SUM, Duplicates.LAST])
def test_balances_of_a_date_are_not_added_up(order: str, duplicates: Duplicates) -> None:
    _, balance = read_text(statement(ordered_bookings(order)), duplicates=duplicates).series
    assert balance.values == [rows[-1][2] for rows in ROWS_BY_DAY.values()]


def test_weeks_end_with_their_last_balance() -> None:
    [_, balance] = read_text(statement(), per=PeriodAggregation.WEEK_TOTAL).series
    assert balance.values == [closing_balance(FIRST + dt.timedelta(7 * i), 7) for i in range(6)]


def test_a_ledger_with_a_row_a_day_has_weeks_with_their_last_balance() -> None:
    rows = [(FIRST + dt.timedelta(i), float(i % 7 - 2), 100.0 + 0) for i in range(42)]
    rows = [(d, a, 100 + sum(x for _, x, _ in rows[: i + 1])) for i, (d, a, _) in enumerate(rows)]
    reading = read_text(statement(rows), per=PeriodAggregation.WEEK_TOTAL)
    amount, balance = reading.series
    assert balance.values == [b for _, _, b in rows[6::7]]
    assert amount.values == [7.0] * 6
    single = read_text(statement(rows), columns=["Balance"], per=PeriodAggregation.WEEK_TOTAL)
    assert single.series[0].values == balance.values
    assert "Each value is the last value of a week" in notes_of(single)


def test_averages_stay_averages() -> None:
    _, balance = read_text(statement(), per=PeriodAggregation.DAY_AVERAGE).series
    of_day = [b for _, _, b in ROWS_BY_DAY[FIRST + dt.timedelta(2)]]
    assert balance.values[2] == pytest.approx(sum(of_day) / len(of_day))


def test_debits_and_credits_may_have_columns_of_their_own() -> None:
    rows = [
        f"{d};x;{max(-a, 0) or '':.6};{max(a, 0) or '':.6};{b:.2f}".replace(".", ",")
        for d, a, b in ROWS
    ]
    text = "\n".join(["Datum;Text;Soll;Haben;Saldo", *rows])
    series = read_text(text, per=PeriodAggregation.DAY_TOTAL, columns=["Saldo"]).series
    assert series[0].values == CLOSING


def test_each_account_has_a_balance_of_its_own() -> None:
    other = bookings(balance=90)
    rows = [
        f"{d},{name},{a:.2f},{b:.2f}"
        for name, of_account in (("Current", ROWS), ("Savings", other))
        for d, a, b in of_account
    ]
    text = "\n".join(["Date,Account,Amount,Balance", *rows])
    current, savings = read_text(
        text, layout=Layout.LONG, columns=["Balance"], per=PeriodAggregation.DAY_TOTAL
    ).series
    assert current.values == CLOSING
    assert savings.values == pytest.approx([balance - 4_910 for balance in CLOSING])


def test_a_balance_keeps_its_value_on_days_without_a_booking() -> None:
    days = [day for day in range(60) if day % 7 != 3]
    amounts = [float(10 + day * 7 % 23) for day in days]
    balances = [5_000 - sum(amounts[: i + 1]) for i in range(len(days))]
    rows = [
        f"{FIRST + dt.timedelta(day)},{amount},{balance}"
        for day, amount, balance in zip(days, amounts, balances, strict=True)
    ]
    reading = read_text("\n".join(["Date,Amount,Balance", *rows]), fill=Fill.ZERO)
    amount, balance = reading.series
    assert amount.values[2:5] == [amounts[2], 0, amounts[3]]
    assert balance.values[2:5] == [balances[2], balances[2], balances[3]]
    assert "Filled with zero: 16 of 118 values." in notes_of(reading)
    assert "its last value counts, also in periods without a row." in notes_of(reading)


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_other_columns_are_added_up(name: str) -> None:
    rows = [(FIRST + dt.timedelta(i // 3), *map(float, NEIGHBOURS[name](i))) for i in range(90)]
    text = "\n".join(["Date,A,B,C", *(",".join(map(str, row)) for row in rows)])
    reading = read_text(text, per=PeriodAggregation.DAY_TOTAL)
    assert "running balance" not in notes_of(reading)
    for column, series in enumerate(reading.series, 1):
        day = [row[column] for row in rows[:3]]
        assert series.values[0] == pytest.approx(sum(day))


def sparse_bookings(weekdays: int) -> list[Booking]:
    """Return one or two bookings on some days, none at weekends if ``weekdays`` is 5."""
    numbers, balance, made = random.Random(3), 500.0, []
    for day in (FIRST + dt.timedelta(n) for n in range(400)):
        for _ in range(day.weekday() < weekdays and numbers.choice((0, 0, 1, 1, 1, 1, 2))):
            amount = round(numbers.uniform(-90, 90), 2)
            balance = round(balance + amount, 2)
            made.append((day, amount, balance))
    return made


@pytest.mark.parametrize("weekdays", [5, 7])
def test_transactions_have_totals_of_months_by_one_answer(weekdays: int) -> None:
    rows = sparse_bookings(weekdays)
    asked = read_text(statement(rows))
    assert requirements(asked) == ["per"]
    assert not {q.parameter for q in asked.questions} & {"fill", "duplicates"}
    [question] = [q for q in asked.questions if q.parameter == "per"]
    assert question.question.endswith(": add them up by day; of “Balance” the last?")
    assert question.choices[0].meaning.endswith("(0 if it has none); of “Balance” the last")
    amount, balance = read_text(statement(rows), per=PeriodAggregation.MONTH_TOTAL).series
    months = {(day.year, day.month) for day, _, _ in rows}
    first = [row for row in rows if (row[0].year, row[0].month) == (2024, 1)]
    assert abs(len(amount.values) - len(months)) <= 1
    assert amount.values[0] == pytest.approx(sum(a for _, a, _ in first))
    assert balance.values[0] == first[-1][2]


def test_a_fill_may_be_answered_for_transactions_instead() -> None:
    rows = sparse_bookings(5)
    reading = read_text(statement(rows), duplicates=Duplicates.SUM, fill=Fill.ZERO)
    assert requirements(reading) == []
    [question] = [q for q in reading.questions if q.parameter == "per"]
    meanings = [choice.meaning for choice in question.choices]
    assert "the total of each month; of “Balance” the last" in meanings
    report = read_text(
        statement(rows),
        duplicates=Duplicates.SUM,
        fill=Fill.ZERO,
        per=PeriodAggregation.MONTH_TOTAL,
    )
    assert len(report.series[0].values) >= 12


def test_a_balance_on_its_own_opens_no_question_about_repeated_dates() -> None:
    rows = sparse_bookings(5)
    reading = read_text(statement(rows), columns=["Balance"], fill=Fill.PREVIOUS)
    assert "duplicates" not in [q.parameter for q in reading.questions]
    [question] = [q for q in reading.questions if q.parameter == "per"]
    assert question.question == "Weekly or monthly closing balances can be forecast, too."
    assert question.choices[0].meaning == "the last value of each week"


def test_the_other_side_of_a_booking_is_not_reported_as_missing() -> None:
    rows = ["date,debit,credit"]
    for n in range(60):
        day = f"2024-{1 + n // 28:02}-{1 + n % 28:02}"
        rows.append(f"{day},,{500 + n}" if n % 7 == 3 else f"{day},{10 + n},")
    assert "No value" not in notes_of(read_text(rows))
    assert "No value" not in notes_of(read_text(rows, columns=["debit"]))
    gap = [row.replace(",10,", ",,") for row in rows]
    assert "No value: line 2." in notes_of(read_text(gap))


def test_rows_without_a_value_are_counted_where_they_are_many() -> None:
    rows = ["date,v", *(f"2024-01-{n:02},{n if n % 4 == 0 else ''}" for n in range(1, 32))]
    assert "No value in 24 of 31 rows with a date." in notes_of(read_text(rows))


def test_debit_and_credit_are_proposed_in_the_order_of_the_table() -> None:
    rows = [
        f"{day},text {i},{f'{900 + i * i % 37},' if i % 5 else f',{1500 + i}'},{balance:.2f}"
        for i, (day, _, balance) in enumerate(ROWS)
    ]
    for pair in ("Debit,Credit", "Paid in,Paid out"):
        text = "\n".join([f"Date,Text,{pair},Balance", *rows[:44]])
        (asked,) = [q for q in read_text(text).questions if q.parameter == "columns"]
        assert [choice.value for choice in asked.choices] == [*pair.split(","), "Balance"]


@pytest.mark.parametrize(("name", "is_balance"), [("Saldo", True), ("Points", False)])
def test_a_balance_whose_days_are_not_in_order_is_known_by_its_name(
    name: str, is_balance: bool
) -> None:
    rows = [
        row
        for day, rows in ROWS_BY_DAY.items()
        for row in (rows if day.day % 3 else sorted(rows, key=lambda row: row[1]))
    ]
    reading = read_text(
        statement(rows, f"Date,Text,Amount,{name}"), per=PeriodAggregation.WEEK_TOTAL
    )
    assert (f"“{name}” is a running balance" in notes_of(reading)) is is_balance


@pytest.mark.parametrize("names", [("Giro", "Savings"), ("4711001", "4711002")])
@pytest.mark.parametrize("step", [1, -1])
def test_accounts_among_each_other_have_a_balance_each(names: tuple[str, str], step: int) -> None:
    balances, made = [5_000.0, 80.0], []
    for n in range(120):
        account = (n * n + n // 3) % 5 % 2
        amount = n * 37 % 53 - 26.25
        balances[account] += amount
        day = FIRST + dt.timedelta(n // 3)
        made.append(f"{day},{names[account]},{amount},{balances[account]},text {n}")
    reading = read_text(["Date,Account,Amount,Balance,Text", *made[::step]])
    assert reading.chosen.layout is Layout.LONG
    assert "“Balance” is a running balance" in notes_of(reading)
    chosen = read_text(
        ["Date,Account,Amount,Balance,Text", *made[::step]],
        columns=("Balance",),
        per=PeriodAggregation.DAY_TOTAL,
    )
    assert sorted(series.values[-1] for series in chosen.series) == sorted(balances)
