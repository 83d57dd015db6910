"""Irregular dates as totals and averages of days, weeks and months."""

import datetime as dt
from dataclasses import replace

import pytest

from app.tables.answers import PeriodAggregation
from app.tables.errors import UnreadableTableError
from tests.tables.kinds.case import to_text
from tests.tables.tables import BOUNDS, notes_of, read_text, requirements

TIMES = [
    dt.datetime(2024, 1, 1, 6) + dt.timedelta(minutes=311 * i + (i * 37) % 97) for i in range(400)
]
VISITS = ["time,visits", *(f"{time:%Y-%m-%d %H:%M},{1 + i % 3}" for i, time in enumerate(TIMES))]


def days_of_year(year: int) -> list[str]:
    return ["time,visits", *(f"{year}{row[4:]}" for row in VISITS[1:])]


@pytest.mark.parametrize("year", [1500, 2024, 3004, 9996])
@pytest.mark.parametrize("per", [per for per in PeriodAggregation if per.period != "none"])
def test_several_values_a_day_are_combined_in_any_year(year: int, per: PeriodAggregation) -> None:
    rows = days_of_year(year)
    assert requirements(read_text(rows)) == ["per"]
    [series] = read_text(rows, per=per).series
    assert (
        series.data_frequency == {"day": "Daily", "week": "Weekly", "month": "Monthly"}[per.period]
    )
    assert series.missing == []


@pytest.mark.parametrize(("day", "is_left_out"), [(20, True), (29, True), (31, False)])
def test_the_current_month_is_left_out_even_if_dates_are_rare(day: int, is_left_out: bool) -> None:
    rows = [f"{time:%Y-%m-%d %H:%M},{n % 3}" for n, time in enumerate(TIMES[::40])]
    visits = ["time,visits", *(row for row in rows for _ in range(2))]
    bounds = replace(BOUNDS, today=dt.date(2024, 3, day))
    reading = read_text(visits, bounds, per=PeriodAggregation.MONTH_TOTAL)
    assert ("Left out March 2024" in notes_of(reading)) == is_left_out


def test_a_month_that_is_not_over_is_left_out() -> None:
    reading = read_text(VISITS, per=PeriodAggregation.MONTH_TOTAL)
    [series] = reading.series
    assert series.timestamps == ["2024-01-01T00:00:00", "2024-02-01T00:00:00"]
    assert "Left out March 2024: it is incomplete." in notes_of(reading)
    january = sum(1 + i % 3 for i, time in enumerate(TIMES) if time.month == 1)
    assert series.values[0] == january


def test_days_without_any_have_a_total_of_0_and_no_average() -> None:
    rows = [row for row in VISITS if "2024-01-07" not in row]
    [total] = read_text(rows, per=PeriodAggregation.DAY_TOTAL).series
    assert total.values[total.timestamps.index("2024-01-07T00:00:00")] == 0
    [average] = read_text(rows, per=PeriodAggregation.DAY_AVERAGE).series
    assert average.missing == ["2024-01-07T00:00:00"]


def test_values_stay_as_they_are_where_that_is_chosen() -> None:
    [series] = read_text(VISITS, per=PeriodAggregation.NONE).series
    assert (len(series.values), series.data_frequency) == (400, None)


def test_days_between_dates_far_apart_are_bounded() -> None:
    with pytest.raises(UnreadableTableError, match="too many points"):
        read_text([*VISITS, "9999-12-31 05:03,1"], per=PeriodAggregation.DAY_TOTAL)
    assert len(VISITS) < BOUNDS.max_points


def test_durations_of_bookings_beside_amounts_are_added_up_first() -> None:
    rows = [
        f"2026-07-{1 + i // 3:02},{8 + i % 3:02}:{i * 7 % 60:02}:07,"
        f"0{1 + i % 3}:{i * 11 % 60:02}:16,{i * 7 % 90}.79"
        for i in range(84)
    ]
    reading = read_text(to_text("Start date,Start time,Duration,Amount (EUR)", rows))
    [question] = [question for question in reading.questions if question.required]
    assert question.question == "Several a day: add them up by day?"
    assert question.choices[0].value == "day-total"
    assert "data_frequency" not in {question.parameter for question in reading.questions}


@pytest.mark.parametrize(("wage", "is_cut"), [(-60, True), (-300, False)])
def test_it_is_reported_that_totals_of_signed_amounts_are_cut_at_zero(
    wage: int, is_cut: bool
) -> None:
    days = [dt.date(2025, 1, 1) + dt.timedelta(n) for n in range(365) for _ in range(n * 7 % 5 - 2)]
    rows = [f"{day},{wage if n % 4 == 0 else 50 + n % 7}" for n, day in enumerate(days)]
    text = notes_of(read_text(["date,amount", *rows], per=PeriodAggregation.MONTH_TOTAL))
    assert ("“amount” has amounts below 0, but no month's total is" in text) is is_cut
