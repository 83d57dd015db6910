"""Numbers of entries, such as tickets, are not values, whatever their column is called."""

import datetime as dt

import pytest

from app.tables.answers import PeriodAggregation
from tests.tables.kinds.case import days, to_text
from tests.tables.tables import notes_of, read_text, rejection_of, requirements

DAYS = days("2026-07-06", 60)
DAY_OF = [DAYS[i * 2 // 3] for i in range(90)]  # of 90 entries, two on every other day
IDS = [402116 + 2 * i + i % 2 for i in range(90)]
NAMES = [
    "Løbenr.", "Løpenr.", "Fakturanr.", "Löpnr", "Verifikationsnr", "N.º documento", "Nr dokumentu",
    "Číslo dokladu", "Volgnr.", "Bizonylatszám", "N. registrazione",
]  # fmt: skip
TICKETS = [
    f"OPS-{i},{24544 + i},{day:%d/%b/%y} {1 + i * 5 % 9}:{i * 7 % 60:02} AM"
    for i, day in enumerate(DAY_OF)
]


def ledger(name: str, ids: list[int]) -> str:
    pairs = zip(DAY_OF, ids, strict=True)
    rows = [f"{day};{10 + i * 7 % 11};{n}" for i, (day, n) in enumerate(pairs)]
    return to_text(f"Dato;Antal;{name}", rows)


def read_names(text: str, **answers: object) -> list[str]:
    return [*(read_text(text, **answers).chosen.columns or ())]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("step", [1, -1])
def test_numbers_that_grow_with_the_rows_are_not_added_up(name: str, step: int) -> None:
    text = ledger(name, IDS[::step])
    assert read_names(text) == ["Antal"]
    assert f"“{name}” numbers the rows" in notes_of(read_text(text))


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_entries_are_read_if_they_are_chosen(name: str) -> None:
    assert read_names(ledger(name, IDS), columns=(name,)) == [name]


def test_entries_that_were_recorded_late_are_numbered_all_the_same() -> None:
    ids = [*IDS]
    ids[20], ids[50] = ids[50], ids[20]
    assert read_names(ledger("Číslo dokladu", ids)) == ["Antal"]


def test_numbers_that_do_not_grow_are_values() -> None:
    assert read_names(ledger("Poser", [400 + i * 37 % 97 for i in range(90)])) == ["Antal", "Poser"]


def test_a_balance_that_only_grows_is_a_value() -> None:
    amounts = [1 + i * 7 % 11 for i in range(90)]
    rows = [
        f"{day};{n};{1000 + sum(amounts[: i + 1])}"
        for i, (day, n) in enumerate(zip(DAY_OF, amounts, strict=True))
    ]
    assert read_names(to_text("Dato;Beløb;Saldo", rows)) == ["Beløb", "Saldo"]


def test_a_meter_that_is_read_each_hour_is_a_value() -> None:
    rows = [
        f"{day} {hour:02}:00,{10000 + 24 * i + hour}"
        for i, day in enumerate(DAYS)
        for hour in range(24)
    ]
    [series] = read_text(to_text("time,reading", rows)).series
    assert series.values[0] == 10000


def test_values_that_grow_for_each_name_are_read() -> None:
    rows = [
        f"{day};{shop};{first + i}"
        for shop, first in (("Aarhus", 1000), ("Odense", 2000))
        for i, day in enumerate(DAYS)
    ]
    reading = read_text(to_text("Dato;Butik;Medlemmer", rows))
    assert [series.name for series in reading.series] == ["Aarhus", "Odense"]


@pytest.mark.parametrize("name", ["Issue id", "ID", "Ticket ID", "Ticket", "Issue number"])
@pytest.mark.parametrize("step", [1, -1])
def test_tickets_are_counted_and_not_their_ids_added_up(name: str, step: int) -> None:
    rejection = rejection_of(to_text(f"Issue key,{name},Created", TICKETS[::step]).encode())
    assert f"only “{name}” has numbers, which number the rows" in str(rejection)
    assert "add a column that is 1 in each row" in str(rejection)


def test_ids_of_tickets_that_are_chosen_are_read() -> None:
    text = to_text("Issue key,Issue id,Created", TICKETS)
    assert requirements(read_text(text, columns=("Issue id",))) == ["per"]
    assert read_names(text, columns=("Issue id",)) == ["Issue id"]


def test_ids_in_no_order_are_recognized_by_their_name() -> None:
    ids = [10000 + i * 7919 % 89_989 for i in range(90)]
    rejection = rejection_of(
        to_text("Dato;Fakturanr.", [f"{d};{n}" for d, n in zip(DAY_OF, ids, strict=True)]).encode()
    )
    assert "“Fakturanr.” has numbers, which number the rows" in str(rejection)


def with_codes(name: str, codes: list[str]) -> str:
    days_of_codes = days("2026-07-06", len(codes))
    rows = [
        f"{day};{i % 9 + 1};{code}"
        for i, (day, code) in enumerate(zip(days_of_codes, codes, strict=True))
    ]
    return to_text(f"Dato;Antal;{name}", rows)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("Transaktionscode", [f"{41588783985738215 + 7919 * i}X" for i in range(40)]),
        ("Ref", [f"{41588783985738215 + 7919 * i % 999}{'BKM'[i % 3]}" for i in range(40)]),
        ("Ref", [f"{100000 + 7919 * i}A" for i in range(40)]),
        ("StockCode", [f"{71053 + 1201 * (i % 7)}{'B' * (i % 7 == 3)}" for i in range(40)]),
        ("StockCode", [["85123A", "71053", "84406B", "POST"][i % 4] for i in range(40)]),
        ("Seat", [f"{1 + i * 7 % 40}B" for i in range(40)]),
        ("Place", [f"{1 + i * 7 % 40}{'ABC'[i % 3]}" for i in range(40)]),
    ],
)
def test_codes_with_a_letter_at_the_end_are_not_numbers(name: str, codes: list[str]) -> None:
    reading = read_text(with_codes(name, codes))
    assert requirements(reading) == []
    assert [series.name for series in reading.series] == ["Antal"]
    assert f"Not read: “{name}”" in notes_of(reading)


