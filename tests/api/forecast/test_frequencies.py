"""The grid of a series over HTTP: steps, anchors, gaps, other frequencies."""

from datetime import timedelta

import pytest

from tests.support.api import Api, details_of, first_defect
from tests.support.series import body_of
from tests.timeseries.calendar.calendars import business_days, month_ticks, omit, ticks

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)
# frequency, the timestamps, and those that come next: times of 2024-01-01, or dates at midnight
GRIDS: list[tuple[str, list[str], str]] = [
    ("Seconds", ticks(SECOND, 20), "00:00:20 00:00:21 00:00:22"),
    ("Seconds", ticks(10 * SECOND, 20), "00:03:20 00:03:30 00:03:40"),
    ("Seconds", ticks(90 * SECOND, 20), "00:30:00 00:31:30 00:33:00"),
    ("Minutes", ticks(MINUTE, 60), "01:00:00 01:01:00 01:02:00"),
    ("Minutes", ticks(5 * MINUTE, 24), "02:00:00 02:05:00 02:10:00"),
    ("Minutes", ticks(2 * HOUR, 11), "22:00:00 2024-01-02T00:00:00"),
    ("Hours", ticks(HOUR, 20), "20:00:00 21:00:00 22:00:00"),
    ("Hours", ticks(6 * HOUR, 12), "2024-01-04 2024-01-04T06:00:00"),
    ("Hours", ticks(HOUR, 20, "2024-01-01T00:17:03"), "20:17:03 21:17:03 22:17:03"),
    ("Daily", ticks(DAY, 31), "2024-02-01 2024-02-02 2024-02-03"),
    (
        "Daily",
        ticks(DAY, 27, "2024-02-01T06:30"),
        "2024-02-28T06:30:00 2024-02-29T06:30:00 2024-03-01T06:30:00",
    ),
    ("Daily", ticks(2 * DAY, 15), "2024-01-31 2024-02-02"),
    ("Daily", ticks(2 * WEEK, 12), "2024-06-17 2024-07-01"),
    ("Daily", business_days(20), "2024-01-29 2024-01-30 2024-01-31"),
    ("Daily", business_days(15, "2024-01-01T16"), "2024-01-22T16:00:00 2024-01-23T16:00:00"),
    ("Daily", business_days(17, "2024-01-03"), "2024-01-26 2024-01-29 2024-01-30"),
    ("Weekly", ticks(WEEK, 12), "2024-03-25 2024-04-01 2024-04-08"),
    ("Weekly", ticks(WEEK, 12, "2024-01-07"), "2024-03-31 2024-04-07"),
    ("Weekly", ticks(2 * WEEK, 12), "2024-06-17 2024-07-01"),
    ("Monthly", month_ticks(1, 24, "2023-01-01"), "2025-01-01 2025-02-01 2025-03-01"),
    ("Monthly", month_ticks(1, 24, "2023-01-31", 31), "2025-01-31 2025-02-28 2025-03-31"),
    ("Monthly", month_ticks(1, 14, "2023-01-31", 31), "2024-03-31 2024-04-30 2024-05-31"),
    (
        "Monthly",
        month_ticks(1, 13, "2023-01-31T23:59:59", 31),
        "2024-02-29T23:59:59 2024-03-31T23:59:59",
    ),
    ("Monthly", month_ticks(1, 12, "2024-01-15T08"), "2025-01-15T08:00:00 2025-02-15T08:00:00"),
    ("Monthly", month_ticks(1, 13, "2023-01-30", 30), "2024-02-29 2024-03-30 2024-04-30"),
    ("Monthly", month_ticks(2, 12, "2023-01-31", 31), "2025-01-31 2025-03-31 2025-05-31"),
    ("Quarterly", month_ticks(3, 12, "2022-01-01"), "2025-01-01 2025-04-01 2025-07-01"),
    ("Quarterly", month_ticks(3, 12, "2022-03-31", 31), "2025-03-31 2025-06-30 2025-09-30"),
    ("Quarterly", month_ticks(3, 12, "2022-02-01"), "2025-02-01 2025-05-01 2025-08-01"),
    ("Quarterly", month_ticks(6, 12, "2019-01-01"), "2025-01-01 2025-07-01 2026-01-01"),
    ("Yearly", month_ticks(12, 12, "2013-01-01"), "2025-01-01 2026-01-01 2027-01-01"),
    ("Yearly", month_ticks(12, 12, "2012-12-31"), "2024-12-31 2025-12-31 2026-12-31"),
    ("Yearly", month_ticks(12, 12, "2012-02-29", 29), "2024-02-29 2025-02-28 2026-02-28"),
    ("Yearly", month_ticks(48, 12, "1976-02-29", 29), "2024-02-29 2028-02-29"),
    ("Yearly", month_ticks(120, 12, "1900-06-01"), "2020-06-01"),
]
# Declared frequency, the timestamps, and the frequency that fits; the calendar's tests have more.
MISFITS: list[tuple[str, list[str], str]] = [
    ("Minutes", ticks(SECOND, 20), "Seconds"),
    ("Hours", ticks(15 * MINUTE, 20), "Minutes"),
    ("Daily", ticks(HOUR, 20), "Hours"),
    ("Weekly", ticks(DAY, 40), "Daily"),
    ("Hours", business_days(40), "Daily"),
    ("Daily", ticks(WEEK, 20), "Weekly"),
    ("Weekly", month_ticks(1, 24, "2020-01-31", 31), "Monthly"),
    ("Monthly", month_ticks(3, 20, "2020-01-01"), "Quarterly"),
    ("Seconds", month_ticks(12, 24, "1990-01-01"), "Yearly"),
]
# Frequency, the whole grid, the indices left out, the first missing date; in the forms above.
HOLES: list[tuple[str, list[str], list[int], str]] = [
    ("Daily", ticks(DAY, 40), [20], "2024-01-21"),
    ("Daily", ticks(DAY, 40), [20, 21, 22], "2024-01-21"),
    ("Daily", ticks(DAY, 40), [5], "2024-01-06"),
    ("Daily", business_days(40), [9], "2024-01-12"),
    ("Monthly", month_ticks(1, 24, "2023-01-31", 31), [13], "2024-02-29"),
    ("Yearly", month_ticks(12, 24, "2000-02-29", 29), [4], "2004-02-29"),
]
DAYS = ticks(DAY, 40)


