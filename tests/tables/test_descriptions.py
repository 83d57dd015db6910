"""The columns beside the names of a table with months side by side come back with its forecasts."""

from collections.abc import Sequence

import pytest

from app.tables.forecasts.read import read_to_forecast
from app.tables.forecasts.types import TableToForecast
from app.tables.results import Answers, Layout
from tests.tables.tables import BOUNDS

MONTHS = [f"2023-{month:02}" for month in range(1, 13)]


def table_of(columns: Sequence[str], rows: Sequence[Sequence[str]], layout: Layout | None = None):
    values = ",".join(str(100 + i) for i in range(12))
    lines = [",".join([*columns, *MONTHS]), *(",".join([*row, values]) for row in rows)]
    table = read_to_forecast("\n".join(lines).encode(), Answers(layout=layout), BOUNDS, True)
    assert isinstance(table, TableToForecast)
    return table


@pytest.mark.parametrize("layout", [None, Layout.PIVOT, Layout.LONG])
def test_each_name_has_its_descriptions_and_the_sum_has_none(layout: Layout | None) -> None:
    rows = [("A-1", "Red", "Tools"), ("A-2", "Blue", "Tools"), ("B-1", "Green", "Toys")]
    table = table_of(["SKU", "Description", "Group"], rows, layout)
    assert table.style.names_header == "SKU"
    assert table.style.description_headers == ("Description", "Group")
    described = {series.name: tuple(series.descriptions) for series in table.series}
    assert described == {sku: (text, group) for sku, text, group in rows} | {"all": ("", "")}


def test_a_text_that_all_names_share_describes_none() -> None:
    table = table_of(["SKU", "Currency"], [("A-1", "EUR"), ("A-2", "EUR")])
    assert table.style.description_headers == ()
    assert all(not series.descriptions for series in table.series)


def test_an_empty_description_stays_empty() -> None:
    table = table_of(["SKU", "Text"], [("A-1", "Red"), ("A-2", ""), ("A-3", "Blue")])
    assert [*map(tuple, (series.descriptions for series in table.series[:3]))] == [
        ("Red",),
        ("",),
        ("Blue",),
    ]


def test_one_series_of_all_rows_has_no_descriptions() -> None:
    rows = [("A-1", "Red"), ("A-2", "Blue")]
    assert table_of(["SKU", "Text"], rows, Layout.COLUMNS).style.description_headers == ()


def test_numbers_of_items_and_texts_of_names_stay_in_a_long_table() -> None:
    rows = [
        f"{shop},{number},{city},{'open' if month % 2 else ''},EUR,2023-{month:02}-01,{month}"
        for shop, number, city in (("a", "10045", "Rome"), ("b", "10048", "Bern"))
        for month in range(1, 13)
    ]
    content = "\n".join(["Shop,Number,City,Note,Currency,Month,Sales", *rows]).encode()
    table = read_to_forecast(content, Answers(), BOUNDS, False)
    assert isinstance(table, TableToForecast)
    assert table.style.names_header == "Shop"
    assert table.style.description_headers == ("Number", "City")
    assert [*map(tuple, (series.descriptions for series in table.series))] == [
        ("10045", "Rome"),
        ("10048", "Bern"),
    ]
