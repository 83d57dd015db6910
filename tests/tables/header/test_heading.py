"""Where the names of columns are read from."""

import datetime as dt

import pytest

from tests.tables.tables import notes_of, read_text, requirements


@pytest.mark.parametrize(
    ("header", "expected"), [(",sales", ["sales"]), (",gdp,cpi", ["gdp", "cpi"])]
)
def test_the_index_of_pandas_has_no_name_and_its_columns_keep_theirs(
    header: str, expected: list[str]
) -> None:
    rows = [f"2024-01-{day:02}" + f",{day}.5" * len(expected) for day in range(1, 20)]
    reading = read_text("\n".join([header, *rows]))
    assert [series.name for series in reading.series] == expected


def test_names_units_and_processing_of_a_logger_are_in_three_rows() -> None:
    rows = [
        f'"2025-09-01 {n // 6:02}:{n % 6}0:00",{88210 + n},{n % 7}.5,{n % 5}' for n in range(60)
    ]
    header = ['"TIMESTAMP","RECORD","AirTC_Avg","RH"', '"TS","RN","Deg C","%"', '"","","Avg","Smp"']
    environment = '"TOA5","Alm","CR1000X","21488"'
    reading = read_text([environment, *header, *rows])
    assert [series.name for series in reading.series] == ["AirTC_Avg Deg C Avg", "RH % Smp"]
    assert "“RECORD RN” numbers the rows" in notes_of(reading)


def test_groups_of_groups_end_with_those_above() -> None:
    rows = [f"{year};{year % 7},5;{year % 5};{year % 3},5" for year in range(2000, 2015)]
    header = [";Brutto;;Quote", ";gesamt;je Kopf;", "Jahr;in %;;in %"]
    merged = ["Jahr;Brutto;;Quote", *header[1:2], ";in %;;in %"]
    names = [series.name for series in read_text([*merged, *rows]).series]
    assert names == ["Brutto gesamt in %", "Brutto je Kopf", "Quote in %"]
    for title in ([], ["Bericht"], ["Bericht;Nord;;"], ["Stand: heute;Quelle: Amt;;", ""]):
        names = [series.name for series in read_text([*title, *header, *rows]).series]
        assert names == ["Brutto gesamt in %", "Brutto je Kopf", "Quote in %"]


@pytest.mark.parametrize("above", ["Bericht;Konto 7;Nord;", "Auszug;Giro;;\n", "a;b;c;d\n"])
def test_rows_above_two_rows_of_names_are_not_names(above: str) -> None:
    rows = [f"{year};{year % 7},5;{year % 5};{year % 3},5" for year in range(2000, 2015)]
    names = [s.name for s in read_text([above, ";A;;B", "Jahr;x;y;z", *rows]).series]
    assert names == ["A x", "A y", "B z"]


def test_the_head_of_a_printed_page_is_not_part_of_the_names() -> None:
    rows = [f"{year};{year % 7},5;{year % 5};{year % 3},5" for year in range(2000, 2015)]
    page = "PGM R210;USER DUBOIS;SITE 02;LE 16/11/26"
    assert [s.name for s in read_text([page, "Jahr;x;y;z", *rows]).series] == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("above", "name"),
    [
        (["Sales of bread"], "Sales of bread"),
        (["Sales of bread", ""], "Sales of bread"),
        (["Currency: EUR"], "Value"),
        (["Exported by Bob", "Sales of bread"], "Value"),
        (["2024"], "Value"),
    ],
)
def test_a_title_names_a_single_column_of_values(above: list[str], name: str) -> None:
    rows = [f"2024-01-{day:02};{day}" for day in range(1, 13)]
    [series] = read_text([*above, "Date;Value", *rows]).series
    assert series.name == name
    [visits] = read_text([*above, "Date;Visits", *rows]).series
    assert visits.name == "Visits"


@pytest.mark.parametrize("form", ["{0.month}/{0.day}/{0.year}", "{0.day}/{0.month}/{0.year}"])
def test_the_only_column_of_dates_in_order_is_taken_in_any_country(form: str) -> None:
    closed = [dt.date(2024, 1, 3) + dt.timedelta(i) for i in range(60)]
    rows = [
        f"{form.format(day)},{form.format(day - dt.timedelta(i * 37 % 50))},{100 + i}"
        for i, day in enumerate(closed)
    ]
    reading = read_text(["Close Date,Created Date,Amount", *rows])
    assert (requirements(reading), reading.chosen.dates) == ([], "Close Date")


def test_line_breaks_in_a_cell_of_the_header_are_no_empty_rows_below_it() -> None:
    header = '"Date","North\nregion\nEMEA","","South",""\n"","Sales","Cost","Sales","Cost"'
    rows = [f"2024-01-{day:02},{day},{day + 1},{day + 2},{day + 3}" for day in range(1, 15)]
    names = [series.name for series in read_text([header, *rows]).series]
    assert names[2:] == ["South Sales", "South Cost"]
