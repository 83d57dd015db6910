"""Rows that are totals of others are left out, if they have few names."""

from collections.abc import Sequence

import pytest

from tests.tables.kinds.case import days, draw, to_text
from tests.tables.tables import notes_of, read_text

SALES, FREIGHT = draw(12, 900), draw(12, 40)
GOODS, WAGES = draw(12, 300), draw(12, 210)[::-1]


def with_totals(count: int) -> str:
    """Return a total of another name on each day."""
    rows = []
    for i, day in enumerate(days("2023-01-01", count)):
        rows += [f"{day},a,{i}", f"{day},b,{2 * i + 1}", f"{day},Total of run {i},{3 * i + 1}"]
    return to_text("date,part,value", rows)


@pytest.mark.parametrize(("count", "are_left_out"), [(200, True), (201, False)])
def test_totals_of_up_to_200_names_are_left_out(count: int, *, are_left_out: bool) -> None:
    reading = read_text(with_totals(count))
    assert ("a total of other rows" in notes_of(reading)) is are_left_out
    if are_left_out:
        assert [series.name for series in reading.series] == ["a", "b"]
        assert [len(series.values) for series in reading.series] == [count, count]


def sales_of_families(honey_total: float) -> str:
    """Return months across, with a total behind each family, as of a pivot table in a workbook."""
    months = [f"{2023 + i // 12}-{i % 12 + 1:02}" for i in range(14)]
    shelf = {"Classic": 10.0, "Low Sugar": 20.0}
    rows = [
        f"{family},{name}," + ",".join(str(value + i) for i in range(14))
        for family in ("Jams", "Honey")
        for name, value in shelf.items()
    ]
    for at, family, total in ((2, "Jams", 30.0), (5, "Honey", honey_total)):
        rows.insert(at, f"{family} Total,," + ",".join(str(total + 2 * i) for i in range(14)))
    rows.append("Grand Total,," + ",".join(str(60.0 + 4 * i) for i in range(14)))
    return to_text("Family,Product," + ",".join(months), rows)


def test_totals_behind_the_names_of_families_are_left_out() -> None:
    reading = read_text(sales_of_families(30.0))
    names = ["Jams · Classic", "Jams · Low Sugar", "Honey · Classic", "Honey · Low Sugar"]
    assert [series.name for series in reading.series] == names
    for name in ("Jams Total", "Honey Total", "Grand Total"):
        assert f"Left out “{name}”: a total of other rows." in notes_of(reading)


def test_a_total_of_a_family_that_is_not_a_sum_is_read_and_reported() -> None:
    reading = read_text(sales_of_families(38.0))
    assert "“Honey Total” may be a total of other rows: it is read like these." in notes_of(reading)
    assert any("Honey Total" in series.name for series in reading.series)


def account(*rows: tuple[str, Sequence[float]]) -> str:
    """Return months across, with a row for each account."""
    header = "Account;" + ";".join(f"2025-{month:02}" for month in range(1, 13))
    return to_text(header, [f"{name};" + ";".join(map(str, values)) for name, values in rows])


def sums(*parts: Sequence[float]) -> list[float]:
    return [*map(sum, zip(*parts, strict=True))]


INCOME, COSTS = sums(SALES, FREIGHT), sums(GOODS, WAGES)
GROSS = [a - b for a, b in zip(INCOME, GOODS, strict=True)]


@pytest.mark.parametrize("names", [("Total Income", "Total Costs"), ("Summe Ertrag", "Summe Lohn")])
def test_totals_of_two_sections_are_left_out(names: tuple[str, str]) -> None:
    text = account(
        ("Sales", SALES), ("Freight", FREIGHT), (names[0], INCOME),
        ("Goods", GOODS), ("Wages", WAGES), (names[1], COSTS),
    )  # fmt: skip
    reading = read_text(text)
    assert [series.name for series in reading.series] == ["Sales", "Freight", "Goods", "Wages"]
    for name in names:
        assert f"Left out “{name}”: a total of other rows." in notes_of(reading)


def test_totals_above_their_sections_are_left_out() -> None:
    text = account(
        ("Total Income", INCOME), ("Sales", SALES), ("Freight", FREIGHT),
        ("Total Costs", COSTS), ("Goods", GOODS), ("Wages", WAGES),
    )  # fmt: skip
    assert [s.name for s in read_text(text).series] == ["Sales", "Freight", "Goods", "Wages"]


def test_totals_behind_a_result_and_of_one_row_are_left_out() -> None:
    text = account(
        ("Sales", SALES), ("Freight", FREIGHT), ("Total Income", INCOME),
        ("Goods", GOODS), ("Total Cost of Sales", GOODS), ("Gross Profit", GROSS),
        ("Wages", WAGES), ("Rent", [70.0] * 12), ("Total Expenses", sums(WAGES, [70.0] * 12)),
    )  # fmt: skip
    names = [series.name for series in read_text(text).series]
    assert names == ["Sales", "Freight", "Goods", "Gross Profit", "Wages", "Rent"]


def test_a_row_named_total_that_is_not_a_sum_is_read_and_reported() -> None:
    text = account(("Sales", SALES), ("Freight", FREIGHT), ("Total visits", draw(12, 7000)))
    reading = read_text(text)
    assert len(reading.series) == 3
    assert "“Total visits” may be a total of other rows: it is read like these." in notes_of(
        reading
    )


@pytest.mark.parametrize("word", ["ИТОГО:", "Total:", "合计："])
def test_a_total_with_a_colon_behind_its_word_is_left_out(word: str) -> None:
    first, second = [3 + day % 5 for day in range(14)], [7 + day % 3 for day in range(14)]
    total = [a + b for a, b in zip(first, second, strict=True)]
    rows = [("Tea", first), ("Milk", second), (word, total)]
    header = ";".join(["Item", *(f"{day:02}.01.2019" for day in range(15, 29))])
    cells = [";".join([name, *map(str, values)]) for name, values in rows]
    reading = read_text("\n".join([header, *cells]))
    assert [series.name for series in reading.series] == ["Tea", "Milk"]


@pytest.mark.parametrize(
    "name",
    [
        *("Kosten gesamt", "Expenses - total", "Ventas totales", "経費 合計", "费用总计"),
        *("Gesamtkosten", "Kostensumme", "All regions", "Overall"),
    ],
)
@pytest.mark.parametrize("extra", [0, 5])
def test_a_total_named_behind_its_section_is_left_out_if_it_is_the_sum(
    name: str, extra: int
) -> None:
    parts = {"Miete": 700, "Strom": 80, "Wasser": 40}
    rows = []
    for i, day in enumerate(days("2023-01-01", 30)):
        rows += [f"{day},{part},{value + i * i % 17}" for part, value in parts.items()]
        rows.append(f"{day},{name},{sum(parts.values()) + 3 * (i * i % 17) + extra * (i + 3)}")
    reading = read_text(to_text("date,part,value", rows))
    is_read = name in [series.name for series in reading.series]
    assert (is_read, len(reading.series)) == (bool(extra), 4 if extra else 3)
    assert f"“{name}”" in notes_of(reading)
