"""Files of many forms: their encoding, what separates their cells, and how they hold series."""

import gc
from dataclasses import replace

import pytest

from app.tables.answers import Duplicates, Fill, Layout
from app.tables.errors import WrongAnswerError
from tests.tables.tables import (
    BOUNDS,
    date_cell,
    notes_of,
    read_bytes,
    read_text,
    requirements,
    workbook,
)

TEXT = "Datum;Größe in €\n2024-01-01;1\n2024-01-02;2"
STORES = "\n".join(
    ["date,store,sales"]
    + [f"2024-01-{d:02},{s},{d * f}" for d in range(1, 13) for s, f in (("N", 1), ("S", 10))]
)
SALES = [["Month", "Sales"], *([date_cell(45292 + 31 * i), 1.5 * i] for i in range(4))]


@pytest.mark.parametrize(
    "encoded",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.encode("windows-1252"),
    ],
    ids=["UTF-8", "marked", "UTF-16", "UTF-16 unmarked", "big endian", "UTF-32", "Windows"],
)
def test_a_file_is_read_in_any_usual_encoding(encoded: bytes) -> None:
    reading = read_bytes(encoded)
    assert reading.series[0].name == "Größe in €"
    message = [remark.code for remark in reading.remarks]
    assert message == (["encoding"] if encoded == TEXT.encode("windows-1252") else [])


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " , "])
@pytest.mark.parametrize("header", ["", "date{}value\n", '"the, date"{}"the ""value"""\n'])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n", "\r"])
def test_delimiters_headers_and_line_ends_are_found(
    separator: str, header: str, ending: str
) -> None:
    rows = "\n".join(f"2024-01-{day:02}{separator}{day}" for day in range(1, 13))
    text = f"\ufeff{header.format(separator)}{rows}\n2024-01-13{separator}x\n"
    reading = read_text(text.replace("\n", ending))
    assert reading.series[0].values == [*range(1, 13)]
    line = 13 + bool(header)
    assert reading.remarks[-1].rows == [2 * line - 1 if ending == "\n\n" else line]


@pytest.mark.parametrize(
    "content",
    [
        b"day;sales\n2024-01-01;1,5\n2024-01-02;2,5\n",
        b"day,sales\r\n2024-01-01,1.5\r\n2024-01-02,2.5\r\n",
        b"day\tsales\n2024-01-01\t1,5\n\n2024-01-02\t2,5",
        b"sep=;\nday;sales\n2024-01-01;1,5\n2024-01-02;2,5\n",
        b'day,sales\n2024-01-01,"1,5"\n2024-01-02,"2,5"\n',
        b"day,sales,\n2024-01-01,1.5,\n2024-01-02,2.5,,\n",
        b"\xef\xbb\xbfday;sales\n2024-01-01;1.5\n2024-01-02;2.5\n",
        "day;sales\n2024-01-01;1,5\n2024-01-02;2,5\n".encode("utf-16"),
        b"shop;day;sales\nx;2024-01-01;1,5 \x80\nx;2024-01-02;2,5\n",
    ],
)
def test_files_of_many_forms_hold_the_same(content: bytes) -> None:
    [series] = read_bytes(content).series
    assert series.values == [1.5, 2.5]
    assert series.timestamps == ["2024-01-01T00:00:00", "2024-01-02T00:00:00"]
    assert series.name == "sales"


def test_a_row_may_go_over_several_lines() -> None:
    rows = ['2024-01-01,"one\ntwo",1,"x\ny",3', "2024-01-02,,bad,z,6", "2024-01-03,,5,z,6"]
    reading = read_text(["date,note,a,b,c", *rows])
    assert [series.values for series in reading.series] == [[1, 5], [3, 6, 6]]
    assert reading.remarks[0].rows == [5]


@pytest.mark.parametrize("clocks", [["22:00", "23:00"], ["10:00 PM", "11:00 PM"]])
def test_a_time_of_day_in_its_own_column_is_part_of_the_time(clocks: list[str]) -> None:
    rows = "".join(f"31.01.2024,{clock},{n}\n" for n, clock in enumerate(clocks))
    [series] = read_text(f"date,time,load\n{rows}").series
    assert [timestamp[11:13] for timestamp in series.timestamps] == ["22", "23"]
    assert series.values == [0, 1]


def test_columns_of_one_name_have_names_of_their_own() -> None:
    reading = read_text("day,n,n\n2024-01-01,1,2\n2024-01-02,3,4")
    assert [series.name for series in reading.series] == ["n", "n (column 3)"]


def test_columns_are_named_by_a_row_of_choice() -> None:
    text = "old,new\nday,n\n2024-01-01,1\n2024-01-02,2"
    assert read_text(text).series[0].name == "new n"
    assert read_text(text, header=2).series[0].name == "n"
    assert read_text(text, header=2).chosen.header == 2
    assert read_text("2024-01-01,5\n2024-01-02,6", header=0).series[0].values == [5, 6]
    with pytest.raises(WrongAnswerError, match="below line 4"):
        read_text(text, header=4)


