"""A change of the step within a file is asked about, not filled."""

import datetime as dt

import pytest

from app.tables.answers import Fill, PeriodAggregation
from tests.tables.kinds.case import to_text
from tests.tables.tables import notes_of, read_text, requirements

START = dt.datetime(2024, 5, 1)
HOURS = [START + dt.timedelta(hours=i) for i in range(240)]
QUARTERS = [START + dt.timedelta(hours=240, minutes=15 * i) for i in range(960)]


def test_hours_that_become_quarters_of_an_hour_open_a_question() -> None:
    rows = [f"{time},{4}" for time in HOURS] + [f"{time},{1}" for time in QUARTERS]
    reading = read_text(to_text("time,kWh", rows))
    assert requirements(reading) == ["per"]
    assert (
        "The values are 1 hour apart until 2024-05-11 00:00, and 15 minutes from then on"
        in notes_of(reading)
    )
    [series] = read_text(to_text("time,kWh", rows), per=PeriodAggregation.DAY_TOTAL).series
    assert series.values == [96.0] * 20


def charges() -> list[str]:
    """Return rows of 56 days without times, three for each day."""
    days = [START.date() + dt.timedelta(days=i) for i in range(-2, 54)]  # whole weeks, from Monday
    return to_text("date,charge", [f"{day},{amount}" for day in days for amount in (1, 2, 4)])


@pytest.mark.parametrize(
    ("per", "total", "count"),
    [(PeriodAggregation.DAY_TOTAL, 7.0, 56), (PeriodAggregation.WEEK_TOTAL, 49.0, 8)],
)
def test_totals_need_no_second_answer_for_several_rows_of_a_date(
    per: PeriodAggregation, total: float, count: int
) -> None:
    reading = read_text(charges(), per=per)
    assert requirements(reading) == []
    assert "The same date again: line 3" in notes_of(reading)
    assert [series.values for series in reading.series] == [[total] * count]


def test_averages_do_not_say_what_several_rows_of_a_date_become() -> None:
    assert requirements(read_text(charges(), per=PeriodAggregation.WEEK_AVERAGE)) == ["duplicates"]


def test_gaps_do_not_change_the_step() -> None:
    rows = [f"{time},{i % 7}" for i, time in enumerate(HOURS) if i % 60 > 4]
    assert requirements(read_text(to_text("time,load", rows))) == []


def test_two_names_with_steps_of_their_own_ask_nothing() -> None:
    rows = [f"{time},a,{i % 7}" for i, time in enumerate(HOURS)]
    rows += [f"{START + dt.timedelta(minutes=15 * i)},b,{i % 5}" for i in range(960)]
    assert "from then on" not in notes_of(read_text(to_text("time,meter,load", rows)))


@pytest.mark.parametrize(("seconds", "asks"), [(2, ["per"]), (7200, ["dates"])])
def test_two_times_of_a_payment_open_a_question_only_if_they_are_apart(
    seconds: int, asks: list[str]
) -> None:
    start = dt.datetime(2024, 1, 1, 9)
    times = [start + dt.timedelta(hours=5 * i, seconds=i * i) for i in range(60)]
    rows = [
        f"{time + dt.timedelta(seconds=seconds - (i % 5) * seconds)},{time},{i % 7}"
        for i, time in enumerate(times)
    ]
    reading = read_text(["Completion Time,Initiation Time,Paid", *rows])
    assert requirements(reading) == asks


def irregular_days(repeated: int) -> list[str]:
    """Return 60 irregular days, one of which comes twice if ``repeated`` is 1."""
    day, rows = dt.date(2025, 1, 3), list[str]()
    for i in range(60):
        day += dt.timedelta(days=(3, 1, 2, 3, 2, 3, 3)[i * i % 11 % 7])
        rows += [f"{day},{40 + i % 7}"]
    return rows[:30] + [f"{rows[29][:10]},777"] * repeated + rows[30:]


def test_a_date_that_comes_twice_among_irregular_ones_loses_no_value() -> None:
    rows = to_text("date,value", irregular_days(1))
    assert requirements(read_text(rows)) == ["per"]
    assert "some come twice" in notes_of(read_text(rows))
    [series] = read_text(rows, per=PeriodAggregation.DAY_TOTAL).series
    assert max(series.values) == 777 + 40 + 29 % 7
    assert requirements(read_text(rows, per=PeriodAggregation.NONE)) == ["duplicates"]
    kept = read_text(to_text("date,value", irregular_days(0)))
    assert requirements(kept) == []
    assert len(kept.series[0].values) == 60


def test_a_fill_asks_about_repeated_dates_and_values_off_the_grid() -> None:
    rows = irregular_days(1)
    assert requirements(read_text(to_text("date,value", rows), fill=Fill.ZERO)) == ["per"]
    kept = read_text(to_text("date,value", rows), fill=Fill.ZERO, per=PeriodAggregation.NONE)
    assert requirements(kept) == ["duplicates"]
    many = read_text(to_text("date,value", irregular_days(0)), fill=Fill.LINEAR)
    assert requirements(many) == ["per"]
    assert "lie between the others" in notes_of(many)
