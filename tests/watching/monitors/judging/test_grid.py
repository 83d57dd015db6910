"""The indices of timestamps on the grid of a monitor."""

import datetime as dt

import pytest

from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import parse_timestamps
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.settings.errors import PointErrors


def grid_of(frequency, first, step=1):
    return MonitorGrid.from_first(Frequency(frequency), step, parse_timestamps([first]))


def indices(grid, *timestamps):
    parsed = parse_timestamps(timestamps)
    return grid.refined_by(parsed).indices(parsed)


def issues(grid, *timestamps):
    with pytest.raises(PointErrors) as caught:
        indices(grid, *timestamps)
    return {defect.entry: defect.issue for defect in caught.value.defects}


@pytest.mark.parametrize(
    ("frequency", "step", "first", "others", "expected"),
    [
        ("Seconds", 15, "2026-05-01T00:00:07Z", ["2026-05-01T00:00:37Z"], [2]),
        ("Minutes", 5, "2026-05-01T00:02:00", ["2026-05-01T00:12:00"], [2]),
        ("Hours", 1, "1969-12-31T23:00:00Z", ["1970-01-01T01:00:00Z"], [2]),
        ("Hours", 1, "1950-01-01T00:00:00Z", ["1949-12-31T22:00:00Z"], [-2]),
        ("Daily", 1, "2024-02-28T09:00:00", ["2024-03-01T09:00:00"], [2]),
        ("Weekly", 2, "2026-05-01T00:00:00", ["2026-05-29T00:00:00"], [2]),
        ("Monthly", 1, "2026-01-15T00:00:00", ["2026-03-15T00:00:00"], [2]),
        ("Quarterly", 1, "2026-01-31T00:00:00", ["2026-04-30T00:00:00"], [1]),
        ("Yearly", 1, "2024-02-29T00:00:00", ["2023-02-28T00:00:00"], [-1]),
        ("Yearly", 1, "9998-12-31T00:00:00Z", ["9999-12-31T00:00:00Z"], [1]),
    ],
)
def test_a_timestamp_has_an_index_and_an_index_its_timestamp(
    frequency, step, first, others, expected
) -> None:
    grid = grid_of(frequency, first, step)
    assert indices(grid, first) == [0]
    assert indices(grid, *others) == expected
    assert grid.timestamps(expected) == others


def test_another_offset_names_the_same_moment() -> None:
    grid = grid_of("Hours", "2026-05-01T00:00:00+02:00")
    assert indices(grid, "2026-04-30T23:00:00Z") == [1]
    assert indices(grid, "2026-04-30T17:30:00-05:30") == [1]
    assert grid.timestamps([1]) == ["2026-05-01T01:00:00+02:00"]


def test_z_and_an_offset_of_zero_are_one_offset() -> None:
    assert indices(grid_of("Daily", "2026-05-01T00:00:00Z"), "2026-05-02T00:00:00+00:00") == [1]


def test_local_midnights_are_days_across_daylight_saving_time() -> None:
    grid = grid_of("Daily", "2026-03-28T00:00:00+01:00")
    assert indices(grid, "2026-03-30T00:00:00+02:00", "2026-03-31T00:00:00+02:00") == [2, 3]
    assert indices(grid, "2026-03-30T01:00:00+02:00") == [2]


def test_local_midnights_are_month_ends_across_daylight_saving_time() -> None:
    grid = grid_of("Monthly", "2026-01-31T00:00:00+01:00")
    assert indices(grid, "2026-06-30T00:00:00+02:00") == [5]


def test_an_offset_where_the_first_has_none_is_rejected_and_the_reverse() -> None:
    without, with_offset = (grid_of("Hours", f"2026-05-01T00:00:00{end}") for end in ("", "Z"))
    assert "send them without an offset" in issues(without, "2026-05-01T01:00:00Z")[0]
    assert "send an offset with each" in issues(with_offset, "2026-05-01T01:00:00")[0]