def test_columns_of_choice_are_read_and_others_are_offered() -> None:
    text = "day,a,b,sales\n2024-01-01,1,2,3\n2024-01-02,4,5,6"
    reading = read_text(text, columns=("b", "a"))
    assert [series.values for series in reading.series] == [[2, 5], [1, 4]]
    assert [choice.value for choice in reading.questions[0].choices] == ["sales", "a", "b"]
    with pytest.raises(WrongAnswerError, match="did you mean sales"):
        read_text(text, columns=("sale",))


def test_each_name_of_a_long_table_is_a_series() -> None:
    reading = read_text(STORES)
    assert {series.name: series.values for series in reading.series} == {
        "N": [*range(1, 13)],
        "S": [*range(10, 121, 10)],
    }
    assert reading.chosen.layout == "long"
    assert requirements(reading) == []


def test_a_long_table_with_two_columns_of_values_asks_which() -> None:
    header, *rows = STORES.split("\n")
    text = "\n".join([f"{header},visits", *(f"{row},{i % 7}" for i, row in enumerate(rows))])
    assert requirements(read_text(text)) == ["columns"]
    names = [series.name for series in read_text(text, columns=("sales", "visits")).series]
    assert names == ["N · sales", "N · visits", "S · sales", "S · visits"]
    assert [series.name for series in read_text(text, columns=("sales",)).series] == ["N", "S"]


def test_all_names_are_added_up_where_that_is_chosen() -> None:
    answers = {"layout": Layout.COLUMNS}
    assert requirements(read_text(STORES, **answers)) == ["duplicates"]
    [series] = read_text(STORES, **answers, duplicates=Duplicates.SUM).series
    assert series.values == [*range(11, 133, 11)]
    [series] = read_text(STORES, **answers, duplicates=Duplicates.MEAN).series
    assert series.values == [day * 5.5 for day in range(1, 13)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("year,Jan,Feb,Mar\n2023,1,2,3\n2024,4,5,6", {"value": [1, 2, 3, 4, 5, 6]}),
        ("Month,2023,2024\nJan,1,3\nFeb,2,4", {"value": [1, 2, 3, 4]}),
        ("Monat;2023;2024\n1;1;3\n2;2;4", {"value": [1, 2, 3, 4]}),
        ("year;Q1;Q2;Q3;Q4\n2023;1;2;3;4\n2024;5;;;", {"value": [1, 2, 3, 4, 5]}),
        ("day,2023,2024\n30.12.,1,3\n31.12.,2,4", {"value": [1, 2, 3, 4]}),
        ("year," + ",".join(map(str, range(1, 13))) + "\n2024" + ",7" * 12, {"value": [7] * 12}),
        ("date,2024-01-01,2024-01-02,2024-01-03\nsales,1,2,3", {"sales": [1, 2, 3]}),
        (
            "shop;2024-01;2024-02;2024-03;Total\nA;1;2;3;6\nB;4;5;6;15",
            {"A": [1, 2, 3], "B": [4, 5, 6]},
        ),
        (
            "shop,year,Jan,Feb,Mar\nA,2023,1,2,3\nB,2023,4,5,6\nA,2024,7,8,9\nB,2024,10,11,12",
            {"A": [1, 2, 3, 7, 8, 9], "B": [4, 5, 6, 10, 11, 12]},
        ),
    ],
)
def test_periods_side_by_side_are_read_in_order(text: str, values: dict[str, list[int]]) -> None:
    reading = read_text(text)
    assert reading.chosen.layout == "pivot"
    results = {series.name: series.values for series in reading.series}
    assert results == values
    assert "sorted" not in {remark.code for remark in reading.remarks}


@pytest.mark.parametrize(
    "text",
    [
        "date,2023,2024\n2024-01-01,1,2\n2024-01-02,3,4",
        "year;quarter;gdp\n2023;3;11\n2023;4;12\n2024;1;13",
        "start,end,checked,n\n2024-01-01,2024-01-02,2024-01-03,5\n2024-02-01,2024-02-02,2024-02-03,6",
    ],
)
def test_tables_with_dates_below_each_other_are_not_taken_for_pivots(text: str) -> None:
    assert read_text(text).chosen.layout == "columns"


def test_the_chosen_layout_is_used() -> None:
    with pytest.raises(WrongAnswerError, match="no row of dates"):
        read_text("day,n\n2024-01-01,1\n2024-01-02,2", layout=Layout.PIVOT)
    with pytest.raises(WrongAnswerError, match="names that make the dates unique"):
        read_text("day,n\n2024-01-01,1\n2024-01-02,2", layout=Layout.LONG)


def test_a_workbook_is_read_by_the_types_of_its_cells() -> None:
    rows = [["Report"], [], *SALES, ["Total", 9]]
    reading = read_bytes(workbook({"Sheet1": rows}))
    [series] = reading.series
    assert series.timestamps[:2] == ["2024-01-01T00:00:00", "2024-02-01T00:00:00"]
    assert (series.values, series.name) == ([0, 1.5, 3, 4.5], "Sales")
    assert reading.remarks[-1].remark == "Left out row 8: a total."
    assert [question.parameter for question in reading.questions] == ["header"]


