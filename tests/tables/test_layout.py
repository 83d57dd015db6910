"""Each offered layout works, and columns of values are not taken for names."""

import pytest

from app.tables.answers import Duplicates, Layout
from tests.tables.kinds.case import days, draw, months, to_text
from tests.tables.tables import read_text, requirements

SINCE = months(2023, 1, 12)
HIGH, LOW = draw(12, 900, 0), draw(12, 300, 0)
DAYS = days("2024-01-01", 40)
MONTHS_ACROSS = to_text(
    "name," + ",".join(f"{day:%b %Y}" for day in SINCE),
    "a," + ",".join(f"{value:.0f}" for value in HIGH),
    "b," + ",".join(f"{value:.0f}" for value in LOW),
)
YEARS_DOWN = to_text(
    "name,year," + ",".join(f"{day:%b}" for day in SINCE),
    [
        f"{name},{year}," + ",".join(f"{value + year:.0f}" for value in values)
        for name, values in (("a", HIGH), ("b", LOW))
        for year in (2022, 2023)
    ],
)


@pytest.mark.parametrize("text", [MONTHS_ACROSS, YEARS_DOWN])
def test_each_layout_that_is_offered_for_a_pivot_works(text: str) -> None:
    reading = read_text(text)
    [question] = [question for question in reading.questions if question.parameter == "layout"]
    offered = [Layout(choice.value) for choice in question.choices]
    assert offered == [Layout.LONG, Layout.COLUMNS]
    assert read_text(text, layout=Layout.LONG).series == reading.series
    assert read_text(text, layout=Layout.PIVOT).series == reading.series
    assert requirements(read_text(text, layout=Layout.COLUMNS)) == ["duplicates"]
    [total] = read_text(text, layout=Layout.COLUMNS, duplicates=Duplicates.SUM).series
    a, b = reading.series
    assert total.values == [x + y for x, y in zip(a.values, b.values, strict=True)]


def table(header: str, rows: list[tuple[object, ...]]) -> str:
    """Return rows of each day."""
    return to_text(header, [",".join(map(str, (day, *row))) for day in DAYS for row in rows])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (table("date,store,sales", [("A", 5), ("B", 7)]), ["A", "B"]),
        (table("date,sales,store", [(5, 101), (7, 102)]), ["101", "102"]),
        (
            table("date,region,store,sales", [("N", "A", 5), ("N", "B", 7), ("S", "A", 9)]),
            ["N · A", "N · B", "S · A"],
        ),
    ],
)
def test_a_column_of_values_that_repeat_stays_the_values(text: str, names: list[str]) -> None:
    reading = read_text(text)
    assert [series.name for series in reading.series] == names
    assert reading.chosen.columns == ["sales"]
    assert reading.series[0].values == [5.0] * 40


def test_different_values_of_a_store_on_one_day_open_a_question() -> None:
    text = table("date,store,sales", [("A", 5), ("A", 6), ("B", 7), ("B", 8)])
    assert requirements(read_text(text)) == ["duplicates"]
    answers = {"layout": Layout.LONG, "duplicates": Duplicates.SUM}
    reading = read_text(text, **answers)
    assert [(series.name, series.values[0]) for series in reading.series] == [("A", 11), ("B", 15)]


def test_columns_with_one_number_for_each_name_are_read_if_all_are_so() -> None:
    reading = read_text(table("date,store,sales,price", [("A", 5, 1), ("B", 7, 2)]))
    assert requirements(reading) == ["columns"]
    assert reading.remarks == []


def test_names_without_a_date_in_common_are_series_if_the_answer_is_long() -> None:
    """Or the old and the new shop, or days and months, cannot be read apart."""
    old = [f"2023-{month:02}-01,Old shop,{month}" for month in range(1, 13)]
    new = [f"2024-{month:02}-01,New shop,{100 + month}" for month in range(1, 13)]
    reading = read_text("\n".join(["date,shop,sales", *old, *new]), layout=Layout.LONG)
    assert [(series.name, series.values[0]) for series in reading.series] == [
        ("Old shop", 1),
        ("New shop", 101),
    ]


def test_names_that_share_few_dates_are_offered_as_series() -> None:
    rows = [f"{day},North,{number}" for number, day in enumerate(DAYS)]
    text = "\n".join(["date,shop,sales", *rows, *(f"{day},South,7" for day in DAYS[:3])])
    asked = {question.parameter for question in read_text(text).questions}
    assert asked == {"layout", "duplicates"}
    reading = read_text(text, layout=Layout.LONG)
    assert [(series.name, len(series.values)) for series in reading.series] == [
        ("North", 40),
        ("South", 3),
    ]
