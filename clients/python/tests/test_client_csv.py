"""CSV files as people have them: read right, or refused with the line and the option."""

import datetime as dt
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forecast_client import DataError
from forecast_client.csv_dates import month_of, parse_dates
from forecast_client.csv_file import read_table
from forecast_client.csv_numbers import parse_numbers
from forecast_client.csv_series import Form, read_series


def numbers(cells: list[str], decimal: str | None = None) -> list[float]:
    return parse_numbers(cells, range(2, 2 + len(cells)), decimal).values


def dates(cells: list[str], form: str | None = None, day_first: bool | None = None) -> list[str]:
    moments = parse_dates(cells, range(2, 2 + len(cells)), form, day_first)
    return [moment.isoformat() for moment in moments]


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1.480,50", "1.000"], [1480.5, 1000]),
        (["1,480.50", "1,000"], [1480.5, 1000]),
        (["1.480", "0,5"], [1480, 0.5]),
        (["0.480", "1.480"], [0.48, 1.48]),
        (["1480.123"], [1480.123]),
        (["12,5", "1,480"], [12.5, 1.48]),
        (["1.234.567", "1.480"], [1234567, 1480]),
        (["1 234,5", "1\u202f234,5", "1\u00a0234,5"], [1234.5] * 3),
        (["1'234.5", "1’234.5"], [1234.5] * 2),
        (["€ 1,5", "1,5 €", "-€1,5", "EUR 1,5", "−1,5"], [1.5, 1.5, -1.5, 1.5, -1.5]),
        (["12 %", "3%"], [12, 3]),
        (["(12.5)", "+3"], [-12.5, 3]),
        (["1e5", "1.5E-3"], [1e5, 1.5e-3]),
        ([".5", "5."], [0.5, 5]),
    ],
)
def test_numbers_are_read_as_they_were_meant(cells: list[str], read: list[float]) -> None:
    assert numbers(cells) == read


def test_cells_without_a_value_are_holes() -> None:
    read = numbers(["", "NA", "n/a", "NaN", "-", "null", "7"])
    assert [math.isnan(value) for value in read] == [True] * 6 + [False]


@pytest.mark.parametrize(("cell", "thousand"), [("1.480", ","), ("12,345", "."), ("-1.480", ",")])
def test_a_thousand_that_may_be_a_decimal_is_refused_with_both(cell: str, thousand: str) -> None:
    with pytest.raises(DataError, match=rf"line 3: .* say --decimal '{thousand}'"):
        numbers(["950", cell, "720"])
    assert numbers([cell], thousand) == [float(cell.replace(".", "").replace(",", ""))]
    decimal = "." if thousand == "," else ","
    assert numbers([cell], decimal) == [float(cell.replace(",", "."))]


@pytest.mark.parametrize(
    ("cells", "decimal", "told"),
    [
        (["1.5", "1,5"], None, "point in line 2 and a comma in line 3"),
        (["1", "twelve"], None, "line 3: 'twelve' is not a number"),
        (["1.48"], ",", r"line 2: '1.48' is not a number with the decimal mark ','.*--decimal '.'"),
        (["1.48.000"], None, "line 2: '1.48.000' is not a number"),
        (["1e999"], None, "line 2: '1e999' is too large"),
    ],
)
def test_what_is_no_number_is_named(cells: list[str], decimal: str | None, told: str) -> None:
    with pytest.raises(DataError, match=told):
        numbers(cells, decimal)


@given(st.floats(-1e9, 1e9).filter(lambda value: abs(value) >= 0.01), st.sampled_from(".,"))
def test_a_number_with_its_mark_named_comes_back(value: float, mark: str) -> None:
    group = "," if mark == "." else "."
    written = f"{value:,.2f}".translate(str.maketrans(",.", group + mark))
    assert numbers([written], mark) == [float(f"{value:.2f}")]


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ("2024-01-31", "2024-01-31T00:00:00"),
        ("2024-01", "2024-01-01T00:00:00"),
        ("2024-01-31 10:00", "2024-01-31T10:00:00"),
        ("2024-01-31T10:00:00+02:00", "2024-01-31T10:00:00+02:00"),
        ("2024/1/3", "2024-01-03T00:00:00"),
        ("31.12.2024", "2024-12-31T00:00:00"),
        ("01.02.24", "2024-02-01T00:00:00"),
        ("13/4/2024 5:30 PM", "2024-04-13T17:30:00"),
        ("4/13/2024 12:30 am", "2024-04-13T00:30:00"),
        ("01/2024", "2024-01-01T00:00:00"),
        ("Jan 2020", "2020-01-01T00:00:00"),
        ("Jan-99", "1999-01-01T00:00:00"),
        ("Mär 2020", "2020-03-01T00:00:00"),
        ("Dez. 2020", "2020-12-01T00:00:00"),
        ("5. März 2020", "2020-03-05T00:00:00"),
        ("March 5, 2020", "2020-03-05T00:00:00"),
        ("janv. 2020", "2020-01-01T00:00:00"),
        ("août 2020", "2020-08-01T00:00:00"),
        ("1 de enero de 2020", "2020-01-01T00:00:00"),
        ("2024-W05", "2024-01-29T00:00:00"),
        ("2024Q3", "2024-07-01T00:00:00"),
        ("Q3 2024", "2024-07-01T00:00:00"),
        ("2024", "2024-01-01T00:00:00"),
        ("20240131", "2024-01-31T00:00:00"),
    ],
)
def test_dates_are_read_as_they_were_meant(cell: str, read: str) -> None:
    assert dates([cell]) == [read]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_months_have_names_in_four_languages(language: str) -> None:
    names = {
        "en": "January February March April May June July August September October November "
        "December",
        "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre "
        "décembre",
        "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
        "diciembre",
    }[language].split()
    assert [month_of(name) for name in names] == list(range(1, 13))
    short = [month_of(name[:4]) for name in names]
    assert short == list(range(1, 13))
    assert month_of("jui") is None