@pytest.mark.parametrize("name", ["InvoiceNo", "invoice_no", "Invoice No", "orderId"])
def test_the_invoices_of_a_shop_are_no_values(name: str) -> None:
    rows = [
        f"{536365 + i // 3},{i % 9 + 1},2026-03-{1 + i // 15:02} 9:{i % 60:02}" for i in range(300)
    ]
    reading = read_text([f"{name},Quantity,InvoiceDate", *rows], per=PeriodAggregation.DAY_TOTAL)
    assert [series.name for series in reading.series] == ["Quantity"]
    assert f"Not read: “{name}” numbers the rows." in notes_of(reading)


@pytest.mark.parametrize("letters", ["M", "B", "KM", "A", "CD", "W"])
def test_multiples_and_units_of_one_letter_are_read(letters: str) -> None:
    codes = [f"{10 + i * 7 % 40}{letters[i % len(letters)]}" for i in range(40)]
    assert "Value" in read_names(with_codes("Value", codes))


@pytest.mark.parametrize("name", ["members", "totalCount", "user_count"])
def test_a_level_that_is_recorded_at_uneven_times_is_a_value(name: str) -> None:
    start = dt.datetime(2026, 1, 1)
    times = [start + dt.timedelta(seconds=20_000 * i + 997 * i * i % 7001) for i in range(60)]
    holds = name == "members"
    rows = [
        f"{time},{i % 7},{345 + (i * 2 // 3 if holds else i + i // 4)}"
        for i, time in enumerate(times)
    ]
    assert read_names(to_text(f"timestamp,local,{name}", rows)) == ["local", name]


def test_entries_with_several_rows_are_numbered_all_the_same() -> None:
    start = dt.datetime(2026, 1, 1)
    rows = [
        f"{start + dt.timedelta(seconds=9_000 * (i * 2 // 3))},{i % 7},{1200 + i * 2 // 3}"
        for i in range(90)
    ]
    assert read_names(to_text("time,pieces,Bon", rows)) == ["pieces"]
