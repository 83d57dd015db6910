"""What the calendar refuses: which entry, and in which words (D10)."""

from datetime import timedelta

import numpy as np
import pytest

from app.forecasting.calendar.fit import CalendarErrors, fit_calendar
from app.forecasting.calendar.frequency import Frequency
from tests.forecasting.calendar.calendars import (
    business_days,
    changed,
    defects,
    every,
    every_month,
    without,
)

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)

START = np.datetime64("2024-01-01", "s")
HOURS = every(HOUR, 30)
DAYS = every(DAY, 40)
BUSINESS_DAYS = business_days(40)
WEEKS = every(WEEK, 30)
MONTHS = every_month(1, 80, "2020-01-01T00:00:00")
MONTH_ENDS = every_month(1, 40, "2020-01-31T00:00:00", 31)
QUARTERS = MONTHS[::3]
YEARS = every_month(12, 20, "2000-02-29T00:00:00", 29)


def test_a_duplicate_is_refused_where_it_repeats() -> None:
    assert defects([*HOURS[:6], *HOURS[5:]], Frequency.HOURS) == {
        6: "duplicate timestamp: 2024-01-01T05:00:00 appears twice; send each timestamp once"
    }


def test_disorder_is_refused_where_time_goes_back() -> None:
    issues = defects([HOURS[0], HOURS[2], HOURS[1], *HOURS[3:]], Frequency.HOURS)
    assert list(issues) == [2]
    assert issues[2].startswith(
        "timestamps must be in chronological order: "
        "2024-01-01T01:00:00 is before 2024-01-01T02:00:00"
    )


def test_disorder_and_duplicates_come_before_every_other_defect() -> None:
    texts = [*without(HOURS[:9], 3), *HOURS[8:], HOURS[0]]
    issues = defects(texts, Frequency.DAILY)
    assert [issue.split(":")[0] for issue in issues.values()] == [
        "duplicate timestamp",
        "timestamps must be in chronological order",
    ]


def test_a_reversed_series_has_20_defects_reported() -> None:
    assert list(defects(HOURS[::-1], Frequency.HOURS)) == list(range(1, 21))


@pytest.mark.parametrize(
    ("texts", "hole", "frequency", "step"),
    [
        (HOURS, 5, Frequency.HOURS, "1 hour"),
        (every(5 * MINUTE, 20), 1, Frequency.MINUTES, "5 minutes"),
        (DAYS, 38, Frequency.DAILY, "1 day"),
        (BUSINESS_DAYS, 5, Frequency.DAILY, "1 business day"),
        (BUSINESS_DAYS, 9, Frequency.DAILY, "1 business day"),
        (WEEKS, 7, Frequency.WEEKLY, "1 week"),
        (MONTHS, 1, Frequency.MONTHLY, "1 month"),
        (MONTHS[::2], 4, Frequency.MONTHLY, "2 months"),
        (MONTH_ENDS, 13, Frequency.MONTHLY, "1 month"),
        (QUARTERS, 6, Frequency.QUARTERLY, "1 quarter"),
        (YEARS, 4, Frequency.YEARLY, "1 year"),
    ],
)
def test_a_hole_is_a_missing_entry_named_at_the_entry_after_it(
    texts: list[str], hole: int, frequency: Frequency, step: str
) -> None:
    assert defects(without(texts, hole), frequency) == {
        hole: f"missing entry: {texts[hole]} is missing; send every entry, {step} apart"
    }


def test_a_missing_entry_is_named_in_the_form_of_the_series() -> None:
    texts = [f"{text}.000+02:00" for text in without(HOURS, 5)]
    assert "2024-01-01T05:00:00+02:00 is missing" in defects(texts, Frequency.HOURS)[5]


def test_each_hole_is_named_by_its_first_missing_entry() -> None:
    issues = defects(without(HOURS, 3, 4, 5, 12), Frequency.HOURS)
    assert list(issues) == [3, 9]
    assert "2024-01-01T03:00:00 is missing, the first of 3 in a row" in issues[3]
    assert "2024-01-01T12:00:00 is missing;" in issues[9]


def test_no_more_than_20_holes_are_named() -> None:
    texts = without(every(HOUR, 200), *range(5, 200, 5))
    assert len(defects(texts, Frequency.HOURS)) == 20


def test_opening_hours_are_holes_of_the_night() -> None:
    texts = [text for text in every(HOUR, 96) if "09" <= text[11:13] <= "17"]
    issues = defects(texts, Frequency.HOURS)
    assert list(issues) == [9, 18, 27]
    assert "2024-01-01T18:00:00 is missing, the first of 15" in issues[9]


