"""Tables in the markup of wikis, and files of buoys."""

import pytest

from tests.tables.kinds.case import to_text
from tests.tables.tables import read_text, rejection_of

MONTHS = [f"2024-{month:02}" for month in range(1, 7)]


@pytest.mark.parametrize(
    ("names", "row"),
    [
        ('! Month !! style="width:9em" | Sales', "| {} || {}"),
        ("! Month\n! Sales", '| style="text-align:left" | {}\n| {}'),
        ("! [[Calendar|Month]]\n! '''Sales'''", "|{}||{}"),
    ],
)
def test_tables_of_mediawiki_are_read(names: str, row: str) -> None:
    rows = [to_text("|-", row.format(month, 10 + n)) for n, month in enumerate(MONTHS)]
    text = to_text("Before", '{| class="wikitable"', "|+ Title", names, *rows, "|}", "After | it")
    [series] = read_text(text).series
    assert series.name == "Sales"
    assert series.values == [10, 11, 12, 13, 14, 15]


def test_a_row_of_too_many_cells_is_rejected() -> None:
    text = to_text("{|", "! a !! b", "|-", "|1" + "||1" * 6_000, "|}")
    assert "6,001 columns" in rejection_of(text.encode()).issue


def test_names_between_double_bars_are_above_their_cells() -> None:
    rows = [f"| {month} | {n} | {n + 7} |" for n, month in enumerate(MONTHS)]
    reading = read_text(to_text("|| Month || Sales || Cost ||", rows))
    assert [series.name for series in reading.series] == ["Sales", "Cost"]


def test_empty_cells_between_bars_stay_empty() -> None:
    rows = [f"{month}||{n}|" for n, month in enumerate(MONTHS)]
    [series] = read_text(to_text("Month|Note|Sales|Text", rows)).series
    assert (series.name, series.values) == ("Sales", [0, 1, 2, 3, 4, 5])


def test_the_minutes_of_a_buoy_are_parts_of_its_times() -> None:
    rows = [f"2024 02 {day:02} 00 50 1{day:02}  5.{day}    MM" for day in range(1, 9)]
    header = to_text("#YY  MM DD hh mm WDIR WSPD   GST", "#yr  mo dy hr mn degT m/s    m/s")
    reading = read_text(to_text(header, rows))
    assert [series.name for series in reading.series] == ["WDIR", "WSPD"]
    assert reading.series[0].timestamps[0] == "2024-02-01T00:50:00"
    assert reading.series[0].values == [100 + day for day in range(1, 9)]
