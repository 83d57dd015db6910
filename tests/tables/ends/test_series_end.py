"""Zeros at the end that a series never had, and dates after today."""

import datetime as dt
from dataclasses import replace

import pytest

from app.tables.errors import WrongAnswerError
from app.tables.reading import Suggestion
from tests.tables.tables import BOUNDS, notes_of, read_text, requirements

TODAY = replace(BOUNDS, today=dt.date(2024, 6, 15))
MONTHS = [f"{2023 + i // 12}-{i % 12 + 1:02}" for i in range(24)]
NOVEMBER_27 = dt.date(2026, 11, 27)  # a Friday


def rows_of(*columns: list[int]) -> list[str]:
    names = "abc"[: len(columns)]
    rows = zip(MONTHS, *columns, strict=True)
    return [",".join(["month", *names]), *(",".join(map(str, row)) for row in rows)]


def test_zeros_at_the_end_open_a_question_and_can_be_left_out() -> None:
    rows = rows_of([*range(1, 23), 0, 0])
    reading = read_text(rows)
    [question] = [question for question in reading.questions if question.required]
    assert question.question == "The last 2 values are 0: leave them out?"
    assert [choice.value for choice in question.choices] == ["2024-10-01", "2024-12-01"]
    reading = read_text(rows, until=dt.date(2024, 10, 1))
    assert reading.series[0].values == [*range(1, 23)]
    assert "Left out: 2 dates after 2024-10-01." in notes_of(reading)
    [series] = read_text(rows, until=dt.date(2024, 12, 1)).series
    assert series.values[-2:] == [0, 0]


@pytest.mark.parametrize("values", [[0, *range(1, 22), 0, 0], [0] * 24, [*range(24, 0, -1)]])
def test_zeros_that_a_series_had_before_are_not_asked_about(values: list[int]) -> None:
    assert requirements(read_text(rows_of(values))) == []


def test_zeros_of_one_of_several_series_are_reported() -> None:
    reading = read_text(rows_of([*range(1, 25)], [*range(1, 21), 0, 0, 0, 0]))
    assert requirements(reading) == []
    assert "“b” ends with 4 zeros, and had none before." in notes_of(reading)


def test_dates_after_today_open_a_question_but_not_those_of_this_month() -> None:
    reading = read_text(rows_of([*range(1, 25)]), TODAY)
    assert "The last 6 dates are after today: leave them out?" in notes_of(reading)
    assert requirements(reading) == ["until"]
    assert requirements(read_text(rows_of([*range(1, 25)])[:19], TODAY)) == []
    assert requirements(read_text(rows_of([*range(1, 25)]))) == []


def test_no_value_until_a_day_is_a_wrong_answer() -> None:
    with pytest.raises(WrongAnswerError, match="no value is as early as 2020-01-01"):
        read_text(rows_of([*range(24)]), until=dt.date(2020, 1, 1))


def end_question(rows: list[str], day: dt.date, **answers: object) -> tuple[str, list[str], bool]:
    """Return the question about the end of a table that is read on a day, and its choices."""
    reading = read_text(rows, replace(BOUNDS, today=day), **answers)
    asked = [question for question in reading.questions if question.parameter == "until"]
    if not asked:
        return "", [], False
    [question] = asked
    return question.question, [choice.value for choice in question.choices], question.required


def dated_rows(*dates: object) -> list[str]:
    return ["day,a", *(f"{day},{100 + n % 5}" for n, day in enumerate(dates))]