def test_one_saturday_among_business_days_makes_the_other_weekends_holes() -> None:
    texts = sorted([*BUSINESS_DAYS, "2024-01-13T00:00:00"])
    issues = defects(texts, Frequency.DAILY)
    assert "2024-01-06T00:00:00 is missing, the first of 2" in issues[5]
    assert "2024-01-14T00:00:00 is missing;" in issues[11]


@pytest.mark.parametrize(
    ("texts", "declared", "apart", "fitting"),
    [
        (HOURS, Frequency.DAILY, "1 hour", Frequency.HOURS),
        (HOURS, Frequency.MINUTES, "1 hour", Frequency.HOURS),
        (HOURS, Frequency.SECONDS, "1 hour", Frequency.HOURS),
        (HOURS, Frequency.MONTHLY, "1 hour", Frequency.HOURS),
        (every(timedelta(seconds=60), 30), Frequency.SECONDS, "1 minute", Frequency.MINUTES),
        (every(timedelta(seconds=30), 30), Frequency.MINUTES, "30 seconds", Frequency.SECONDS),
        (every(90 * MINUTE, 30), Frequency.HOURS, "90 minutes", Frequency.MINUTES),
        (every(36 * HOUR, 30), Frequency.DAILY, "36 hours", Frequency.HOURS),
        (DAYS, Frequency.MINUTES, "1 day", Frequency.DAILY),
        (DAYS, Frequency.HOURS, "1 day", Frequency.DAILY),
        (DAYS, Frequency.WEEKLY, "1 day", Frequency.DAILY),
        (DAYS, Frequency.YEARLY, "1 day", Frequency.DAILY),
        (every(10 * DAY, 30), Frequency.WEEKLY, "10 days", Frequency.DAILY),
        (every(30 * DAY, 30), Frequency.MONTHLY, "30 days", Frequency.DAILY),
        (BUSINESS_DAYS, Frequency.HOURS, "1 business day", Frequency.DAILY),
        (BUSINESS_DAYS, Frequency.WEEKLY, "1 business day", Frequency.DAILY),
        (BUSINESS_DAYS, Frequency.MONTHLY, "1 business day", Frequency.DAILY),
        (WEEKS, Frequency.DAILY, "1 week", Frequency.WEEKLY),
        (WEEKS, Frequency.HOURS, "1 week", Frequency.WEEKLY),
        (WEEKS, Frequency.MONTHLY, "1 week", Frequency.WEEKLY),
        (every(4 * WEEK, 30), Frequency.MONTHLY, "4 weeks", Frequency.WEEKLY),
        (MONTHS, Frequency.SECONDS, "1 month", Frequency.MONTHLY),
        (MONTHS, Frequency.DAILY, "1 month", Frequency.MONTHLY),
        (MONTH_ENDS, Frequency.WEEKLY, "1 month", Frequency.MONTHLY),
        (MONTHS, Frequency.QUARTERLY, "1 month", Frequency.MONTHLY),
        (MONTHS, Frequency.YEARLY, "1 month", Frequency.MONTHLY),
        (MONTHS[::4], Frequency.QUARTERLY, "4 months", Frequency.MONTHLY),
        (QUARTERS, Frequency.DAILY, "1 quarter", Frequency.QUARTERLY),
        (QUARTERS, Frequency.MONTHLY, "1 quarter", Frequency.QUARTERLY),
        (MONTHS[::6], Frequency.YEARLY, "2 quarters", Frequency.QUARTERLY),
        (YEARS, Frequency.DAILY, "1 year", Frequency.YEARLY),
        (YEARS, Frequency.MONTHLY, "1 year", Frequency.YEARLY),
        (YEARS, Frequency.QUARTERLY, "1 year", Frequency.YEARLY),
    ],
)
@pytest.mark.parametrize("holes", [(), (2,)])
def test_a_step_of_another_unit_names_the_frequency_that_fits(
    texts: list[str],
    declared: Frequency,
    apart: str,
    fitting: Frequency,
    holes: tuple[int, ...],
) -> None:
    assert defects(without(texts, *holes), declared) == {
        1: f"invalid frequency: the timestamps are {apart} apart, which is {fitting}, "
        f"not {declared}; send data_frequency and forecast_frequency {fitting}"
    }


