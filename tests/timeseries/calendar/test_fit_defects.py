"""What the calendar rejects: which entry, and in which words."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from app.timeseries.calendar.fit import CalendarErrors, fit_calendar
from app.timeseries.calendar.frequency import Frequency
from tests.timeseries.calendar.calendars import (
    business_days,
    defects,
    month_ticks,
    omit,
    set_text,
    ticks,
)

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)

START = np.datetime64("2024-01-01", "s")
HOURS = ticks(HOUR, 30)
DAYS = ticks(DAY, 40)
BUSINESS_DAYS = business_days(40)
WEEKS = ticks(WEEK, 30)
MONTHS = month_ticks(1, 80, "2020-01-01")
MONTH_ENDS = month_ticks(1, 40, "2020-01-31", 31)
QUARTERS = MONTHS[::3]
YEARS = month_ticks(12, 20, "2000-02-29", 29)
SECONDS, MINUTES, HOURLY, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY = Frequency


def test_a_duplicate_is_rejected_where_it_repeats() -> None:
    assert defects([*HOURS[:6], *HOURS[5:]], HOURLY) == {
        6: "duplicate timestamp: 2024-01-01T05:00:00 appears twice; send each timestamp once"
    }


@pytest.mark.parametrize(
    ("texts", "index"),
    [
        ([*ticks(HOUR, 15, "2024-10-26T12:00:00"), *ticks(HOUR, 9, "2024-10-27T02:00:00")], 15),
        ([*ticks(HOUR, 14, "2024-03-30T12:00:00"), *ticks(HOUR, 9, "2024-03-31T03:00:00")], 14),
    ],
)
def test_a_night_in_which_the_clock_changes_is_to_be_sent_in_utc(
    texts: list[str], index: int
) -> None:
    assert defects(texts, HOURLY)[index].endswith(
        "; if the clock changed in that night, send the times in UTC"
    )


def test_disorder_is_rejected_where_time_goes_back() -> None:
    issues = defects([HOURS[0], HOURS[2], HOURS[1], *HOURS[3:]], HOURLY)
    assert list(issues) == [2]
    assert issues[2].startswith(
        "timestamps must be in chronological order: "
        "2024-01-01T01:00:00 is before 2024-01-01T02:00:00"
    )


def test_disorder_and_duplicates_come_before_every_other_defect() -> None:
    texts = [*omit(HOURS[:9], 3), *HOURS[8:], HOURS[0]]
    issues = defects(texts, DAILY)
    assert [issue.split(":")[0] for issue in issues.values()] == [
        "duplicate timestamp",
        "timestamps must be in chronological order",
    ]


def test_a_reversed_series_has_20_defects_reported() -> None:
    assert list(defects(HOURS[::-1], HOURLY)) == list(range(1, 21))


@pytest.mark.parametrize(
    ("texts", "hole", "frequency", "step"),
    [
        (HOURS, 5, HOURLY, "1 hour"),
        (ticks(5 * MINUTE, 20), 1, MINUTES, "5 minutes"),
        (DAYS, 38, DAILY, "1 day"),
        (BUSINESS_DAYS, 5, DAILY, "1 business day"),
        (BUSINESS_DAYS, 9, DAILY, "1 business day"),
        (WEEKS, 7, WEEKLY, "1 week"),
        (MONTHS, 1, MONTHLY, "1 month"),
        (MONTHS[::2], 4, MONTHLY, "2 months"),
        (MONTH_ENDS, 13, MONTHLY, "1 month"),
        (QUARTERS, 6, QUARTERLY, "1 quarter"),
        (YEARS, 4, YEARLY, "1 year"),
    ],
)
def test_a_gap_is_reported_at_the_entry_after_it(
    texts: list[str], hole: int, frequency: Frequency, step: str
) -> None:
    assert defects(omit(texts, hole), frequency) == {
        hole: f"missing entry: {texts[hole]} is missing; send every entry, {step} apart"
    }


def test_a_missing_entry_is_named_in_the_form_of_the_series() -> None:
    texts = [f"{text}.000+02:00" for text in omit(HOURS, 5)]
    assert "2024-01-01T05:00:00+02:00 is missing" in defects(texts, HOURLY)[5]


def test_each_gap_is_reported_by_its_first_missing_entry() -> None:
    issues = defects(omit(HOURS, 3, 4, 5, 12), HOURLY)
    assert list(issues) == [3, 9]
    assert "2024-01-01T03:00:00 is missing, the first of 3 in a row" in issues[3]
    assert "2024-01-01T12:00:00 is missing;" in issues[9]


def test_at_most_20_gaps_are_listed() -> None:
    texts = omit(ticks(HOUR, 200), *range(5, 200, 5))
    assert len(defects(texts, HOURLY)) == 20


def test_closed_nights_are_gaps_of_opening_hours() -> None:
    texts = [text for text in ticks(HOUR, 96) if "09" <= text[11:13] <= "17"]
    issues = defects(texts, HOURLY)
    assert list(issues) == [9, 18, 27]
    assert "2024-01-01T18:00:00 is missing, the first of 15" in issues[9]


def test_one_saturday_among_business_days_makes_the_other_weekends_gaps() -> None:
    texts = sorted([*BUSINESS_DAYS, "2024-01-13T00:00:00"])
    issues = defects(texts, DAILY)
    assert "2024-01-06T00:00:00 is missing, the first of 2" in issues[5]
    assert "2024-01-14T00:00:00 is missing;" in issues[11]


@pytest.mark.parametrize(
    ("texts", "declared", "apart", "fitting"),
    [
        (HOURS, DAILY, "1 hour", HOURLY),
        (HOURS, MINUTES, "1 hour", HOURLY),
        (HOURS, SECONDS, "1 hour", HOURLY),
        (HOURS, MONTHLY, "1 hour", HOURLY),
        (ticks(timedelta(seconds=60), 30), SECONDS, "1 minute", MINUTES),
        (ticks(timedelta(seconds=30), 30), MINUTES, "30 seconds", SECONDS),
        (ticks(timedelta(seconds=1), 30), MINUTES, "1 second", SECONDS),
        (ticks(90 * MINUTE, 30), HOURLY, "90 minutes", MINUTES),
        (ticks(36 * HOUR, 30), DAILY, "36 hours", HOURLY),
        (DAYS, MINUTES, "1 day", DAILY),
        (DAYS, HOURLY, "1 day", DAILY),
        (DAYS, WEEKLY, "1 day", DAILY),
        (DAYS, MONTHLY, "1 day", DAILY),
        (DAYS, YEARLY, "1 day", DAILY),
        (ticks(10 * DAY, 30), WEEKLY, "10 days", DAILY),
        (ticks(30 * DAY, 30), MONTHLY, "30 days", DAILY),
        (BUSINESS_DAYS, HOURLY, "1 business day", DAILY),
        (BUSINESS_DAYS, WEEKLY, "1 business day", DAILY),
        (BUSINESS_DAYS, MONTHLY, "1 business day", DAILY),
        (WEEKS, DAILY, "1 week", WEEKLY),
        (WEEKS, HOURLY, "1 week", WEEKLY),
        (WEEKS, MONTHLY, "1 week", WEEKLY),
        (ticks(4 * WEEK, 30), MONTHLY, "4 weeks", WEEKLY),
        (MONTHS, SECONDS, "1 month", MONTHLY),
        (MONTHS, DAILY, "1 month", MONTHLY),
        (MONTH_ENDS, WEEKLY, "1 month", MONTHLY),
        (MONTHS, QUARTERLY, "1 month", MONTHLY),
        (MONTHS, YEARLY, "1 month", MONTHLY),
        (MONTHS[::4], QUARTERLY, "4 months", MONTHLY),
        (QUARTERS, DAILY, "1 quarter", QUARTERLY),
        (QUARTERS, MONTHLY, "1 quarter", QUARTERLY),
        (MONTHS[::6], YEARLY, "2 quarters", QUARTERLY),
        (QUARTERS, YEARLY, "1 quarter", QUARTERLY),
        (YEARS, SECONDS, "1 year", YEARLY),
        (YEARS, DAILY, "1 year", YEARLY),
        (YEARS, MONTHLY, "1 year", YEARLY),
        (YEARS, QUARTERLY, "1 year", YEARLY),
    ],
)
@pytest.mark.parametrize("holes", [(), (2,)])
def test_a_step_of_another_unit_names_the_frequency_that_fits(
    texts: list[str], declared: Frequency, apart: str, fitting: Frequency, holes: tuple[int, ...]
) -> None:
    assert defects(omit(texts, *holes), declared) == {
        1: f"invalid frequency: the timestamps are {apart} apart, which is {fitting}, "
        f"not {declared}; send data_frequency {fitting}"
    }


@pytest.mark.parametrize(
    ("grid", "off_grid", "text", "frequency", "around"),
    [
        ([*HOURS[:6], *HOURS[5:]], 5, "2024-01-01T04:30", HOURLY, "2024-01-01T04 2024-01-01T05"),
        ([*HOURS[:3], *HOURS[2:]], 2, "2024-01-01T01:30", MINUTES, "2024-01-01T01 2024-01-01T02"),
        (HOURS, 29, "2024-01-02T05:17", HOURLY, "2024-01-02T05 2024-01-02T06"),
        (HOURS, 0, "2024-01-01T00:10", HOURLY, "2024-01-01T00 2024-01-01T01"),
        (BUSINESS_DAYS, 4, "2024-01-05T12:00", DAILY, "2024-01-05 2024-01-08"),
        (BUSINESS_DAYS, 4, "2024-01-06T00:30", DAILY, "2024-01-05 2024-01-08"),
        (WEEKS, 3, "2024-01-23", WEEKLY, "2024-01-22 2024-01-29"),
        (MONTHS, 7, "2020-08-02", MONTHLY, "2020-08-01 2020-09-01"),
        (MONTHS, 7, "2020-08-02", DAILY, "2020-08-01 2020-09-01"),
        (MONTH_ENDS, 3, "2020-04-29", MONTHLY, "2020-03-31 2020-04-30"),
        (MONTHS, 2, "2020-03-01T01:00", MONTHLY, "2020-03-01 2020-04-01"),
        (YEARS, 19, "2019-03-01", YEARLY, "2019-02-28 2020-02-29"),
    ],
)
def test_an_entry_off_the_grid_is_named_with_its_neighbours_on_the_grid(
    grid: list[str], off_grid: int, text: str, frequency: Frequency, around: str
) -> None:
    in_full, *neighbours = (
        datetime.fromisoformat(text_of_time).isoformat() for text_of_time in [text, *around.split()]
    )
    issues = defects(set_text(grid, off_grid, in_full), frequency)
    assert list(issues) == [off_grid]
    assert issues[off_grid].startswith(f"irregular spacing: {in_full} is not on the grid")
    assert f"(nearest: {' and '.join(neighbours)})" in issues[off_grid]


def test_off_grid_entries_and_gaps_are_reported_together_in_order() -> None:
    texts = set_text(omit(HOURS, 20), 10, "2024-01-01T10:01:00")
    issues = defects(texts, HOURLY)
    assert [(entry, issue.split(":")[0]) for entry, issue in issues.items()] == [
        (10, "irregular spacing"),
        (20, "missing entry"),
    ]


def test_no_place_on_the_grid_is_sought_before_year_1() -> None:
    texts = set_text(ticks(DAY, 12, "0001-01-02T12:00:00"), 0, "0001-01-01T01:00:00")
    assert "(nearest: 0001-01-01T12:00:00)" in defects(texts, DAILY)[0]


def test_a_frequency_without_gaps_is_preferred() -> None:
    # Every second business day is 48 hours apart, but for the weekends.
    issues = defects(BUSINESS_DAYS[::2], HOURLY)
    assert "2 business days apart, which is Daily, not Hours" in issues[1]


def test_a_frequency_in_which_most_entries_are_missing_does_not_fit() -> None:
    minutes = np.cumsum([1, 1, *(1_000 * np.arange(1, 20) ** 2 + 7)])
    with pytest.raises(
        CalendarErrors, match="irregular spacing: the first timestamps are 1 minute"
    ):
        fit_calendar(START + 60 * minutes, WEEKLY)


@pytest.mark.parametrize("frequency", list(Frequency))
def test_a_series_without_any_step_names_where_its_first_step_changes(frequency: Frequency) -> None:
    gaps = (np.arange(30) ** 2 + 1) * 37
    with pytest.raises(CalendarErrors) as caught:
        fit_calendar(START + np.cumsum(gaps), frequency)
    ((entry, issue),) = caught.value.defects
    assert entry == 2
    assert issue.startswith("irregular spacing: the first timestamps are 74 seconds apart, but ")
    assert "comes 185 seconds after" in issue
