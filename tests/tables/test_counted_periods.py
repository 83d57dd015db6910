"""Periods of years that begin within another, and those counted from a first one."""

import datetime as dt

import pytest

from app.tables.read import read_table
from app.tables.results import Answers, WrongAnswerError
from tests.tables.tables import BOUNDS, words

FROM_APRIL = "Year,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec,Jan,Feb,Mar\n" + "".join(
    f"{year}," + ",".join(map(str, range(100, 112))) + "\n" for year in (2021, 2022)
)


def test_a_year_cannot_begin_years_away_from_its_label() -> None:
    with pytest.raises(WrongAnswerError, match="2021 begins in 2021 or 2020; send 2021-04-01"):
        read_table(FROM_APRIL.encode(), Answers(start=dt.date(1, 4, 1)), BOUNDS)


@pytest.mark.parametrize("unit", ["Nth day", "Month"])
def test_periods_counted_beyond_the_last_year_are_left_out(unit: str) -> None:
    body = f"{unit},Units\n" + "".join(f"{i},{100 + i}\n" for i in range(40))
    reading = read_table(body.encode(), Answers(start=dt.date(9999, 12, 20)), BOUNDS)
    assert len(reading.series[0].values) < 40
    assert "is not a date" in words(reading)
