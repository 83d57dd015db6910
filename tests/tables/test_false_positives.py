"""Data that look like keys, signs, totals or headers, and are none: nothing of them is lost."""

import datetime as dt

import pytest

from app.tables.answers import Answers, Fill
from app.tables.header.number_columns import likely_column
from app.tables.read_table import read_table
from app.tables.reading import Reading
from tests.tables.kinds.case import to_text
from tests.tables.tables import BOUNDS, notes_of, read_text, rejection_of

DAYS = [dt.date(2024, 1, 1) + dt.timedelta(day) for day in range(60)]


def read(rows: list[str], answers: Answers | None = None, codec: str = "utf-8") -> Reading:
    return read_table("\n".join(rows).encode(codec), answers or Answers(), BOUNDS)


def names(table: Reading) -> list[str]:
    return [series.name for series in table.series]


@pytest.mark.parametrize(
    "header",
    ["Roma,Milano,Torino,Madrid", "Paid,Total", "bid,ask", "Covid,Grid", "Kino,Casino,Vino"],
)
def test_columns_whose_names_end_like_a_key_are_read(header: str) -> None:
    columns = header.split(",")
    rows = [
        f"{day}," + ",".join(str(100 + 7 * i + 13 * n) for n in range(len(columns)))
        for i, day in enumerate(DAYS)
    ]
    answers = Answers(columns=tuple(columns))
    assert names(read([f"date,{header}", *rows], answers)) == columns


def test_seconds_and_hours_are_not_debits_and_credits() -> None:
    rows = [f"{day},{i + 1} {'sh'[i % 2]}" for i, day in enumerate(DAYS)]
    table = read(["date,duration", *rows])
    assert [question.parameter for question in table.questions] == ["unit"]
    (series,) = read(["date,duration", *rows], Answers(unit="s")).series
    assert min(value for value in series.values if value is not None) > 0


@pytest.mark.parametrize(
    "name",
    ["Beløb", "Coût", "Milhões", "Verbrauch m³", "Mánuður", "Bœuf", "Umsatz München"],
)
def test_names_of_western_languages_keep_their_letters(name: str) -> None:
    rows = [f"{day};{i};{i + 5}" for i, day in enumerate(DAYS)]
    table = read([f"date;a;{name}", *rows], Answers(columns=(name,)), "cp1252")
    assert names(table) == [name]


def test_danish_saturdays_are_read() -> None:
    weekdays = ["mandag", "tirsdag", "onsdag", "torsdag", "fredag", "lørdag", "søndag"]
    rows = [f"{weekdays[day.weekday()]} {day.day}. januar 2024;{day.day}" for day in DAYS[:31]]
    (series,) = read(["dato;antal", *rows], codec="cp1252").series
    assert len(series.values) == 31


@pytest.mark.parametrize(
    ("label", "parts", "total"),
    [("Total", (0.10, 0.20), 0.15), ("Total", (0, 1), 0), ("Net result", (5.0,), 5.0)],
)
def test_a_small_number_named_total_is_not_a_sum_by_rounding(
    label: str, parts: tuple[float, ...], total: float
) -> None:
    rows = []
    for day in DAYS:
        rows += [f"{day},Part {number},{part}" for number, part in enumerate(parts)]
        rows.append(f"{day},{label},{total}")
    assert label in names(read(["date,name,value", *rows]))


@pytest.mark.parametrize("step", [1, 30])
def test_values_between_30000_and_60000_below_months_are_not_dates(step: int) -> None:
    months = [f"2024-{month:02}" for month in range(1, 13)]
    rows = [
        ",".join([f"p{n}", *(str(41_000 + 50 * n + step * i) for i in range(12))]) for n in range(3)
    ]
    table = read([",".join(["product", *months]), *rows])
    assert names(table) == ["p0", "p1", "p2"]
    assert table.series[0].timestamps[0].startswith("2024-01")


@pytest.mark.parametrize(
    ("first", "second"), [("date,sales,Page 1", "date,sales,Page 2"), ("date,sales", "date,Sales")]
)
def test_a_page_header_that_differs_in_a_page_number_cuts_off_nothing(
    first: str, second: str
) -> None:
    rows = [f"{day},{i}" + "," * (first.count(",") - 1) for i, day in enumerate(DAYS[:40])]
    (series,) = read([first, *rows[:20], second, *rows[20:]]).series
    assert len(series.values) == 40


def test_a_column_that_has_ended_is_not_chosen_before_one_with_a_clear_name() -> None:
    assert likely_column(["sales", "temperature"], [59, 39]) == 0
    assert likely_column(["Actual", "Plan"], [8, 11]) == 0
    assert likely_column(["Ist", "Umsatz Plan"], [30, 36]) == 0


def test_a_gap_that_will_be_filled_does_not_lengthen_the_step() -> None:
    rows = [f"{day},{i if i % 7 == 0 else ''},{i}" for i, day in enumerate(DAYS)]
    answers = Answers(columns=("price",), fill=Fill.PREVIOUS)
    (series,) = read(["date,price,sales", *rows], answers).series
    assert len(series.values) == 57


def test_a_group_with_a_colon_stays_in_the_names() -> None:
    rows = [f"{day},{i},{i + 1},{i + 2},{i + 3}" for i, day in enumerate(DAYS)]
    table = read([",Store: A,,Store: B,", "date,Sales,Cost,Sales,Cost", *rows])
    offered = names(table) or list(table.questions[0].choices)
    assert all("Store" in str(name) for name in offered)


def test_a_price_that_each_product_has_one_of_is_read_if_asked_for() -> None:
    rows = [
        f"{day},{name},{price},{i}"
        for i, day in enumerate(DAYS)
        for name, price in (("a", 10), ("b", 12))
    ]
    table = read(["date,product,price,units", *rows], Answers(columns=("price",)))
    assert len(names(table)) == 2


def test_a_profit_of_minus_128_is_a_value() -> None:
    rows = [f"{day},{-128 if i in (20, 40) else 5 + i}" for i, day in enumerate(DAYS)]
    (series,) = read(["date,profit", *rows]).series
    assert series.values.count(-128) == 2


@pytest.mark.parametrize("steps", [[3] * 40, [5, 2, 9, 4] * 10])
def test_followers_are_not_serial_numbers_of_dates(steps: list[int]) -> None:
    followers = [45_009 + sum(steps[:n]) for n in range(40)]
    rejection = rejection_of(
        to_text("Followers,likes", [f"{f},{n % 7}" for n, f in enumerate(followers)]).encode()
    )
    assert "no column of dates was found" in str(rejection)


@pytest.mark.parametrize("step", [1, 7])
def test_serial_numbers_a_day_or_a_week_apart_are_dates_whatever_their_name(step: int) -> None:
    rows = [f"{45_009 + step * n},{n % 7}" for n in range(40)]
    assert "Excel's serial numbers" in notes_of(read_text(to_text("Abgelesen,likes", rows)))
