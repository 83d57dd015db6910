"""Zeros at the end that a series never had, and dates after today."""

import datetime as dt
from dataclasses import replace

import pytest

from app.tables.results import WrongAnswerError
from tests.tables.tables import BOUNDS, read_text, required, words

TODAY = replace(BOUNDS, today=dt.date(2024, 6, 15))
MONTHS = [f"{2023 + i // 12}-{i % 12 + 1:02}" for i in range(24)]


def rows_of(*columns: list[int]) -> list[str]:
    names = "abc"[: len(columns)]
    rows = zip(MONTHS, *columns, strict=True)
    return [",".join(["month", *names]), *(",".join(map(str, row)) for row in rows)]


def test_zeros_at_the_end_are_asked_about_and_left_out() -> None:
    rows = rows_of([*range(1, 23), 0, 0])
    reading = read_text(rows)
    [question] = [question for question in reading.questions if question.required]
    assert question.question == "The last 2 values are 0: leave them out?"
    assert [choice.value for choice in question.choices] == ["2024-10-01", "2024-12-01"]
    [series] = read_text(rows, until=dt.date(2024, 10, 1)).series
    assert series.values == [*range(1, 23)]
    [series] = read_text(rows, until=dt.date(2024, 12, 1)).series
    assert series.values[-2:] == [0, 0]


@pytest.mark.parametrize("values", [[0, *range(1, 22), 0, 0], [0] * 24, [*range(24, 0, -1)]])
def test_zeros_that_a_series_had_before_are_not_asked_about(values: list[int]) -> None:
    assert required(read_text(rows_of(values))) == []


def test_zeros_of_one_of_several_series_are_told() -> None:
    reading = read_text(rows_of([*range(1, 25)], [*range(1, 21), 0, 0, 0, 0]))
    assert required(reading) == []
    assert "“b” ends with 4 zeros, and had none before." in words(reading)


def test_dates_after_today_are_asked_about_but_not_those_of_this_month() -> None:
    reading = read_text(rows_of([*range(1, 25)]), TODAY)
    assert "The last 6 dates are after today: leave them out?" in words(reading)
    assert required(reading) == ["until"]
    assert required(read_text(rows_of([*range(1, 25)])[:19], TODAY)) == []
    assert required(read_text(rows_of([*range(1, 25)]))) == []


def test_no_value_until_a_day_is_a_wrong_answer() -> None:
    with pytest.raises(WrongAnswerError, match="no value is as early as 2020-01-01"):
        read_text(rows_of([*range(24)]), until=dt.date(2020, 1, 1))
