"""Columns that describe rows or values are not read as series, unless they are asked for."""

import datetime as dt
import time
from collections.abc import Callable

import numpy as np
import pytest

from app.tables.answers import PeriodAggregation
from tests.tables.kinds.case import days, months, to_text
from tests.tables.tables import notes_of, read_text, requirements

DAYS = days("2024-01-01", 40)
SINCE = months(2023, 1, 24)


def names(text: str, **answers: object) -> list[str]:
    return [series.name for series in read_text(text, **answers).series]


def test_attributes_of_sdmx_are_not_values() -> None:
    rows = [
        f"{area},{day:%Y-%m},{100 + i + n},0,2015"
        for n, area in enumerate(("MEX", "POL"))
        for i, day in enumerate(SINCE)
    ]
    text = to_text("REF_AREA,TIME_PERIOD,OBS_VALUE,UNIT_MULT,BASE_PER", rows)
    assert names(text) == ["MEX", "POL"]
    assert "“UNIT_MULT” describes the values" in notes_of(read_text(text))
    assert names(text, columns=("UNIT_MULT",)) == ["MEX", "POL"]


@pytest.mark.parametrize(
    "name", ["QN_3", "QN", "temp_qc", "TEMP_ATTRIBUTES", "Quality flag", "Qualitätsniveau"]
)
def test_grades_of_quality_are_not_values(name: str) -> None:
    rows = [f"{day},{3 if i % 9 else 1},{10 + i % 7}" for i, day in enumerate(DAYS)]
    text = to_text(f"date,{name},TMK", rows)
    assert names(text) == ["TMK"]
    assert f"“{name}” says how good the values are" in notes_of(read_text(text))
    assert names(text, columns=(name,)) == [name]


@pytest.mark.parametrize("name", ["LATITUDE", "lon", "Elevation"])
def test_the_place_of_a_station_is_not_a_series(name: str) -> None:
    rows = [f"{day},-73.96925,{10 + i % 7}" for i, day in enumerate(DAYS)]
    text = to_text(f"date,{name},TMK", rows)
    assert names(text) == ["TMK"]
    assert f"“{name}” describes the values" in notes_of(read_text(text))


def test_the_places_of_a_track_are_read() -> None:
    rows = [f"{day},{47.1 + i / 10:.1f},{10 + i % 7}" for i, day in enumerate(DAYS)]
    assert names(to_text("date,Latitude,speed", rows)) == ["Latitude", "speed"]


@pytest.mark.parametrize("name", ["PAN Suffix", "Card Last Four Digits", "last4"])
def test_the_last_digits_of_cards_are_not_values(name: str) -> None:
    rows = [f"{day},{4242 + i * 37 % 5000},{10 + i % 7}.5" for i, day in enumerate(DAYS)]
    text = to_text(f"date,{name},Total", rows)
    assert names(text) == ["Total"]
    assert names(text, columns=(name,)) == [name]


@pytest.mark.parametrize(
    "name", ["Quality", "QA hours", "Flags raised", "Decimals sold", "Sleep quality"]
)
def test_values_that_are_named_alike_are_read(name: str) -> None:
    rows = [f"{day},{i % 5},{10 + i % 7}" for i, day in enumerate(DAYS)]
    assert names(to_text(f"date,{name},TMK", rows)) == [name, "TMK"]


def test_a_quality_of_many_values_is_read() -> None:
    rows = [f"{day},{i * 7 % 40},{10 + i % 7}" for i, day in enumerate(DAYS)]
    assert names(to_text("date,QN,TMK", rows)) == ["QN", "TMK"]


@pytest.mark.parametrize(
    "cells",
    [["<1", ">2420"], ["n.n.", "4"], ["<0,2", "0,7"], ["ND", "<5", "12"]],
)
def test_a_column_of_limits_and_words_is_named_as_not_read(cells: list[str]) -> None:
    rows = [f"{day};{10 + i % 7};{cells[i * i % len(cells)]}" for i, day in enumerate(DAYS)]
    message = notes_of(read_text(to_text("Datum;Nitrat;E. coli", rows)))
    assert "“E. coli”" in message