def test_numbers_of_a_workbook_leave_no_mark_open() -> None:
    rows = [["day", "n"], *([f"2024-01-0{day}", 1.480 + day] for day in (1, 2, 3))]
    reading = read_bytes(workbook({"a": rows}))
    assert reading.series[0].values == [2.48, 3.48, 4.48]
    assert reading.questions == []


def test_times_of_a_workbook_are_whole_seconds() -> None:
    rows = [["at", "n"], *([date_cell(45292 + i / 24 + 1e-9), i] for i in range(30))]
    [series] = read_bytes(workbook({"a": rows})).series
    assert (series.data_frequency, series.timestamps[1]) == ("Hours", "2024-01-01T01:00:00")


def test_several_sheets_with_series_open_a_question() -> None:
    sheets = {"Notes": [["Made by hand"]], "North": SALES, "South": SALES[:3], "Old": SALES}
    content = workbook(sheets, hidden=["Old"])
    reading = read_bytes(content)
    assert requirements(reading) == ["sheet"]
    assert [choice.value for choice in reading.questions[0].choices] == ["North", "South"]
    assert reading.questions[0].choices[0].meaning == "5 rows, 2 columns"
    assert len(read_bytes(content, sheet="South").series[0].values) == 2
    assert read_bytes(content, sheet="Old").chosen.sheet == "Old"
    with pytest.raises(WrongAnswerError, match="send one of Notes, North, South"):
        read_bytes(content, sheet="West")


def test_the_only_sheet_with_a_series_is_read_and_can_be_changed() -> None:
    reading = read_bytes(workbook({"Notes": [["Made by hand"]], "Data": SALES}))
    assert (reading.chosen.sheet, requirements(reading)) == ("Data", [])
    assert [question.parameter for question in reading.questions] == ["sheet"]


def test_a_legend_with_a_date_in_a_few_rows_opens_no_question_about_sheets() -> None:
    days = [["day", "A"], *([date_cell(45292 + i), i % 7 + 20] for i in range(60))]
    legend = [
        ["Station", "Lat", "Since"],
        *(["A", 52.5 + i, date_cell(41061 + i)] for i in range(3)),
    ]
    for sheets in ({"Legend": legend, "Data": days}, {"Data": days, "Legend": legend}):
        reading = read_bytes(workbook(sheets))
        assert (reading.chosen.sheet, requirements(reading)) == ("Data", [])
    longer = workbook({"Legend": [*legend, *legend[1:]], "Data": days})
    assert requirements(read_bytes(longer)) == ["sheet"]
    assert requirements(read_bytes(workbook({"North": days, "South": days[:4]}))) == ["sheet"]


def test_formulas_are_read_as_their_stored_values_and_macros_dropped() -> None:
    formula = b'<c r="@"><f>SUM(A1:A9)</f><v>7</v></c>'
    rows = [["day", "n"], *([f"2024-01-0{day}", formula] for day in (1, 2, 3))]
    content = workbook({"a": rows}, **{"xl/vbaProject.bin": b"\xd0\xcf\x11\xe0 macro"})
    assert read_bytes(content).series[0].values == [7, 7, 7]


def test_more_points_than_the_service_takes_leave_the_newest() -> None:
    bounds = replace(BOUNDS, max_points=10)
    reading = read_text([f"2024-01-{day:02};{day}" for day in range(1, 13)], bounds)
    assert reading.series[0].values == [*range(3, 13)]
    assert notes_of(reading) == "12 points are more than the service takes: the newest 10 are read."


def test_more_columns_than_one_reading_takes_open_a_question() -> None:
    bounds = replace(BOUNDS, max_points=10)
    rows = [f"2024-01-{day:02};" + ";".join("1" * 20) for day in range(1, 13)]
    assert requirements(read_text(rows, bounds)) == ["columns"]
    assert len(read_text(rows, bounds, columns=("Column 3", "Column 4")).series) == 2


@pytest.mark.parametrize("fill", Fill)
def test_a_fill_leaves_out_what_is_off_the_step(fill: Fill) -> None:
    dates = ["2024-01-01", "2024-02-01", "2024-03-01", "2024-03-07", "2024-05-01", "2024-06-01"]
    reading = read_text([f"{date};{i}" for i, date in enumerate(dates)])
    assert "Between the other dates, which are 1 month apart: line 4." in notes_of(reading)
    [series] = read_text([f"{date};{i}" for i, date in enumerate(dates)], fill=fill).series
    assert len(series.timestamps) == 6
    assert series.values[3] == {"linear": 3, "previous": 2, "zero": 0}[fill]


@pytest.mark.parametrize("is_enabled", [False, True])
def test_reading_leaves_garbage_collection_as_it_was(is_enabled: bool) -> None:
    (gc.enable if is_enabled else gc.disable)()
    try:
        read_text(TEXT)
        assert gc.isenabled() is is_enabled
    finally:
        gc.enable()
