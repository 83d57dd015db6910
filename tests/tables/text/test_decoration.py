"""Comments are not data, but names of columns that have the mark of comments are names."""

import pytest

from tests.tables.tables import read_text

PREFACE = ["#Period:;", "01.03.2026;31.03.2026;", "#Opening balance;8 412,37 PLN;", ""]


def test_names_with_the_mark_of_a_comment_before_each_are_the_header() -> None:
    rows = [f"2026-03-{day:02};Payment {day % 3};;{day + 0.25:.2f};" for day in range(1, 31)]
    header = "#Booking date;#Title;#Sender;#Amount;"
    text = [*PREFACE, header.replace(".", ","), *(row.replace(".", ",") for row in rows)]
    reading = read_text(text)
    assert reading.chosen.header == len(PREFACE) + 1
    assert reading.chosen.columns == ["Amount"]
    assert reading.chosen.dates == "Booking date"


def test_marked_names_of_sums_above_a_table_are_not_its_header() -> None:
    rows = [f"2026-03-{day:02};Payment {day % 3};{day},25 PLN;" for day in range(1, 31)]
    sums = ["#Currency;#In;#Out;", "PLN;38 500,00;-31 204,11;", ""]
    for header in ("#Booked;#Title;#Amount;", "Booked;Title;Amount;"):
        reading = read_text([*sums, header, *rows])
        assert (reading.chosen.header, reading.chosen.columns) == (4, ["Amount"])
        assert reading.chosen.dates == "Booked"


def test_names_that_begin_with_a_hash_are_not_comments() -> None:
    rows = [
        f"{name},2026-03-{day:02},{day * size}"
        for day in range(1, 29)
        for name, size in (("#general", 1), ("#random", 10), ("support", 100))
    ]
    reading = read_text(["#exported by a chat", "channel,date,messages", *rows])
    assert [series.name for series in reading.series] == ["#general", "#random", "support"]
    assert {len(series.values) for series in reading.series} == {28}


@pytest.mark.parametrize(
    ("types", "above"),
    [
        ("│ date       │ int32 │", ""),
        ("│ ---        │ ---   │\n│ str        │ i64   │", "shape: (3, 2)\n"),
    ],
    ids=["DuckDB", "Polars"],
)
def test_types_below_the_names_of_a_drawn_table_are_not_names(types: str, above: str) -> None:
    rows = [f"│ 2024-01-0{day} │ {10 + day}    │" for day in range(1, 4)]
    frame = [f"{a}────────────{b}───────{c}" for a, b, c in ("┌┬┐", "├┼┤", "└┴┘")]
    names = "│ date       │ value │"
    text = "\n".join([f"{above}{frame[0]}", names, types, frame[1], *rows, frame[2]])
    [series] = read_text(text).series
    assert (series.name, series.values) == ("value", [11, 12, 13])


def test_names_that_are_types_stay_names() -> None:
    rows = [f"| 2024-01-0{day} | {10 + day} |" for day in range(1, 4)]
    [series] = read_text(["| date | text |", "|---|---|", *rows]).series
    assert (series.name, series.values) == ("text", [11, 12, 13])
