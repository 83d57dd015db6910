"""Of several tables in one file the first is read; a header that is repeated is that of a page."""

import calendar
import time
from collections.abc import Sequence

from tests.tables.kinds.case import days, to_text
from tests.tables.tables import notes_of, read_text

JANUARY, FEBRUARY = days("2024-01-01", 31), days("2024-02-01", 29)
MONTHS = "Region;Jan 2024;Feb 2024;Mar 2024;Apr 2024"


def rows(dates: Sequence[object], base: int) -> list[str]:
    return [f"{day},{base + i}" for i, day in enumerate(dates)]


def test_a_table_that_begins_anew_with_other_columns_is_not_read() -> None:
    text = to_text("date,sales", rows(JANUARY, 100), "", "date,visits", rows(JANUARY, 900))
    reading = read_text(text)
    [series] = reading.series
    assert series.values == [*range(100, 131)]
    assert "Another table begins in line 34: only the first is read." in notes_of(reading)


def test_pages_that_repeat_their_header_are_one_table() -> None:
    text = to_text("date,sales", rows(JANUARY, 100), "date,sales", rows(FEBRUARY, 131))
    reading = read_text(text)
    [series] = reading.series
    assert series.values == [*range(100, 160)]
    assert "Another table" not in notes_of(reading)


def test_thousands_of_repeated_headers_take_no_longer_than_one() -> None:
    dates = ("2024-01-01", "2024-01-02")
    pages = to_text(*(f"date,sales,visits\n{dates[page % 2]},5,7" for page in range(10_000)))
    started = time.process_time()
    assert "Another table" not in notes_of(read_text(pages))
    assert time.process_time() - started < 15  # 60 s, if each were compared


def test_a_third_table_is_cut_off_with_the_second() -> None:
    text = to_text(
        "date,sales", rows(JANUARY, 100), "",
        "date,visits", rows(JANUARY, 900), "",
        "date,sales", rows(FEBRUARY, 131),
    )  # fmt: skip
    reading = read_text(text)
    assert [len(series.values) for series in reading.series] == [31]
    [remark] = [remark for remark in reading.remarks if remark.code == "stacked_tables"]
    assert remark.rows[0] == 34


def test_a_pivot_below_another_one_is_not_read() -> None:
    text = to_text(
        "Revenue", MONTHS, "North;1;2;3;4", "South;5;6;7;8", "",
        "Cost", MONTHS, "North;11;12;13;14", "South;15;16;17;18",
    )  # fmt: skip
    reading = read_text(text)
    assert [series.values for series in reading.series] == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert "Another table begins in line 7: only the first is read." in notes_of(reading)


def test_the_second_pivot_is_read_if_its_header_is_answered() -> None:
    text = to_text(
        "Revenue", MONTHS, "North;1;2;3;4", "South;5;6;7;8", "",
        "Cost", MONTHS, "North;11;12;13;14", "South;15;16;17;18",
    )  # fmt: skip
    reading = read_text(text, header=7)
    assert [series.values[0] for series in reading.series] == [11, 15]


def test_pages_of_a_pivot_are_one_table() -> None:
    text = to_text(MONTHS, "North;1;2;3;4", "South;5;6;7;8", MONTHS, "East;11;12;13;14")
    reading = read_text(text)
    assert [series.name for series in reading.series] == ["North", "South", "East"]
    assert "Another table" not in notes_of(reading)


def test_fiscal_years_down_are_a_series_for_each_name_across() -> None:
    months = [*calendar.month_name[4:], *calendar.month_name[1:4]]
    years = ["2018/19", "2019/20", "2020/21", "2021/22"]
    table = ["Intake;;;;;", "Financial year 1 April - 31 March;;;;;"]
    for title, base in (("OWN", 1_000), ("BOUGHT", 5_000)):
        table += [f"{title};;;;;", ";".join(["Month", *years, "Avg"])]
        for number, month in enumerate(months):
            values = [str(base + 10 * number + year) for year in range(4)]
            table.append(";".join([month, *values, "1"]))
        table.append("TOTAL;1;2;3;4;")
    reading = read_text(table)
    assert [(series.name, series.values[0], len(series.values)) for series in reading.series] == [
        ("OWN", 1_000, 48),
        ("BOUGHT", 5_000, 48),
    ]


def test_a_thousand_pages_are_read_quickly() -> None:
    dates = days("1990-01-01", 10_000)
    pages = [
        line
        for page in range(1_000)
        for line in (
            f"date,sales,page {page}",
            *(f"{day},{page},-" for day in dates[10 * page :][:10]),
        )
    ]
    start = time.process_time()
    [series] = read_text(to_text(*pages)).series
    assert (len(series.values), time.process_time() - start < 5) == (10_000, True)