@pytest.mark.parametrize(
    ("name", "codes"),
    [("BwA", (601, 602)), ("Movement Type (MvT)", (601, 602)), ("MvT", (261, ""))],
)
def test_codes_of_a_short_table_are_not_values(name: str, codes: tuple) -> None:
    rows = [f"{day},{codes[i % 2]},{10 + i * i % 7}" for i, day in enumerate(DAYS[:18])]
    assert names(to_text(f"Date,{name},Tonnes", rows)) == ["Tonnes"]


@pytest.mark.parametrize(
    ("header", "accounts"),
    [
        ("Datum;Konto;Betrag;Text", (8400, 10001)),
        ("JournalCode;EcritureDate;CompteNum;Debit", (607, 512)),
    ],
)
def test_accounts_of_a_ledger_are_not_values(header: str, accounts: tuple[int, int]) -> None:
    rows = [
        f"{day};{accounts[i * i % 3 > 0]};{10 + i * i % 7},50;T{i}" for i, day in enumerate(DAYS)
    ]
    if header.startswith("Journal"):
        rows = [f"VT;{row.rpartition(';')[0]}" for row in rows]
    reading = read_text(to_text(header, rows))
    assert "has codes" in notes_of(reading)
    assert len(reading.chosen.columns or ()) == 1


@pytest.mark.parametrize("name", ["sales_no", "revenue_id", "orders_phone"])
def test_numbers_in_no_order_are_values_though_they_are_named_like_keys(name: str) -> None:
    rows = [f"{day},{1000 + i * 7919 % 997},{10 + i % 7}" for i, day in enumerate(DAYS)]
    assert names(to_text(f"date,{name},visits", rows)) == [name, "visits"]


@pytest.mark.parametrize(
    ("name", "step"), [("No. of subscribers", 3), ("Number of orders", 3), ("Line 1 output", 1)]
)
def test_counts_that_grow_steadily_are_values(name: str, step: int) -> None:
    rows = [f"{day},{1000 + i * step},{10 + i % 7}" for i, day in enumerate(DAYS)]
    assert names(to_text(f"date,{name},visits", rows)) == [name, "visits"]


def test_what_is_the_same_in_each_row_is_said() -> None:
    rows = [f"{day},Berlin,17,{10 + i % 7}" for i, day in enumerate(DAYS)]
    text = notes_of(read_text(to_text("date,shop,shop no,sales", rows)))
    assert "the same in each row: “shop” (Berlin), “shop no” (17)" in text


@pytest.mark.parametrize("name", ["Code", "Type", "Pos.", "Order no"])
def test_numbers_that_may_be_codes_are_not_proposed_before_others(name: str) -> None:
    rows = [f"{day},{1 + i * i % 3},{10 + i * i % 7}" for i, day in enumerate(DAYS)]
    (asked,) = read_text(to_text(f"Date,{name},Tonnes", rows)).questions
    assert [choice.value for choice in asked.choices] == ["Tonnes", name]


def test_columns_of_words_are_not_named_as_not_read() -> None:
    rows = [f"{day},{10 + i % 7},{'yes' if i % 3 else 'no'}" for i, day in enumerate(DAYS)]
    assert "Not read" not in notes_of(read_text(to_text("date,sales,promo", rows)))


@pytest.mark.parametrize("name", ["Lp.", "序号", "N° ordre", "Pos."])
@pytest.mark.parametrize("number", ["{}", "{}.", "{:04}"])
def test_numbers_of_rows_are_not_values(name: str, number: str) -> None:
    numbers = [number.format(i) for i in range(1, 41)]
    for ordered in (numbers, numbers[::-1]):
        rows = [
            f"{n};{day};{10 + i % 7}" for i, (n, day) in enumerate(zip(ordered, DAYS, strict=True))
        ]
        text = to_text(f"{name};date;sales", rows, "Total;;520")
        assert names(text) == ["sales"]
        assert f"“{name}” numbers the rows" in notes_of(read_text(text))
        assert names(text, columns=(name,)) == [name]