def test_off_the_grid_is_rejected_with_its_neighbours_and_the_step() -> None:
    grid = grid_of("Minutes", "2026-05-01T00:02:00Z", 5)
    problems = issues(grid, "2026-05-01T00:07:00Z", "2026-05-01T00:10:00Z", "2026-05-01T00:13:00Z")
    assert sorted(problems) == [1, 2]
    assert "5 minutes apart" in problems[1]
    assert "2026-05-01T00:07:00Z and 2026-05-01T00:12:00Z" in problems[1]


def test_a_moment_past_the_year_9999_of_the_monitors_offset_is_rejected() -> None:
    grid = grid_of("Hours", "2026-05-01T00:00:00Z")
    assert "years 1 to 9999" in issues(grid, "9999-12-31T23:00:00-02:00")[0]


def test_only_one_time_is_named_beside_the_last_of_all() -> None:
    grid = grid_of("Hours", "2026-05-01T00:00:00Z")
    issue = issues(grid, "9999-12-31T23:30:00Z")[0]
    assert "(nearest: 9999-12-31T23:00:00Z)" in issue


@pytest.mark.parametrize(
    ("first", "then", "day"),
    [
        ("2026-04-30T00:00:00", "2026-05-30T00:00:00", 30),
        ("2026-04-30T00:00:00", "2026-05-31T00:00:00", 31),
        ("2026-02-28T00:00:00", "2026-03-28T00:00:00", 28),
        ("2026-02-28T00:00:00", "2026-03-29T00:00:00", 29),
        ("2026-02-28T00:00:00", "2026-03-31T00:00:00", 31),
    ],
)
def test_the_end_of_a_short_month_may_mean_that_day_or_month_ends(first, then, day) -> None:
    grid = grid_of("Monthly", first).refined_by(parse_timestamps([then]))
    assert indices(grid, then) == [1]
    assert (grid.axis.day, grid.min_day) == (day, day)
    assert grid.timestamps([0, 1]) == [first, then]


def test_the_meaning_of_the_day_is_decided_within_a_batch_in_the_order_sent() -> None:
    grid = grid_of("Monthly", "2026-04-30T00:00:00")
    assert indices(grid, "2026-05-30T00:00:00", "2026-06-30T00:00:00") == [1, 2]
    contradicted = issues(grid, "2026-05-31T00:00:00", "2026-07-30T00:00:00")
    assert sorted(contradicted) == [1]


def test_decided_month_ends_are_kept() -> None:
    grid = grid_of("Monthly", "2026-04-30T00:00:00")
    grid = grid.refined_by(parse_timestamps(["2026-05-31T00:00:00"]))
    assert 0 in issues(grid, "2026-07-30T00:00:00")


def step_of_history(frequency, *timestamps):
    sent = parse_timestamps(timestamps)
    calendar = fit_calendar(sent.times, Frequency(frequency), sent.suffix)
    return MonitorGrid.from_history(calendar, len(timestamps), sent.suffix)


def test_a_history_without_weekends_makes_business_days() -> None:
    days = [4, 5, 6, 7, 8, 11, 12, 13, 14, 15]  # of May 2026, from a Monday on
    grid = step_of_history("Daily", *(f"2026-05-{day:02}T09:00:00Z" for day in days))
    assert grid.periods == (5, 260)
    assert indices(grid, "2026-05-18T09:00:00Z") == [10]
    issue = issues(grid, "2026-05-16T09:00:00Z")[0]
    assert "1 business day apart" in issue
    assert "2026-05-15T09:00:00Z and 2026-05-18T09:00:00Z" in issue


def test_a_history_of_ends_of_short_months_may_still_mean_a_day() -> None:
    grid = step_of_history("Quarterly", "2025-06-30T00:00:00", "2025-09-30T00:00:00")
    assert indices(grid, "2025-12-30T00:00:00") == [2]
    assert indices(grid, "2025-12-31T00:00:00") == [2]


def test_moments_are_utc_and_end_with_the_calendar() -> None:
    grid = grid_of("Hours", "2026-05-01T00:00:00+02:00")
    assert grid.utc_datetime(3) == dt.datetime(2026, 5, 1, 1, tzinfo=dt.UTC)
    assert grid_of("Yearly", "9999-01-01T00:00:00").utc_datetime(1) is None
    assert grid_of("Hours", "0001-01-01T00:00:00+14:00").utc_datetime(0).year == 1
