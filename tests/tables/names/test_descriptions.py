"""The columns beside the names of a table with months side by side come back with its forecasts."""

from collections.abc import Sequence

import pytest

from app.tables.answers import Layout
from tests.tables.tables import table_to_forecast

MONTHS = [f"2023-{month:02}" for month in range(1, 13)]


def table_of(columns: Sequence[str], rows: Sequence[Sequence[str]], layout: Layout | None = None):
    values = ",".join(str(100 + i) for i in range(12))
    lines = [",".join([*columns, *MONTHS]), *(",".join([*row, values]) for row in rows)]
    return table_to_forecast("\n".join(lines).encode(), layout=layout, includes_sum=True)


@pytest.mark.parametrize("layout", [None, Layout.PIVOT, Layout.LONG])
def test_each_name_has_its_descriptions_and_the_sum_has_none(layout: Layout | None) -> None:
    rows = [("A-1", "Red", "Tools"), ("A-2", "Blue", "Tools"), ("B-1", "Green", "Toys")]
    table = table_of(["SKU", "Description", "Group"], rows, layout)
    assert [*table.style.text_headers] == ["SKU", "Description", "Group"]
    assert [tuple(series.texts) for series in table.series] == [*rows, ("all", "", "")]


def test_a_text_that_all_names_share_describes_none() -> None:
    table = table_of(["SKU", "Currency"], [("A-1", "EUR"), ("A-2", "EUR")])
    assert [*table.style.text_headers] == ["SKU"]
    assert [*table.series[0].texts] == ["A-1"]


def test_an_empty_description_stays_empty() -> None:
    table = table_of(["SKU", "Text"], [("A-1", "Red"), ("A-2", ""), ("A-3", "Blue")])
    texts = [tuple(series.texts) for series in table.series[:3]]
    assert texts == [("A-1", "Red"), ("A-2", ""), ("A-3", "Blue")]


def test_one_series_of_all_rows_has_no_descriptions() -> None:
    rows = [("A-1", "Red"), ("A-2", "Blue")]
    assert table_of(["SKU", "Text"], rows, Layout.COLUMNS).style.text_headers == ()


def test_numbers_of_items_and_texts_of_names_stay_in_a_long_table() -> None:
    rows = [
        f"{shop},{number},{city},{'open' if month % 2 else ''},EUR,2023-{month:02}-01,{month}"
        for shop, number, city in (("a", "10045", "Rome"), ("b", "10048", "Bern"))
        for month in range(1, 13)
    ]
    content = "\n".join(["Shop,Number,City,Note,Currency,Month,Sales", *rows]).encode()
    table = table_to_forecast(content)
    assert [*table.style.text_headers] == ["Shop", "Number", "City"]
    texts = [tuple(series.texts) for series in table.series]
    assert texts == [("a", "10045", "Rome"), ("b", "10048", "Bern")]


def long_table(values: str) -> bytes:
    rows = [
        f"{shop},{sku},{text},2023-{month:02}-01{values}"
        for shop in ("Centro", "Sul")
        for sku, text in (("DIP-500", "Dipirona"), ("PAR-750", "Paracetamol"))
        for month in range(1, 13)
    ]
    return "\n".join(["loja,sku,nome,data,vendas,preço", *rows]).encode()


def test_names_stay_in_their_two_columns_and_the_sum_is_in_the_first() -> None:
    table = table_to_forecast(long_table(",5,2"), columns=("vendas",), includes_sum=True)
    assert [*table.style.text_headers] == ["loja", "sku", "nome"]
    assert table.series[0].name == "Centro · DIP-500"
    assert [*table.series[0].texts] == ["Centro", "DIP-500", "Dipirona"]
    assert [*table.series[-1].texts] == ["all", "", ""]


def test_names_of_two_columns_with_several_values_are_distinguished_by_their_name() -> None:
    table = table_to_forecast(long_table(",5,2"), columns=("vendas", "preço"))
    assert table.style.text_headers[0] == "loja and sku"
    assert len({series.texts[0] for series in table.series}) == len(table.series) == 8
