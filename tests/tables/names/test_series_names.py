"""Columns that name the series of rows, in tables of very many series."""

import datetime as dt
import random
from dataclasses import replace

import pytest

from app.tables.answers import Duplicates, Layout, PeriodAggregation
from app.tables.errors import UnreadableTableError
from tests.tables.tables import BOUNDS, read_text, requirements

Pair = tuple[str, str]
MANY_SERIES = replace(BOUNDS, max_series=2_000)


def panel(series: int, days: int = 10) -> list[str]:
    """Return a long table of complete series."""
    rows = (
        f"store {n},2024-01-{day:02},{n + day}" for n in range(series) for day in range(1, days + 1)
    )
    return ["store,day,sales", *rows]


def purchases(customers: int) -> list[str]:
    """Return several customers a day, each of whom bought on a few days only."""
    rows = (
        f"2024-01-{1 + (7 * n + 3 * k) % 28:02},c{n},{n + k}"
        for n in range(customers)
        for k in range(3)
    )
    return ["day,customer,amount", *rows]


def test_more_than_500_complete_series_are_series_where_the_bounds_allow_them() -> None:
    reading = read_text(panel(600), MANY_SERIES)
    assert (len(reading.series), reading.chosen.layout) == (600, Layout.LONG)


def test_series_beyond_the_bounds_are_rejected_with_the_bound() -> None:
    with pytest.raises(UnreadableTableError, match="send at most 2,000 series"):
        read_text(panel(2_001), MANY_SERIES)


def test_customers_with_a_few_purchases_each_are_series_only_if_answered() -> None:
    reading = read_text(purchases(600), MANY_SERIES, duplicates=Duplicates.SUM)
    assert [series.name for series in reading.series] == ["amount"]
    assert len(read_text(purchases(600), MANY_SERIES, layout=Layout.LONG).series) == 600


def statement(seed: int, column: str = "Text") -> list[str]:
    """Return half a year of bookings, two at most on a weekday, of shops and of one-off names."""
    draw = random.Random(seed)
    days = (dt.date(2025, 1, 2) + dt.timedelta(n) for n in range(180))
    rows = [f"Datum;{column};Betrag"]
    for day in (day for day in days if day.weekday() < 5):
        for _ in range(draw.choice((0, 1, 1, 2))):
            shop = f"Shop {draw.randrange(20)}" if draw.random() < 0.7 else f"TWINT {len(rows)}"
            rows.append(f"{day:%d.%m.%Y};{shop};-{draw.uniform(5, 200):.2f}")
    return rows


@pytest.mark.parametrize("seed", range(6))
def test_texts_of_payments_name_no_series(seed: int) -> None:
    reading = read_text(statement(seed))
    assert reading.chosen.layout is Layout.COLUMNS
    assert requirements(reading) == ["per"]
    total = read_text(statement(seed), per=PeriodAggregation.DAY_TOTAL).series
    amounts = [float(row.split(";")[2]) for row in statement(seed)[1:]]
    assert [sum(series.values) for series in total] == [pytest.approx(sum(amounts))]


def test_texts_of_payments_name_series_if_that_is_answered() -> None:
    reading = read_text(statement(1), layout=Layout.LONG)
    assert reading.notation.names == "Text"


def test_articles_that_are_seldom_sold_are_series() -> None:
    draw = random.Random(1)
    days = [dt.date(2025, 1, 1) + dt.timedelta(n) for n in range(120)]
    articles = [f"{day},Part {n},{n + 1}" for day in days for n in draw.sample(range(40), 4)]
    assert read_text(["day,what,pieces", *articles]).chosen.layout is Layout.LONG
    shops = [f"{day},{name},{day.day}" for name in "AB" for day in days[::2]]
    assert read_text(["day,what,pieces", *shops]).chosen.layout is Layout.LONG


@pytest.mark.parametrize(
    ("codes", "named"),
    [
        (("S11", "S12"), ("Berlin", "Hamburg")),
        (("AB-110", "AB-112"), ("Red bicycle", "Blue bicycle")),
        (("DE", "FR"), ("Germany", "France")),
        (("01", "02"), ("北京", "上海")),
    ],
)
def test_names_in_words_are_those_of_the_series_beside_codes(codes: Pair, named: Pair) -> None:
    rows = [
        f"2024-01-{day:02},{code},{name},{day + n}"
        for day in range(1, 13)
        for n, (code, name) in enumerate(zip(codes, named, strict=True))
    ]
    for columns in ("store_id,store_name", "store,store_id"):
        parts = [row.split(",") for row in rows]
        ordered = [
            ",".join([d, *((c, n) if columns[:6] == "store_" else (n, c)), v])
            for d, c, n, v in parts
        ]
        reading = read_text([f"date,{columns},sales", *ordered])
        assert [series.name for series in reading.series] == [*named]


@pytest.mark.parametrize(
    "codes", [("001-A", "002-A"), ("0L", "1L"), ("10K", "20K"), ("12 A", "13 B")]
)
@pytest.mark.parametrize("kept", [1, 2])
def test_products_of_digits_and_letters_are_names_and_not_added_up(codes: Pair, kept: int) -> None:
    rows = [
        f"2024-01-{day:02},{code},{10 * day + n}"
        for day in range(1, 29)
        for n, code in enumerate(codes)
        if day % 3 < kept + n
    ]
    reading = read_text(["date,product,qty", *rows])
    assert {series.name for series in reading.series} == {*codes}


@pytest.mark.parametrize("name", ["size", "load"])
def test_sizes_with_a_unit_are_values_though_few_differ(name: str) -> None:
    rows = [f"2024-01-{day:02},{day % 3 + 1}0K,{day}" for day in range(1, 29)]
    assert read_text([f"date,{name},n", *rows]).chosen.columns == [name, "n"]
