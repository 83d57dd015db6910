"""Amounts without signs get those that the words beside them say."""

import datetime as dt
import random

import pytest

from app.tables.answers import DecimalMark, Layout, PeriodAggregation
from tests.tables.kinds.case import to_text
from tests.tables.tables import notes_of, read_text, requirements

Booking = tuple[dt.date, float, bool]  # day, amount without its sign, whether it came in
MONTHS = PeriodAggregation.MONTH_TOTAL
DAYS = range(1, 29)  # of a month
TEXTS = ("Rent", "Shop", "Fuel", "Phone", "Salary", "Dinner", "Train")


def bookings(days: int = 91) -> list[Booking]:
    """Return none to three bookings a day, from January to March."""
    numbers, made = random.Random(7), []
    for day in range(days):
        for _ in range(numbers.choice((0, 1, 1, 2, 3))):
            is_in = numbers.random() < 0.2
            amount = round(numbers.uniform(500, 900) if is_in else numbers.uniform(2, 200), 2)
            made.append((dt.date(2024, 1, 1) + dt.timedelta(day), amount, is_in))
    return made


BOOKED = bookings()


def net(month: int) -> float:
    return round(sum(a if is_in else -a for day, a, is_in in BOOKED if day.month == month), 2)


NET = [net(month) for month in (1, 2, 3)]


def statement(out: str, into: str, name: str = "Type", amount_name: str = "Amount") -> str:
    rows = [
        f"{day};{TEXTS[n * n % 11 % len(TEXTS)]};{into if is_in else out};{amount:.2f}".replace(
            ".", ","
        )
        for n, (day, amount, is_in) in enumerate(BOOKED)
    ]
    return to_text(f"Date;Text;{name};{amount_name}", rows)


@pytest.mark.parametrize(
    ("name", "out", "into"),
    [
        ("Af Bij", "Af", "Bij"),
        ("Transaction Type", "debit", "credit"),
        ("Dr / Cr", "DR", "CR"),
        ("D/C", "D", "C"),
        ("Soll/Haben-Kennzeichen", "S", "H"),
        ("Tipo", "Cargo", "Abono"),
        ("Sens", "Débit", "Crédit"),
        ("Segno", "Dare", "Avere"),
        ("Natureza", "Débito", "Crédito"),
        ("Natureza", "D", "C"),
        ("入出金区分", "出金", "入金"),
        ("貸借", "借", "貸"),
        ("收/支", "支出", "收入"),
        ("Typ", "Obciążenie", "Uznanie"),
        ("Тип", "Расход", "Приход"),
        ("Direction", "Out", "In"),
        ("Type", "Expense", "Income"),
        ("Type", "Money out", "Money in"),
        ("Type", "refund", "charge"),
        ("Belegart", "Gutschrift", "Rechnung"),
        ("Sign", "-", "+"),
    ],
)
def test_amounts_that_went_out_are_not_added_to_those_that_came_in(
    name: str, out: str, into: str
) -> None:
    text = statement(out, into, name)
    assert requirements(read_text(text)) == ["per"]
    reading = read_text(text, per=MONTHS)
    assert [(s.name, s.values) for s in reading.series] == [("Amount", NET)]
    assert f"In “Amount”, “{out}” of “{name}” is read as minus." in notes_of(reading)


def test_one_booking_a_day_of_each_kind_makes_no_series_of_each() -> None:
    once = {(day, is_in): amount for day, amount, is_in in BOOKED}
    rows = [f"{d},{'Credit' if is_in else 'Debit'},{a}" for (d, is_in), a in once.items()]
    reading = read_text(to_text("Date,Type,Amount", rows), per=MONTHS)
    total = sum(amount if is_in else -amount for (_, is_in), amount in once.items())
    assert [s.name for s in reading.series] == ["Amount"]
    assert sum(reading.series[0].values) == pytest.approx(total)


def test_reversals_have_the_other_sign_and_other_rows_are_left_out() -> None:
    reversed_amount, left_out = [amount for _, amount, is_in in BOOKED if not is_in][20:22]
    text = statement("Expense", "Income")
    for amount, written in ((reversed_amount, "Expense;-"), (left_out, "Transfer;")):
        number = f"{amount:.2f}".replace(".", ",")
        text = text.replace(f"Expense;{number}", f"{written}{number}")
    reading = read_text(text, per=MONTHS)
    expected = sum(NET) + 2 * reversed_amount + left_out
    assert sum(reading.series[0].values) == pytest.approx(expected)
    assert "Left out 1 with “Transfer”: neither in nor out." in notes_of(reading)


@pytest.mark.parametrize(
    "header", ["Date;Text;Type;Amount", "Date;Text;Payment method;Amount", "Date;Text;Type;People"]
)
def test_words_that_are_no_direction_of_money_change_nothing(header: str) -> None:
    out, into = ("Out", "In") if "People" in header else ("Debit", "Credit")
    rows = statement(out, into).splitlines()[1:]
    if "People" in header:
        rows = [row.partition(",")[0] for row in rows]
    if header.endswith("Type;Amount"):  # the amounts have their signs
        rows = [row.replace("Debit;", "Debit;-") for row in rows]
    reading = read_text(to_text(header, rows), per=MONTHS)
    assert "as minus" not in notes_of(reading)


