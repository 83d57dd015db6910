"""Periods of years that begin within another, and those counted from a first one."""

import datetime as dt
from collections.abc import Sequence

import pytest

from app.tables.results import WrongAnswerError
from tests.tables.tables import read_bytes, read_text, words

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


@pytest.mark.parametrize("unit", ["Nth day", "Month"])
def test_periods_counted_beyond_the_last_year_are_left_out(unit: str) -> None:
    body = f"{unit},Units\n" + "".join(f"{i},{100 + i}\n" for i in range(40))
    reading = read_bytes(body.encode(), start=dt.date(9999, 12, 20))
    assert len(reading.series[0].values) < 40
    assert "are not dates" in words(reading)


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