@pytest.mark.parametrize(
    ("texts", "frequency", "stray", "around"),
    [
        (
            [*HOURS[:5], "2024-01-01T04:30:00", *HOURS[5:]],
            Frequency.HOURS,
            5,
            "2024-01-01T04:00:00 and 2024-01-01T05:00:00",
        ),
        (
            [*HOURS[:2], "2024-01-01T01:30:00", *HOURS[2:]],
            Frequency.MINUTES,
            2,
            "2024-01-01T01:00:00 and 2024-01-01T02:00:00",
        ),
        (
            changed(HOURS, 29, "2024-01-02T05:17:00"),
            Frequency.HOURS,
            29,
            "2024-01-02T05:00:00 and 2024-01-02T06:00:00",
        ),
        (
            changed(HOURS, 0, "2024-01-01T00:10:00"),
            Frequency.HOURS,
            0,
            "2024-01-01T00:00:00 and 2024-01-01T01:00:00",
        ),
        (
            changed(BUSINESS_DAYS, 4, "2024-01-05T12:00:00"),
            Frequency.DAILY,
            4,
            "2024-01-05T00:00:00 and 2024-01-08T00:00:00",
        ),
        (
            changed(BUSINESS_DAYS, 4, "2024-01-06T00:30:00"),
            Frequency.DAILY,
            4,
            "2024-01-05T00:00:00 and 2024-01-08T00:00:00",
        ),
        (
            changed(WEEKS, 3, "2024-01-23T00:00:00"),
            Frequency.WEEKLY,
            3,
            "2024-01-22T00:00:00 and 2024-01-29T00:00:00",
        ),
        (
            changed(MONTHS, 7, "2020-08-02T00:00:00"),
            Frequency.MONTHLY,
            7,
            "2020-08-01T00:00:00 and 2020-09-01T00:00:00",
        ),
        (
            changed(MONTHS, 7, "2020-08-02T00:00:00"),
            Frequency.DAILY,
            7,
            "2020-08-01T00:00:00 and 2020-09-01T00:00:00",
        ),
        (
            changed(MONTH_ENDS, 3, "2020-04-29T00:00:00"),
            Frequency.MONTHLY,
            3,
            "2020-03-31T00:00:00 and 2020-04-30T00:00:00",
        ),
        (
            changed(MONTHS, 2, "2020-03-01T01:00:00"),
            Frequency.MONTHLY,
            2,
            "2020-03-01T00:00:00 and 2020-04-01T00:00:00",
        ),
        (
            changed(YEARS, 19, "2019-03-01T00:00:00"),
            Frequency.YEARLY,
            19,
            "2019-02-28T00:00:00 and 2020-02-29T00:00:00",
        ),
    ],
)
def test_an_entry_off_the_grid_is_named_with_its_places_on_the_grid(
    texts: list[str], frequency: Frequency, stray: int, around: str
) -> None:
    issues = defects(texts, frequency)
    assert list(issues) == [stray]
    assert issues[stray].startswith(f"irregular spacing: {texts[stray]} is not on the grid")
    assert f"(next to it: {around})" in issues[stray]


def test_strays_and_holes_are_reported_together_in_order() -> None:
    texts = changed(without(HOURS, 20), 10, "2024-01-01T10:01:00")
    issues = defects(texts, Frequency.HOURS)
    assert [(entry, issue.split(":")[0]) for entry, issue in issues.items()] == [
        (10, "irregular spacing"),
        (20, "missing entry"),
    ]


def test_no_place_on_the_grid_is_sought_before_year_1() -> None:
    texts = changed(every(DAY, 12, "0001-01-02T12:00:00"), 0, "0001-01-01T01:00:00")
    assert "(next to it: 0001-01-01T12:00:00)" in defects(texts, Frequency.DAILY)[0]


def test_holes_give_way_to_a_frequency_that_has_none() -> None:
    # Every second business day is 48 hours apart, but for the weekends.
    issues = defects(BUSINESS_DAYS[::2], Frequency.HOURS)
    assert "2 business days apart, which is Daily, not Hours" in issues[1]


def test_a_frequency_in_which_most_entries_are_missing_does_not_fit() -> None:
    minutes = np.cumsum([1, 1, *(1_000 * np.arange(1, 20) ** 2 + 7)])
    with pytest.raises(
        CalendarErrors, match="irregular spacing: the first timestamps are 1 minute"
    ):
        fit_calendar(START + 60 * minutes, Frequency.WEEKLY)


@pytest.mark.parametrize("frequency", list(Frequency))
def test_a_series_without_any_step_names_where_its_first_step_changes(
    frequency: Frequency,
) -> None:
    gaps = (np.arange(30) ** 2 + 1) * 37
    with pytest.raises(CalendarErrors) as caught:
        fit_calendar(START + np.cumsum(gaps), frequency)
    ((entry, issue),) = caught.value.defects
    assert entry == 2
    assert issue.startswith("irregular spacing: the first timestamps are 74 seconds apart, but ")
    assert "comes 185 seconds after" in issue