def body_at(times: list[str], frequency: str, horizon: int = 3) -> dict:
    """Return the good body with ``times`` as timestamps."""
    values = [30 + index / 3 + index * index % 5 for index in range(len(times))]
    return body_of(times, values, frequency, horizon)


def full_timestamp(text: str) -> str:
    """Expand the short form of a timestamp in a row."""
    if "T" in text:
        return text
    return f"2024-01-01T{text}" if ":" in text else f"{text}T00:00:00"


@pytest.mark.parametrize(("frequency", "times", "following"), GRIDS)
def test_the_forecast_continues_in_the_grid_of_the_series(
    api: Api, frequency: str, times: list[str], following: str
) -> None:
    expected = [full_timestamp(text) for text in following.split()]
    response = api.forecast(body_at(times, frequency, len(expected)))
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.get_json()["forecast_timestamps"] == expected


@pytest.mark.parametrize(("declared", "times", "fitting"), MISFITS)
def test_a_wrong_frequency_is_rejected_with_the_one_that_fits(
    api: Api, declared: str, times: list[str], fitting: str
) -> None:
    field, issue, _provided = first_defect(api.forecast(body_at(times, declared)), 422)
    assert field.startswith("series[0].timestamps")
    assert issue.startswith("invalid frequency: ")
    assert f"which is {fitting}, not {declared}" in issue
    assert issue.endswith(f"send data_frequency and forecast_frequency {fitting}")
    assert api.forecast(body_at(times, fitting)).status_code == 200


@pytest.mark.parametrize(("frequency", "grid", "left_out", "missing"), HOLES)
def test_a_gap_is_reported_with_its_missing_entry(
    api: Api, frequency: str, grid: list[str], left_out: list[int], missing: str
) -> None:
    response = api.forecast(body_at(omit(grid, *left_out), frequency))
    field, issue, provided = first_defect(response, 422)
    assert field == f"series[0].timestamps[{left_out[0]}]"
    assert provided == grid[left_out[-1] + 1]
    assert issue.startswith(f"missing entry: {full_timestamp(missing)} is missing")
    assert "send every entry" in issue


def test_every_gap_is_listed(api: Api) -> None:
    response = api.forecast(body_at(omit(ticks(DAY, 60), 10, 20, 21, 30), "Daily"))
    fields = [error["field"] for error in details_of(response, 422)["errors"]]
    assert fields == [f"series[0].timestamps[{index}]" for index in (10, 19, 27)]


@pytest.mark.parametrize(
    ("times", "index", "issue"),
    [
        ([*DAYS[:6], *DAYS[5:]], 6, "duplicate timestamp: 2024-01-06T00:00:00"),
        ([DAYS[0]] * 40, 1, "duplicate timestamp: 2024-01-01T00:00:00"),
        ([*DAYS[:5], DAYS[6], DAYS[5], *DAYS[7:]], 6, "timestamps must be in chronological order"),
        (DAYS[::-1], 1, "timestamps must be in chronological order"),
        ([*DAYS[:5], "2024-01-06T03:00:00", *DAYS[6:]], 5, "irregular spacing"),
    ],
)
def test_disorder_duplicates_and_off_grid_entries_are_named(
    api: Api, times: list[str], index: int, issue: str
) -> None:
    field, reported, provided = first_defect(api.forecast(body_at(times, "Daily")), 422)
    assert field == f"series[0].timestamps[{index}]"
    assert provided == times[index]
    assert reported.startswith(issue)
    assert "; " in reported  # what is wrong, and what to send instead
