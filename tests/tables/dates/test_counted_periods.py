"""Periods of years that begin within another, and those counted from a first one."""

import datetime as dt
from collections.abc import Sequence

import pytest

from app.tables.errors import WrongAnswerError
from tests.tables.tables import notes_of, read_bytes, read_text

FROM_APRIL = "Year,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec,Jan,Feb,Mar\n" + "".join(
    f"{year}," + ",".join(map(str, range(100, 112))) + "\n" for year in (2021, 2022)
)
ANALYTICS = """# ----------------------------------------
# Free form 1
# Start date: 20240101
# End date: 20240131
# ----------------------------------------
"""


def test_a_year_cannot_begin_years_away_from_its_label() -> None:
    with pytest.raises(WrongAnswerError, match="2021 begins in 2021 or 2020; send 2021-04-01"):
        read_bytes(FROM_APRIL.encode(), start=dt.date(1, 4, 1))


@pytest.mark.parametrize("header", ["Month", "Quarter"])
@pytest.mark.parametrize("day", [29, 31])
def test_a_period_of_months_cannot_begin_on_a_day_that_not_every_month_has(
    header: str, day: int
) -> None:
    form = {"Month": "{}", "Quarter": "FY24 Q{}"}[header]
    rows = "".join(
        f"{form.format(i)},{100 + i}\n" for i in range(1, 13 if header == "Month" else 5)
    )
    body = f"{header},Units\n{rows}".encode()
    assert read_bytes(body, start=dt.date(2024, 1, 28)).series
    with pytest.raises(WrongAnswerError, match=f"not every month has a day {day}; send a day from"):
        read_bytes(body, start=dt.date(2024, 1, day))


@pytest.mark.parametrize("note", ["Start: 2024-01-31", "Exported from SAP on 2024-01-12"])
def test_a_note_that_does_not_say_when_the_first_month_began_answers_nothing(note: str) -> None:
    body = f"# {note}\nMonth,Units\n" + "".join(f"{i},{100 + i}\n" for i in range(1, 13))
    assert [question.parameter for question in read_bytes(body.encode()).questions] == ["start"]


@pytest.mark.parametrize("note", ["Start of the report: 2024-01-28", "from 2024-01-28"])
def test_a_note_says_when_the_first_month_began(note: str) -> None:
    body = f"# {note}\nMonth,Units\n" + "".join(f"{i},{100 + i}\n" for i in range(1, 13))
    assert read_bytes(body.encode()).series[0].timestamps[0][:10] == "2024-01-28"


def test_a_day_can_be_the_last_of_a_month_where_days_are_counted() -> None:
    body = "Nth day,Units\n" + "".join(f"{i:04},{100 + i}\n" for i in range(20))
    [series] = read_bytes(body.encode(), start=dt.date(2024, 1, 31)).series
    assert series.timestamps[0][:10] == "2024-01-31"


@pytest.mark.parametrize("unit", ["Nth day", "Month"])
def test_periods_counted_beyond_the_last_year_are_left_out(unit: str) -> None:
    body = f"{unit},Units\n" + "".join(f"{i},{100 + i}\n" for i in range(40))
    reading = read_bytes(body.encode(), start=dt.date(9999, 12, 20))
    assert len(reading.series[0].values) < 40
    assert "are not dates" in notes_of(reading)


@pytest.mark.parametrize(
    "numbers",
    [range(31), range(30, -1, -1), sorted(range(31), key=lambda number: number * 7 % 31)],
    ids=["oldest first", "newest first", "by value"],
)
@pytest.mark.parametrize("total", ["", ",3100,Grand total\n"])
def test_the_days_of_a_report_are_read_in_any_order_and_below_a_total(
    numbers: Sequence[int], total: str
) -> None:
    rows = "\n".join(f"{number:04},{100 + number % 7}" for number in numbers)
    [series] = read_text(f"{ANALYTICS}Nth day,Active users\n{total}{rows}").series
    assert series.values == [100 + number % 7 for number in range(31)]
    assert (series.timestamps[0][:10], series.timestamps[-1][:10]) == ("2024-01-01", "2024-01-31")


def test_the_days_of_a_report_by_name_are_a_series_for_each_name() -> None:
    rows = [f"{number:04},{name},{number}" for number in range(31) for name in ("Web", "App")]
    reading = read_text([f"{ANALYTICS}Nth day,Platform,Users", *rows])
    assert [series.name for series in reading.series] == ["Web", "App"]


def test_a_report_without_its_first_days_still_counts_from_its_start() -> None:
    rows = [f"{number:04},{number}" for number in range(4, 31)]
    [series] = read_text([f"{ANALYTICS}Nth day,Users", *rows]).series
    assert series.timestamps[0] == "2024-01-05T00:00:00"
