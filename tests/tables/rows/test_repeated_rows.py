"""Tests of rows that a file has twice."""

from app.tables.answers import PeriodAggregation
from tests.tables.kinds.case import days, draw
from tests.tables.tables import notes_of, read_text, requirements

DAYS = days("2024-01-01", 60)
SALES = draw(60, 400, 1, 7)
ROWS = [f"{day},{value}" for day, value in zip(DAYS, SALES, strict=True)]


def test_a_second_export_of_the_same_days_counts_once() -> None:
    reading = read_text(["Day,Sales", *ROWS[:40], *ROWS[25:]])
    assert requirements(reading) == []
    assert reading.series[0].values == SALES
    assert "Left out line 42, line 43, line 44, line 45, line 46 and 10 more" in notes_of(reading)


def test_a_second_export_of_several_shops_counts_once() -> None:
    rows = [
        f"{day},{shop},{value + i:.1f}"
        for day, value in zip(DAYS, SALES, strict=True)
        for i, shop in enumerate(("North", "South"))
    ]
    reading = read_text(["Day,Shop,Sales", *rows, "Day,Shop,Sales", *rows])
    assert requirements(reading) == []
    assert [series.name for series in reading.series] == ["North", "South"]
    assert reading.series[0].values == SALES


def test_sales_of_a_second_export_that_are_alike_count_twice() -> None:
    sales = [f"{day} 10:00,Tea,2.50" for day in DAYS for _ in range(2)]
    others = [f"{day} 11:00,Tea,{value}" for day, value in zip(DAYS, SALES, strict=True)]
    rows = sorted([*sales, *others])
    once, twice = (
        read_text(["Time,What,Sum", *rows * n], per=PeriodAggregation.DAY_TOTAL) for n in (1, 2)
    )
    assert once.series[0].values == [round(5 + value, 1) for value in SALES]
    assert twice.series[0].values == once.series[0].values


def test_a_second_export_with_another_value_opens_a_question() -> None:
    changed = [row if i % 4 else f"{row}5" for i, row in enumerate(ROWS)]
    assert requirements(read_text(["Day,Sales", *ROWS, *changed])) == ["duplicates"]


def test_a_row_that_was_copied_by_mistake_counts_once() -> None:
    reading = read_text(["Day,Sales,Notes", *[f"{row}," for row in [*ROWS[:31], *ROWS[30:]]]])
    assert requirements(reading) == []
    assert reading.series[0].values == SALES
    assert "Left out line 33: the same again, cell by cell." in notes_of(reading)


def test_a_copied_row_of_one_of_several_products_counts_once() -> None:
    rows = [
        f"{day},{name},{value + i:.1f}"
        for day, value in zip(DAYS, SALES, strict=True)
        for i, name in enumerate(("Box", "Lid", "Tray"))
    ]
    reading = read_text(["Day,Product,Stock", *rows[:100], *rows[99:]])
    assert requirements(reading) == []
    assert [len(series.values) for series in reading.series] == [60, 60, 60]


def test_two_bookings_of_a_customer_that_are_alike_are_not_copies() -> None:
    rows = [
        f"{day},customer {i % 40},{value}"
        for i, (day, value) in enumerate(zip(DAYS, SALES, strict=True))
    ]
    assert requirements(read_text(["Day,Customer,Amount", *rows[:31], *rows[30:]])) != []


def test_a_day_that_comes_again_with_a_usual_value_opens_a_question() -> None:
    rows = [f"{day},{i % 7}" for i, day in enumerate(DAYS)]
    assert requirements(read_text(["Day,Visitors", *rows[:31], *rows[30:]])) == ["duplicates"]


def test_two_short_tables_open_a_question() -> None:
    assert requirements(read_text(["Day,Sales", *ROWS[:30], *ROWS[21:30]])) == ["duplicates"]


def test_two_closed_shops_open_a_question() -> None:
    rows = [f"{day},{i % 2}" for i, day in enumerate(DAYS)]
    assert requirements(read_text(["Day,Sales", *rows, *rows])) == ["duplicates"]