def test_a_day_that_may_be_a_month_is_refused_until_it_is_said() -> None:
    with pytest.raises(DataError, match=r"line 2: 03/04/2024 .*--day-first or --month-first"):
        dates(["03/04/2024", "04/04/2024"])
    assert dates(["03/04/2024"], day_first=True) == ["2024-04-03T00:00:00"]
    assert dates(["03/04/2024"], day_first=False) == ["2024-03-04T00:00:00"]
    assert dates(["03/04/2024", "13/04/2024"])[0] == "2024-04-03T00:00:00"
    assert dates(["03/04/2024", "03/14/2024"])[0] == "2024-03-04T00:00:00"


@pytest.mark.parametrize(
    ("cells", "form", "told"),
    [
        (["13/1/2024", "1/13/2024"], None, "day comes first in line 2 and the month in line 3"),
        (["2024-01-01", "yesterday"], None, "line 3: 'yesterday' is not a date.*--date-format"),
        (
            ["2024-01-01", "Jan 2024"],
            None,
            "line 3: 'Jan 2024' is not a date, or is not written as",
        ),
        (["2024-01-01", ""], None, "line 3 has no date"),
        (["2024-02-30"], None, "line 2: '2024-02-30' is not a date"),
        (["45292"], None, "convert numbers of days or seconds"),
        (["1.2.2024"], "%Y", "line 2: '1.2.2024' does not match --date-format %Y"),
    ],
)
def test_what_is_no_date_is_named(cells: list[str], form: str | None, told: str) -> None:
    with pytest.raises(DataError, match=told):
        dates(cells, form)


@given(st.dates(dt.date(1900, 1, 1), dt.date(2100, 12, 31)), st.sampled_from(["%d|%m", "%m|%d"]))
def test_a_form_that_is_named_is_kept_to(day: dt.date, order: str) -> None:
    form = f"{order}|%Y"
    assert dates([day.strftime(form)], form) == [f"{day}T00:00:00"]


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
    series = read_series(read_table(content), Form()).series[None]
    assert series.values == [1.5, 2.5]
    assert series.wall == [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2)]
    assert series.name == "sales"


def test_another_encoding_and_a_missing_header_are_told() -> None:
    assert read_table("Tag;Wert\n5. März 2024;1\n".encode("cp1252")).notes == (
        "the file is not UTF-8: it was read as Windows-1252",
    )
    table = read_table(b"2024-01-01,5\n2024-01-02,6\n")
    assert table.names == ["column 1", "column 2"]
    assert table.lines == [1, 2]
    assert table.notes == ("the first line is data: columns are named by their number",)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the file is empty"),
        (b"day,sales\n", "a header and no rows"),
        (b"PK\x03\x04...", "an Excel workbook: save the sheet as CSV"),
        (b"day\n2024-01-01\n", "the file has one column.*--delimiter"),
        (b"day,sales\n2024-01-01,1,480\n", r"line 2 has 3 cells where the header has 2.*in quotes"),
        (b"day,day\n2024-01-01,1\n", "two columns are named 'day'"),
        (b"a,b,c\nx,1,2\n", "no column looks like the times"),
        (b"day,b,c\n2024-01-01,1,2\n", "several might be the values, of 'b', 'c'"),
    ],
)
def test_what_is_no_table_of_a_series_is_told(content: bytes, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read_series(read_table(content), Form())


def test_ids_tell_series_apart() -> None:
    content = b"day,shop,sales\n2024-01-01,a,1\n2024-01-01,b,2\n2024-01-02,a,3\n"
    form = Form(id_column="shop")
    series = read_series(read_table(content), form).series
    assert {name: raw.values for name, raw in series.items()} == {"a": [1, 3], "b": [2]}
    with pytest.raises(DataError, match="line 3 has nothing in column 'shop'"):
        read_series(read_table(content.replace(b"b", b" ")), form)


@pytest.mark.parametrize("clocks", [["22:00", "23:00"], ["10:00 PM", "11:00 PM"]])
def test_a_time_of_day_in_its_own_column_is_part_of_the_time(clocks: list[str]) -> None:
    rows = "".join(f"31.01.2024,{clock},{n}\n" for n, clock in enumerate(clocks))
    read = read_series(read_table(f"date,time,load\n{rows}".encode()), Form())
    assert [moment.hour for moment in read.series[None].wall] == [22, 23]
    assert read.series[None].values == [0, 1]