@pytest.mark.parametrize(
    ("name", "out", "into"), [("Direction", "Out", "In"), ("Type", "Expense", "Income")]
)
def test_both_directions_side_by_side_on_each_date_stay_two_series(
    name: str, out: str, into: str
) -> None:
    rows = [
        f"{2020 + month // 12}-{month % 12 + 1:02},{word},{month * 7 % 31 + 20}"
        for month in range(36)
        for word in (into, out)
    ]
    reading = read_text(to_text(f"Month,{name},Amount", rows))
    assert [s.name for s in reading.series] == [into, out]
    assert min(reading.series[1].values) > 0


def test_other_names_have_series_of_signed_amounts() -> None:
    reading = read_text(statement("Cargo", "Abono"), layout=Layout.LONG, per=MONTHS)
    assert {s.name for s in reading.series} < {*TEXTS}
    assert sum(map(sum, (s.values for s in reading.series))) == pytest.approx(sum(NET))


def test_codes_beside_amounts_get_no_signs() -> None:
    booked = statement("S", "H").split("\n")[1:]
    rows = [f"{row};{4400 + n % 3 * 20}" for n, row in enumerate(booked)]
    reading = read_text(to_text("Datum;Text;Soll/Haben;Umsatz;Konto", rows))
    assert reading.chosen.decimal is DecimalMark.COMMA
    assert "In “Umsatz”, “S” of “Soll/Haben” is read as minus." in notes_of(reading)


def with_balance(header: str, *, is_reversed: bool = False, sign: int = 1) -> str:
    """Return a statement with a balance, and words for the directions if the header has three."""
    balance, rows = 1000.0, []
    for day, amount, is_in in BOOKED:
        balance += sign * (amount if is_in else -amount)
        word = ["ZZ" if is_in else "YY"] if header.count(",") > 2 else []
        rows.append(",".join([str(day), *word, f"{amount:.2f}", f"{balance:.2f}"]))
    return to_text(header, rows[::-1] if is_reversed else rows)


@pytest.mark.parametrize(
    "reversal", ["$ -20.00", "$-20.00", "-$20.00", "$ 20.00-", "($20.00)", "USD -20"]
)
def test_a_reversal_has_its_minus_before_or_after_the_currency(reversal: str) -> None:
    amounts = {day: f"$ {100 + day:.2f}" for day in range(1, 29)} | {15: reversal}
    rows = [
        f"2024-01-{day:02},{amount},{'debit' if day % 2 else 'credit'}"
        for day, amount in amounts.items()
    ]
    [series] = read_text(["Date,Amount,Type", *rows]).series
    assert series.values[12:16] == [-113.0, 114.0, 20.0, 116.0]


@pytest.mark.filterwarnings("error")
def test_a_direction_without_amounts_leaves_those_of_the_other_as_they_are() -> None:
    rows = [f"2024-01-{day:02},{'debit,' if day % 3 else f'credit,{day}.50'}" for day in DAYS]
    [series] = read_text(["Date,Type,Amount", *rows]).series
    assert series.values == [day + 0.5 for day in DAYS if day % 3 == 0]


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("header", ["Date,Kind,Amount,Balance", "Date,Amount,Balance"])
def test_the_changes_of_a_balance_show_signs_without_words(header: str, is_reversed: bool) -> None:
    reading = read_text(with_balance(header, is_reversed=is_reversed), per=MONTHS)
    has_words = header.count(",") > 2
    first = BOOKED[0][1] * (1 if BOOKED[0][2] else -1)
    expected = sum(NET) - (0 if has_words else first)
    assert sum(reading.series[0].values) == pytest.approx(expected)
    assert len(reading.series[1].values) == 3
    assert ("“YY” of “Kind” is read as minus" in notes_of(reading)) is has_words


def test_a_balance_that_debits_raise_has_credits_as_minus() -> None:
    text = with_balance("Date,Dr/Cr,Amount,Balance", sign=-1)
    text = text.replace("YY", "Dr").replace("ZZ", "Cr")
    reading = read_text(text, per=MONTHS)
    assert "In “Amount”, “Cr” of “Dr/Cr” is read as minus." in notes_of(reading)
    assert sum(reading.series[0].values) == pytest.approx(-sum(NET))


def test_letters_of_debit_and_credit_need_no_name_and_balances_are_no_bookings() -> None:
    rows = [f"{day:02}.01.2024;fee;{10 + n},50;{'SH'[n % 2]}" for n, day in enumerate(DAYS)]
    ends = ["01.01.2024;Anfangssaldo;900,00;H", "28.01.2024;Endsaldo;800,00;H"]
    reading = read_text(["Buchungstag;Text;Umsatz; ", *rows, *ends])
    assert reading.series[0].values == [(10.5 + n) * (-1) ** (n + 1) for n in range(len(DAYS))]
    assert "Left out “Anfangssaldo”: a balance, and no change of it." in notes_of(reading)


def test_letters_above_empty_rows_name_no_columns_of_a_statement() -> None:
    rows = [f"{day:02}.01.2024;{10 + n},50+;{20 - n},50-" for n, day in enumerate(DAYS)]
    reading = read_text(["Betrag in EUR:;von:;bis:", "", "", "Buchungstag;Soll;Haben", *rows])
    assert {s.name: s.values[0] for s in reading.series} == {"Soll": 10.5, "Haben": -20.5}


@pytest.mark.parametrize("letters", ["AB", "DA"])
def test_letters_that_may_be_branches_are_no_directions_without_a_name(letters: str) -> None:
    rows = [f"{day:02}.01.2024;{letters[n % 2]};{10 + n},50 EUR" for n, day in enumerate(DAYS)]
    reading = read_text(["Datum;;Betrag", *rows])
    assert all(value > 0 for series in reading.series for value in series.values)