def test_rows_are_numbered_through_rows_without_a_date() -> None:
    rows = [f"{i},{'closed' if i % 7 == 5 else day},{10 + i % 9}" for i, day in enumerate(DAYS, 1)]
    assert names(to_text("Item,date,sales", rows)) == ["sales"]


def test_many_numbers_behind_their_dates_are_not_values() -> None:
    rows = [f"{day},{i},{10 + i % 7}" for i, day in enumerate(DAYS, 1)]
    assert names(to_text("date,line,sales", rows)) == ["sales"]


def test_counts_that_grow_by_one_are_values_if_a_row_differs_or_no_others_are() -> None:
    rows = [f"{day},{i + (i > 20)},{10 + i % 7}" for i, day in enumerate(DAYS, 1)]
    assert names(to_text("date,customers,sales", rows)) == ["customers", "sales"]
    few = to_text(
        "date,customers,sales", [f"{day},{i},{i % 7}" for i, day in enumerate(DAYS[:20], 1)]
    )
    assert names(few) == ["customers", "sales"]
    assert names(to_text("date,customers", [f"{d},{i}" for i, d in enumerate(DAYS, 1)])) == [
        "customers"
    ]


def daily_payments(id_of: Callable[[int], int], count: int = 90) -> list[str]:
    dates = [dt.date(2026, 1, 1) + dt.timedelta(n // 3 + n // 9) for n in range(count)]
    return ["Time,订单号,Amount", *(f"{day},{id_of(n)},{n % 7}.50" for n, day in enumerate(dates))]


@pytest.mark.parametrize("digits", [8, 12, 28])
def test_long_numbers_that_differ_in_each_booking_are_not_values(digits: int) -> None:
    rows = daily_payments(lambda n: 10 ** (digits - 1) + n * n * 7919)
    reading = read_text(rows, per=PeriodAggregation.DAY_TOTAL)
    assert [series.name for series in reading.series] == ["Amount"]
    assert "Not read: “订单号” has another number in each row." in notes_of(reading)


def test_large_amounts_by_day_are_values_though_all_differ() -> None:
    rows = [
        f"{dt.date(2026, 1, 1) + dt.timedelta(n)},{n % 9},{10**9 + n * n * 7919}" for n in range(90)
    ]
    reading = read_text(["day,visits,bytes", *rows])
    assert [series.name for series in reading.series] == ["visits", "bytes"]


def test_bytes_at_regular_times_are_values_however_many_digits_they_have() -> None:
    rows = [f"{day},{2 * 10**15 + i * i * 10**12},{i % 9}" for i, day in enumerate(DAYS)]
    assert names(to_text("date,bytes_stored,clients", rows)) == ["bytes_stored", "clients"]


def test_hundreds_of_columns_of_ids_are_read_quickly() -> None:
    numbers = np.random.default_rng(1).integers(10**15, 10**16, (12, 200))
    rows = [f"2026-01-{n:02},{','.join(map(str, row))}" for n, row in enumerate(numbers, 1)]
    start = time.process_time()
    read_text([f"date,{','.join(f'c{n}' for n in range(200))}", *rows])
    assert time.process_time() - start < 5


def test_short_codes_with_a_text_for_each_are_not_values() -> None:
    kinds = [(162, "PKORTTIMAKSU"), (106, "TILISIIRTO"), (730, "PALVELUMAKSU")]
    dates = [dt.date(2026, 1, 1) + dt.timedelta(n // 3 + n // 9) for n in range(90)]
    rows = [
        f"{day};-{n % 7},50;{kinds[n * n % 3][0]};{kinds[n * n % 3][1]}"
        for n, day in enumerate(dates)
    ]
    reading = read_text(
        ["Kirjauspäivä;Määrä EUROA;Laji;Selitys", *rows], per=PeriodAggregation.DAY_TOTAL
    )
    assert "Laji" not in {series.name for series in reading.series}


@pytest.mark.parametrize("start", [0, 88210])
def test_records_of_a_logger_number_the_rows_from_any_start(start: int) -> None:
    rows = [f"{day},{start + i + (i > 20)},{10 + i % 7}" for i, day in enumerate(DAYS)]
    assert names(to_text("date,RECORD,level", rows)) == ["level"]
    assert names(to_text("date,members,level", rows)) == ["members", "level"]
    assert names(to_text("date,RECORD,level", rows[:25])) == ["RECORD", "level"]


def test_a_constant_code_or_a_constant_beside_names_is_not_a_series() -> None:
    rows = [f"{day},1,{10 + i % 7}" for i, day in enumerate(DAYS)]
    assert names(to_text("date,Pos.,sales", rows)) == ["sales"]
    assert names(to_text("date,price,sales", rows)) == ["price", "sales"]
    rows_of_shops = [f"{shop},{row}" for shop in "AB" for row in rows]
    reading = read_text(to_text("counter,date,status,bicycles", rows_of_shops))
    assert (reading.chosen.columns, requirements(reading)) == (["bicycles"], [])
    assert "“status” is the same in each row" in notes_of(reading)


@pytest.mark.parametrize(
    ("unit", "epoch"), [(86_400, "1899-12-30"), (1, "1970-01-01"), (0.001, "1970-01-01")]
)
@pytest.mark.parametrize("hours_ahead", [0, 2])
def test_the_dates_in_days_or_seconds_since_an_epoch_are_not_values(
    unit: float, epoch: str, hours_ahead: int
) -> None:
    times = [dt.datetime(2026, 10, 20) + dt.timedelta(hours=n) for n in range(60)]
    start = dt.datetime.fromisoformat(epoch) + dt.timedelta(hours=hours_ahead)
    rows = [f"{moment},{(moment - start).total_seconds() / unit},{moment.hour}" for moment in times]
    assert names(to_text("Date Time,Date Time(RAW),Traffic", rows)) == ["Traffic"]


def test_counts_that_grow_with_the_hours_are_values() -> None:
    times = [dt.datetime(2026, 10, 20) + dt.timedelta(hours=n) for n in range(60)]
    rows = [f"{moment},{5000 + 3600 * n},{n % 7}" for n, moment in enumerate(times)]
    assert names(to_text("time,meter,Traffic", rows)) == ["meter", "Traffic"]


@pytest.mark.parametrize("direction", [1, -1])
def test_a_balance_of_many_digits_is_a_value_though_it_differs_in_each_row(direction: int) -> None:
    dates = [dt.date(2026, 1, 1) + dt.timedelta(n // 3 + n // 9) for n in range(90)]
    changes = [(n * 7919) % 4001 - 1500 for n in range(90)]
    balances = np.cumsum([12_345_678, *changes[1:]])
    rows = [f"{day},{c},{b}" for day, c, b in zip(dates, changes, balances, strict=True)]
    reading = read_text(["date,amount,balance", *rows[::direction]])
    assert reading.chosen.columns == ["amount", "balance"]


def test_weeks_and_years_of_a_business_are_not_values() -> None:
    weeks = [52, *range(1, 53), *range(1, 30)]
    starts = days("2024-02-03", 7 * len(weeks))[::7]
    years = [2023 + sum(week == 1 for week in weeks[: i + 1]) for i in range(len(weeks))]
    rows = [f"{d},{y},{w},{400 + w % 7}" for d, y, w in zip(starts, years, weeks, strict=True)]
    reading = read_text(to_text("week ending,FY,Wk,sales", rows))
    assert [series.name for series in reading.series] == ["sales"]
    assert "“Wk” repeats a part of the dates" in notes_of(reading)
