"""A rule below the header of a print, or a name for the weekdays, shows which name is whose."""

import datetime as dt

import pytest

from tests.tables.kinds.case import days, to_text
from tests.tables.tables import notes_of, read_text

DAYS = days("2026-06-01", 40)
RULE = " ---------- --- ------- --------"
HEADER = " DATE       DAY   SALES   VISITS"
TITLES = "RPT-ID: WTP0042        CITY OF MAPLE FALLS           PAGE   {}"
UNITS = "                  (EUR)      (N)"
SALES, VISITS = [day.day * 100 for day in DAYS], [day.day + 40 for day in DAYS]


def row(day: dt.date) -> str:
    return f" {day:%m/%d/%Y} {day:%a} {day.day * 100:>7,.1f} {day.day + 40:>8}"


def values_of(text: str) -> dict[str, list[float]]:
    return {series.name: [*series.values] for series in read_text(text).series}


@pytest.mark.parametrize(
    "header",
    [[HEADER], [HEADER, RULE], [RULE, HEADER, RULE], ["Date Day Sales Visits".upper()]],
)
def test_a_weekday_beside_the_date_does_not_move_the_names(header: list[str]) -> None:
    assert values_of(to_text(header, map(row, DAYS))) == {"SALES": SALES, "VISITS": VISITS}


def test_a_weekday_before_the_date_does_not_move_the_names() -> None:
    rows = [f"{day:%a} {day:%d.%m.%Y} {day.day * 100} {day.day + 40}" for day in DAYS]
    assert values_of(to_text("Tag Datum SALES VISITS", rows)) == {"SALES": SALES, "VISITS": VISITS}


def test_a_weekday_without_a_name_is_of_the_date() -> None:
    text = to_text("Date            SALES   VISITS", map(row, DAYS))
    assert values_of(text) == {"SALES": SALES, "VISITS": VISITS}
    assert values_of(to_text("Daily sales per shop", map(row, DAYS))) == {
        "Column 2": SALES,
        "Column 3": VISITS,
    }


def test_pages_that_repeat_names_and_units_are_one_table() -> None:
    pages = [
        [TITLES.format(page), "", HEADER, UNITS, RULE, *map(row, of_page)]
        for page, of_page in ((1, DAYS[:30]), (2, DAYS[30:]))
    ]
    pages[0].insert(20, " *** TOT      127,437.6      900\n")
    text = to_text(*pages)
    assert values_of(text) == {"SALES (EUR)": SALES, "VISITS (N)": VISITS}
    assert "Another table" not in notes_of(read_text(text))


def test_pages_that_repeat_groups_and_names_are_one_table() -> None:
    header = [";North;;South;", "Date;Sales;Visits;Sales;Visits"]
    rows = [f"{day};{i};{i + 100};{i + 200};{i + 300}" for i, day in enumerate(DAYS)]
    series = values_of(to_text(header, rows[:20], "Page 2", header, rows[20:]))
    assert [*series] == ["North Sales", "North Visits", "South Sales", "South Visits"]
    assert series["South Sales"] == [*range(200, 240)]


def test_a_table_below_with_other_units_is_another_one() -> None:
    rows = [f"{day};{i}" for i, day in enumerate(DAYS)]
    text = to_text("Date;Sales", ";(EUR)", rows[:20], "", "Date;Sales", ";(USD)", rows[20:])
    assert [*map(len, values_of(text).values())] == [20]
    assert "Another table begins in line 24: only the first is read." in notes_of(read_text(text))


def test_an_empty_cell_below_a_rule_does_not_move_the_others() -> None:
    rows = [
        f"{day:%d-%b-%y} {'North':10} {'' if day.day == 3 else day.day:>10} {day.day + 40:>10}"
        for day in DAYS[:30]
    ]
    header = "DAY       REGION          SALES     VISITS"
    series = values_of(to_text(header, "--------- ---------- ---------- ----------", rows))
    assert (len(series["SALES"]), series["VISITS"]) == (29, VISITS[:30])


@pytest.mark.parametrize(
    "groups",
    [
        "                 ----- Water -----   ---- Power ----",
        "                     Water               Power",
    ],
)
def test_a_group_is_that_of_the_columns_that_it_is_over(groups: str) -> None:
    header = "Date          In       Out       In        Out"
    rule = "---------- --------- --------- --------- ---------"
    rows = [f"{day} {i:9} {i + 100:9} {i + 200:9} {i + 300:9}" for i, day in enumerate(DAYS)]
    names = [*values_of(to_text(groups, header, rule, rows))]
    assert names == ["Water In", "Water Out", "Power In", "Power Out"]


def test_the_rule_above_a_total_is_not_a_header() -> None:
    rows = [*map(row, DAYS)]
    total = ["            ------- --------", "            9,999.9    9,999"]
    text = to_text(HEADER, rows[:30], total, rows[30:])
    assert values_of(text) == {"SALES": SALES, "VISITS": VISITS}


def test_a_name_without_cells_below_is_not_passed_over() -> None:
    rows = [f"{day} {i} {i + 100}" for i, day in enumerate(DAYS)]
    message = notes_of(read_text(to_text("Date  Sales  Visits  Rain", rows)))
    assert "No row has a cell below “Rain”, the last name in line 1" in message