def month_days(count: int, last: dt.date, *, step: int = 1, day: int = 1) -> list[dt.date]:
    """Return dates in months that are ``step`` apart; ``day=0`` is the last of each month."""
    numbers = [12 * last.year + last.month - 1 - step * n for n in range(count)][::-1]
    if not day:
        firsts = [dt.date((n + 1) // 12, (n + 1) % 12 + 1, 1) for n in numbers]
        return [first - dt.timedelta(days=1) for first in firsts]
    return [dt.date(n // 12, n % 12 + 1, day) for n in numbers]


def test_a_month_that_is_not_over_counts_but_is_reported_and_can_be_left_out() -> None:
    rows = dated_rows(*(f"{day:%Y-%m}" for day in month_days(24, NOVEMBER_27)))
    reading = read_text(rows, replace(BOUNDS, today=NOVEMBER_27))
    assert end_question(rows, NOVEMBER_27) == (
        "The last month, November 2026, is not over: leave it out?",
        ["2026-10-01", "2026-11-01"],
        False,
    )
    [question] = reading.questions
    assert question.fact == "The last month, November 2026, is not over."
    [remark] = reading.remarks
    assert remark.code == "unfinished_period"
    assert remark.remark == (
        "The last month, November 2026, is not over, and counts like the others."
    )
    assert remark.suggestion == Suggestion(
        "until", "2026-10-01", "To leave it out, send until=2026-10-01."
    )
    assert reading.chosen.until == dt.date(2026, 11, 1)
    assert len(reading.series[0].values) == 24
    left_out = "Left out: 1 date after 2026-10-01."
    for month, count, text in ((10, 23, left_out), (11, 24, "")):
        until = dt.date(2026, month, 1)
        answered = read_text(rows, replace(BOUNDS, today=NOVEMBER_27), until=until)
        assert (len(answered.series[0].values), notes_of(answered)) == (count, text)


@pytest.mark.parametrize(
    ("last", "step", "day", "named"),
    [
        (NOVEMBER_27, 1, 0, "month, November 2026"),
        (dt.date(2026, 10, 1), 3, 1, "quarter, October 2026 to December 2026"),
        (dt.date(2026, 12, 1), 3, 0, "quarter, October 2026 to December 2026"),
        (dt.date(2026, 12, 1), 3, 1, "quarter, October 2026 to December 2026"),
        (dt.date(2026, 7, 1), 6, 1, "half-year, July 2026 to December 2026"),
        (dt.date(2027, 3, 1), 12, 0, "year, April 2026 to March 2027"),
    ],
)
def test_a_period_that_is_not_over_is_named_by_its_first_or_its_last_day(
    last: dt.date, step: int, day: int, named: str
) -> None:
    asked, _, required_ = end_question(
        dated_rows(*month_days(20, last, step=step, day=day)), NOVEMBER_27
    )
    assert (asked, required_) == (f"The last {named}, is not over: leave it out?", False)


@pytest.mark.parametrize(
    ("last", "step", "day"),
    [
        (dt.date(2026, 10, 1), 1, 0),
        (dt.date(2026, 11, 1), 1, 15),  # such as a reading
        (dt.date(2026, 9, 1), 3, 1),  # September is the last month of a quarter
        (dt.date(2026, 9, 1), 3, 0),
        (dt.date(2025, 1, 1), 12, 1),
    ],
)
def test_periods_that_are_over_ask_nothing(last: dt.date, step: int, day: int) -> None:
    assert not end_question(dated_rows(*month_days(20, last, step=step, day=day)), NOVEMBER_27)[0]


@pytest.mark.parametrize("label", ["Q4 2026", "2026-H2", "2026", "2026/27"])
def test_quarters_halves_and_years_that_are_not_over_are_reported(label: str) -> None:
    labels = {
        "Q4 2026": [f"Q{n % 4 + 1} {n // 4}" for n in range(4 * 2026 - 16, 4 * 2026 + 4)],
        "2026-H2": [f"{n // 2}-H{n % 2 + 1}" for n in range(2 * 2026 - 18, 2 * 2026 + 2)],
        "2026": [*range(2007, 2027)],
        "2026/27": [f"{year}/{year % 100 + 1:02}" for year in range(2007, 2027)],
    }[label]
    asked = end_question(dated_rows(*labels), NOVEMBER_27)[0]
    assert asked.startswith("The last ")
    assert asked.endswith(" 2026, is not over: leave it out?") or "March 2027" in asked


@pytest.mark.parametrize(
    ("header", "last", "named"),
    [
        ("Week", dt.date(2026, 11, 23), "week, from 2026-11-23"),
        ("Week", dt.date(2026, 11, 29), "week, to 2026-11-29"),
        ("Week ending", dt.date(2026, 11, 28), "week, to 2026-11-28"),
        ("Week of", dt.date(2026, 11, 22), "week, from 2026-11-22"),
        ("Week ending", dt.date(2026, 11, 23), ""),
        ("Week", dt.date(2026, 11, 22), ""),  # it may be the last day
        ("Week", dt.date(2026, 11, 16), ""),
    ],
)
def test_a_week_that_is_not_over_is_reported(header: str, last: dt.date, named: str) -> None:
    days = [last - dt.timedelta(weeks=n) for n in reversed(range(20))]
    asked, _, required_ = end_question([f"{header},a", *dated_rows(*days)[1:]], NOVEMBER_27)
    assert (asked, required_) == (named and f"The last {named}, is not over: leave it out?", False)


@pytest.mark.parametrize("step", [dt.timedelta(days=1), dt.timedelta(hours=1)])
def test_the_day_of_today_asks_nothing(step: dt.timedelta) -> None:
    last = dt.datetime(2026, 11, 27)
    assert not end_question(
        dated_rows(*(last - step * n for n in reversed(range(90)))), NOVEMBER_27
    )[0]


def test_there_is_one_question_about_the_end() -> None:
    months = [f"{day:%Y-%m}" for day in month_days(24, dt.date(2027, 1, 1))]
    rows = dated_rows(*months)
    assert end_question(rows, NOVEMBER_27)[0] == (
        "The last 2 dates are after today: leave them out?"
    )
    today = replace(BOUNDS, today=NOVEMBER_27)
    assert "November 2026, is not over" in notes_of(read_text(rows, today, until=NOVEMBER_27))
    kinds = ["day,a,kind", *(f"{row},Actual" for row in rows[1:-3]), f"{rows[-3]},Forecast"]
    assert end_question(kinds, NOVEMBER_27)[0].startswith("The last date is marked")
    zeros = [*rows[:-3], f"{months[-3]},0"]
    assert end_question(zeros, NOVEMBER_27)[0] == "The last value is 0: leave it out?"


@pytest.mark.parametrize(
    ("labels", "parameter", "answer"),
    [
        ([f"FY{2022 + n // 4} Q{n % 4 + 1}" for n in range(24)], "start", dt.date(2021, 4, 1)),
        ([f"0{n % 9 + 1}/0{n // 9 + 1}/2026" for n in range(81)], "date_order", "month-first"),
        ([f"{day:%b}" for day in month_days(24, NOVEMBER_27)], "year", 2025),
    ],
)
def test_the_end_opens_a_question_once_the_dates_are_known(
    labels: list[str], parameter: str, answer: object
) -> None:
    bounds = replace(BOUNDS, today=NOVEMBER_27)
    rows = [*dated_rows(*labels[:-1]), f"{labels[-1]},0"]
    assert requirements(read_text(rows, bounds)) == [parameter]
    assert requirements(read_text(rows, bounds, **{parameter: answer})) == ["until"]


def test_dates_after_today_are_asked_once_the_fiscal_year_is_known() -> None:
    labels = [f"FY{2022 + n // 4} Q{n % 4 + 1}" for n in range(24)]
    assert end_question(dated_rows(*labels), NOVEMBER_27)[0] == ""
    asked = end_question(dated_rows(*labels), NOVEMBER_27, start=dt.date(2021, 10, 1))
    assert asked[0] == "The last 3 dates are after today: leave them out?"


@pytest.mark.parametrize(
    ("last", "hour", "is_reported"), [(27, "", True), (26, "", False), (27, " 08:00", False)]
)
def test_a_day_of_today_is_reported_unless_it_is_a_reading_at_some_hour(
    last: int, hour: str, is_reported: bool
) -> None:
    days = [dt.date(2026, 11, last) - dt.timedelta(n) for n in reversed(range(60))]
    rows = dated_rows(*(f"{day}{hour}" for day in days))
    text = notes_of(read_text(rows, replace(BOUNDS, today=NOVEMBER_27)))
    remark = "The last day, 2026-11-27, is that of today, and counts like the others. "
    assert (remark + "To leave it out, send until=2026-11-26." in text) is is_reported
